"""One campaign: its rows of the store, and what follows from them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd

from annotation.campaign.accounts import read_accounts
from annotation.campaign.documents import Document, guide_of
from annotation.questions.declarations import shipped_question, standard_in
from data.console.errors import InputError
from data.console.paths import Address
from data.contract.questions import Control, Question
from data.contract.tables.campaign import Annotators, Answers, Assignments, Documents, Ratings
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.removals import Rejects
from data.contract.validation import checked
from data.contract.vocabulary import (
    ACTIVE,
    CAMPAIGN,
    CONTROL,
    MAIN,
    PILOT,
    SENIOR,
    SIMULATED,
    WORKING_ROLES,
)
from data.measures import ballots as votes
from data.measures.ballots import closing_rounds, given, held
from data.measures.classes import Classes, classes_of
from data.measures.rules import VoteRule
from data.recorded.languages import followed
from data.recorded.plans import Plans, read_gold, read_plans, withdrawn_from
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant

Rule = TypeVar("Rule", bound=VoteRule)

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


@dataclass(frozen=True, kw_only=True)
class OfCampaign:
    """The flags that every command has."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""

    campaign: str = CAMPAIGN
    """The name of the campaign (lower-case letters, digits, hyphens), which has its own plan, accounts and labels."""


class Campaign:
    """One campaign's rows of the store, read when first needed."""

    name: str
    study: str
    """The main campaign that it shares people and accounts with: itself, unless it is the pilot or control arm."""
    arm: str
    """What it is to its study, one of `vocabulary.ARMS`."""

    def __init__(self, arguments: OfCampaign, arm: str = MAIN, study: str | None = None) -> None:
        """The planned campaign of this name; `study` and `arm` say what one that is not planned yet is to be.

        Raises InputError for a name that cannot be part of a file's name.
        """
        self.name = arguments.campaign
        self.store = Store(arguments.store)
        if (plan := self.plans.latest.get(self.name)) is not None:
            arm, study = plan["arm"], plan["study"]
        self.arm, self.study = arm, study or self.name
        if not NAME.fullmatch(self.study):
            raise InputError(
                "--campaign",
                expected="at most 31 lower-case letters, digits and hyphens",
                found=repr(self.name),
                remedy="choose another name",
            )

    @property
    def flags(self) -> list[str]:
        """The flags of a command line that name this campaign."""
        return ["--campaign", self.name, "--store", str(self.store.address)]

    @property
    def lock(self) -> str:
        """The name of the lock that every writing command holds; arms share people and accounts, and so the lock."""
        return f"annotation-{self.study}"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the campaign's lock, and forget the rows that were read before.

        Raises InputError where the campaign is unknown, StoreBusy where another command holds the lock.
        """
        _ = self.assignments  # a mistyped name or folder must not leave a lock file behind
        with self.store.lock(self.lock):
            self.refresh()
            yield

    def refresh(self) -> None:
        """Forget the rows read so far, so that they are read again."""
        for name in [name for name, what in vars(type(self)).items() if isinstance(what, cached_property)]:
            self.__dict__.pop(name, None)

    def now(self) -> datetime:
        """The time of a new row, later than every row of the study: documents apply to what came before."""
        plans = self.store.read(Campaigns, columns=["campaign", "study", "at"])
        study = {self.study, self.name, *plans.loc[plans["study"] == self.study, "campaign"]}
        others = [self.store.read(table, columns=["campaign", "at"]) for table in (Annotators, Assignments, Documents)]
        rows = pd.concat([plans, *others])
        return next_instant(rows.loc[rows["campaign"].isin(study), "at"])

    def arm_of_study(self, arm: str = MAIN) -> "Campaign":
        """The study's campaign itself, its pilot or its control arm, planned or not."""
        if arm == self.arm:
            return self
        plans = self.plans.latest
        known = [name for name, plan in plans.items() if (plan["study"], plan["arm"]) == (self.study, arm)]
        if not known:
            known = [self.study if arm == MAIN else _free(f"{self.study}-{arm}", set(plans))]
        return Campaign(OfCampaign(store=self.store.address, campaign=known[0]), arm, self.study)

    @property
    def host(self) -> str:
        """The host of made-up addresses: people of the control arm differ from the rest of the study's."""
        return self.name if self.arm == CONTROL else self.study

    @property
    def is_planned(self) -> bool:
        """Whether it has assignments."""
        return not self.store.read(Assignments, columns=["assignment_id"], campaign=self.name).empty

    @cached_property
    def assignments(self) -> pd.DataFrame:
        """The campaign's assignments by id. Raises InputError where there are none."""
        rows = self.store.read(Assignments, campaign=self.name)
        if rows.empty:
            known = sorted(self.store.distinct(Assignments, "campaign"))
            raise InputError(
                "--campaign",
                expected=f"a planned campaign ({', '.join(known) or 'none is planned yet'})",
                found=repr(self.name),
                remedy="plan it first: python -m annotation plan",
            )
        return rows

    @cached_property
    def annotators(self) -> pd.DataFrame:
        """The latest row of each annotator, by name."""
        rows = self.store.read(Annotators, campaign=self.name).sort_values(["annotator", "at"])
        return rows.drop_duplicates("annotator", keep="last").set_index("annotator", drop=False)

    @property
    def n_simulated(self) -> int:
        """How many of the annotators are programs."""
        return int((self.annotators["role"] == SIMULATED).sum())

    @property
    def joined_as(self) -> "pd.Series[str]":
        """The role in which each annotator joined, by name; `simulated` comes later."""
        rows = self.store.read(Annotators, campaign=self.name).sort_values("at")
        return rows.drop_duplicates("annotator").set_index("annotator")["role"]

    @property
    def seniors(self) -> list[str]:
        """The active annotators who joined as seniors, by name; simulated ones too."""
        joined = self.joined_as
        return sorted(joined.index[(joined == SENIOR) & (self.annotators["state"] == ACTIVE).reindex(joined.index)])

    @property
    def governed_by(self) -> tuple[str, ...]:
        """The campaigns whose documents apply."""
        return tuple(dict.fromkeys((self.study, self.name)))

    @cached_property
    def documents(self) -> list[Document]:
        """The documents in force, to be accepted before the first task: the consent, if any, then the guide."""
        rows = self.store.read(Documents).sort_values("at")
        in_force: dict[str, Document] = {"guide": guide_of(self.question)}
        for campaign in self.governed_by:
            for row in rows[rows["campaign"] == campaign].to_dict("records"):
                fields = {name: row[name] for name in ("kind", "version", "text", "reference")}
                in_force[str(row["kind"])] = Document(**fields)
        return [in_force[kind] for kind in sorted(in_force)]

    def emails(self) -> dict[str, str]:
        """Each annotator's address: for use at the server, never to be shown or stored."""
        return {account.annotator: account.email for account in read_accounts(self.store.root, self.study)}

    def every_document(self) -> list[Document]:
        """All documents that are or were in force."""
        rows = self.store.read(Documents)
        rows = rows[rows["campaign"].isin(self.governed_by)]
        fields = rows[["kind", "version", "text", "reference"]].to_dict("records")
        return [guide_of(self.question), *(Document(**row) for row in fields)]  # type: ignore[arg-type]

    @property
    def guide(self) -> Document:
        """The guide in force."""
        return next(document for document in self.documents if document.kind == "guide")

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """All ratings of the campaign's assignments, earlier answers to the same one included.

        `score` is the number of the answer to the question's vote (`Control.codes`); where the question has none, 0
        says that it was answered.
        """
        return self.ratings_of(self.question.vote)

    def ratings_of(self, control: Control | None) -> pd.DataFrame:
        """As `ratings`, with the number of the answer to this control, of which one is given (None: to any control)."""
        return votes.read_ratings(self.store, self.assignments, self.question, control)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """All answers of the campaign's ratings by control, beside scores of a single scale."""
        rows = self.store.read(Answers)
        return rows[rows["assignment_id"].isin(self.assignments["assignment_id"])]

    @cached_property
    def vote_rule(self) -> VoteRule:
        """How answers become votes, as the question declares. Raises InputError where it asks for none."""
        return VoteRule(paraphrase_from=self.classes.lowest_positive)

    def with_vote_rule(self, rule: Rule) -> Rule:
        """The rule, by which answers are votes as the question declares, if it asks for any."""
        return replace(rule, paraphrase_from=self.vote_rule.paraphrase_from) if self.question.vote else rule

    def require_vote(self) -> Control:
        """The control whose answers are votes. Raises InputError where the question has none."""
        vote = self.question.vote
        if vote is None:
            raise InputError(
                f"campaign {self.name}, question {self.question.name}",
                expected="votes: a scale, yes-no or one-of whose positive answers are declared",
                found="none: no answer to it speaks for or against an item",
                remedy=f"read its answers: python -m data export {self.question.table}",
            )
        return vote

    @property
    def classes(self) -> Classes:
        """The answers that are votes. Raises InputError where the question has none."""
        return classes_of(self.require_vote())

    @cached_property
    def ballots(self) -> pd.DataFrame:
        """Each assignment of work with its latest rating (`votes.cast`)."""
        return votes.voting(self.every_ballot)

    @cached_property
    def every_ballot(self) -> pd.DataFrame:
        """Each assignment of any kind with its latest rating (`votes.of_campaign`)."""
        return votes.of_campaign(self.assignments, self.ratings, self.entities)

    @cached_property
    def entities(self) -> dict[str, str]:
        """The entity of each pair of the campaign's generator that has one."""
        pairs = self.store.read(Pairs, columns=["pair_id", "entity"], generator=self.plan["generator"])
        named = pairs.dropna(subset="entity")
        return dict(zip(named["pair_id"], named["entity"], strict=True))

    @cached_property
    def answered(self) -> set[str]:
        """The assignments, of any kind, whose latest rating scores or flags the pair."""
        return set(given(self.ratings)["assignment_id"])

    @property
    def first_open_round(self) -> int:
        """The first round that is not over (`ballots.closing_rounds`)."""
        return int(max(closing_rounds(self.assignments, self.answered), default=1))

    @cached_property
    def held(self) -> pd.DataFrame:
        """The assignments that are answered or open (`ballots.held`)."""
        return held(self.assignments, self.ratings)

    @cached_property
    def waiting(self) -> pd.DataFrame:
        """The open assignments: held, and not answered."""
        return self.held[~self.held["assignment_id"].isin(sorted(self.answered))]

    @property
    def present(self) -> pd.DataFrame:
        """The assignments of everybody who has not withdrawn."""
        return self.assignments[~self.assignments["annotator"].isin(sorted(self.withdrawn))]

    @cached_property
    def withdrawn(self) -> frozenset[str]:
        """The annotators who withdrew, by their tombstones."""
        return frozenset(withdrawn_from(self.store, self.study))

    @property
    def plans(self) -> Plans:
        """How the store's campaigns are planned at this moment: others may be added meanwhile."""
        return read_plans(self.store)

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The campaign's latest row of the table `campaigns`: how it was planned."""
        plan = self.plans.latest.get(self.name)
        if plan is None:
            raise InputError(
                f"campaign {self.name}",
                expected="its plan in the table campaigns",
                found="none",
                remedy="plan it first: python -m annotation plan",
            )
        return plan

    @cached_property
    def question(self) -> Question:
        """What the campaign asks, as it was when planned; for one that is not planned, its pilot's question.

        Without either, the standard question in the language of the pairs, or else in English.
        """
        plans = self.plans
        for name in (self.name, self.arm_of_study(PILOT).name):
            if name in plans.latest:
                return plans.question(name)
        return shipped_question(standard_in(followed(self.store, Pairs)))

    @cached_property
    def gold(self) -> dict[str, int]:
        """The known score of each gold pair, by pair id."""
        return read_gold(self.store, self.name)

    def working(self) -> set[str]:
        """The annotators who may get further pairs."""
        able = self.annotators[self.annotators["role"].isin(WORKING_ROLES)]
        return set(able.index[able["state"] == ACTIVE])

    def room(self, names: Sequence[str]) -> "pd.Series[float]":
        """How many more labels each of these annotators takes, by quota; infinity without one."""
        quotas = self.annotators["quota"].reindex(list(names)).astype("Float64").fillna(float("inf"))
        assigned = self.held["annotator"].value_counts().reindex(list(names), fill_value=0)
        return (quotas.astype("float64") - assigned.astype("float64")).clip(lower=0)

    def require_ratings(self, *, votes: bool = True) -> None:
        """Raises InputError where no pair has a score yet, or the question asks for no vote though one is needed."""
        if votes:
            self.require_vote()
        if not (self.ballots["state"] == "scored").any():
            raise InputError(
                f"{self.store.address}, table ratings",
                expected=f"ratings of campaign {self.name}",
                found="no score",
                remedy="collect them first: python -m annotation collect",
            )

    def manifest(self, verb: str, rule: Any, seed: int | None = None, counts: dict[str, Any] | None = None) -> Manifest:
        """The manifest of what a command computes from assignments and ratings by a rule (a dataclass)."""
        return Manifest(
            stage=f"annotation.{verb}",
            part=self.name,
            config=asdict(rule) | {"campaign": self.name},
            seed=seed,
            inputs=self.store.inputs(Assignments, Ratings),
            counts=counts or {},
        )

    def reject(self, verb: str, rejects: pd.DataFrame, manifest: Manifest, method: str | None = None) -> None:
        """Replace the command's rejects of this campaign, if they differ; of labels only what the method left out."""
        stage = f"annotation.{verb}"
        old = self.store.read(Rejects, stage=stage, part=self.name)
        others = old.iloc[:0] if method is None else old[old["method"] != method]
        new = checked(Rejects, pd.concat([others, rejects.assign(stage=stage, part=self.name)]))
        if not old.equals(new.sort_values(Rejects.key_columns(), ignore_index=True)):
            self.store.reject(stage, new, manifest, part=self.name)


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where another campaign has it."""
    return next(one for one in (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))) if one not in taken)
