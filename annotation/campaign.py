"""A campaign as the store knows it, and what of it goes to Label Studio."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annotation import review, votes
from annotation.accounts import WORKING_ROLES, campaign_key, read_accounts, study
from annotation.label_studio.documents import Document, standing_guide
from data import schemas
from data.errors import InputError, TableError
from data.identity import digest
from data.manifest import Manifest
from data.store import Store

WITHDRAWN = "annotator"
"""The kind of the tombstones of people who withdrew."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


@dataclass(frozen=True, kw_only=True)
class OfCampaign:
    """The flags that every verb has."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    campaign: str = "main"
    """The campaign's name (small letters, digits, hyphens): each has its own plan, accounts, ratings and labels."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """What Label Studio holds of one annotator's part in one round."""

    round: int
    annotator: str
    tasks: int
    """Answered, or open and taken over by nobody."""
    title: str


class Campaign:
    """One campaign's rows of the store, read when first asked for."""

    def __init__(self, arguments: OfCampaign) -> None:
        """Raises InputError for a name that cannot be a file's."""
        self.name = arguments.campaign
        self.store = Store(arguments.store)
        if not NAME.fullmatch(self.name):
            raise InputError(
                "--campaign",
                expected="small letters, digits and hyphens, 31 at most",
                found=repr(self.name),
                remedy="choose another name",
            )

    @property
    def flags(self) -> list[str]:
        """The words of a command line that name this campaign."""
        return ["--store", str(self.store.root), "--campaign", self.name]

    @property
    def lock(self) -> str:
        """The name of the lock that every writing verb holds."""
        return f"annotation-{self.name}"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Holds the campaign's lock; what was read before somebody else let go of it is read again.

        Raises InputError where the campaign is unknown, StoreBusy where another verb holds the lock.
        """
        _ = self.assignments  # so that a mistyped name or folder leaves no lock file behind
        with self.store.lock(self.lock):
            for name in (
                "assignments",
                "annotators",
                "documents",
                "ratings",
                "ballots",
                "answered",
                "withdrawn",
                "plan",
            ):
                self.__dict__.pop(name, None)
            yield

    def stage(self, verb: str) -> str:
        """The stage under which a verb's manifest and rejects stand, apart for each campaign."""
        return f"annotation.{verb}.{self.name}"

    @cached_property
    def assignments(self) -> pd.DataFrame:
        """The campaign's assignments by id. Raises InputError where there are none."""
        rows = self.store.read(schemas.Assignments, campaign=self.name)
        if rows.empty:
            known = sorted(self.store.read(schemas.Assignments, columns=["campaign"])["campaign"].unique())
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
        rows = self.store.read(schemas.Annotators, campaign=self.name).sort_values(["annotator", "at"])
        return rows.drop_duplicates("annotator", keep="last").set_index("annotator", drop=False)

    @property
    def seniors(self) -> list[str]:
        """The active annotators who joined as seniors, by name; simulated ones too."""
        rows = self.store.read(schemas.Annotators, campaign=self.name).sort_values("at")
        joined = rows.drop_duplicates("annotator").set_index("annotator")["role"]
        return sorted(joined.index[(joined == "senior") & (self.annotators["state"] == "active").reindex(joined.index)])

    @cached_property
    def documents(self) -> list[Document]:
        """What is accepted before the first task, the consent (where there is one) before the guide."""
        rows = self.store.read(schemas.Documents).sort_values("at")
        found: dict[str, Document] = {"guide": standing_guide()}
        for whose in (study(self.name), self.name):
            for row in rows[rows["campaign"] == whose].to_dict("records"):
                fields = {name: row[name] for name in ("kind", "version", "text", "reference")}
                found[str(row["kind"])] = Document(**fields)
        return [found[kind] for kind in sorted(found)]

    def emails(self) -> dict[str, str]:
        """Each annotator's address: to be used at the server, and never shown or stored."""
        return {one.annotator: one.email for one in read_accounts(self.store.root, self.name)}

    def every_document(self) -> list[Document]:
        """All that ever held, earlier versions too."""
        rows = self.store.read(schemas.Documents)
        rows = rows[rows["campaign"].isin([self.name, study(self.name)])]
        fields = rows[["kind", "version", "text", "reference"]].to_dict("records")
        return [standing_guide(), *(Document(**one) for one in fields)]  # type: ignore[arg-type]

    @property
    def guide(self) -> Document:
        """The guide that holds now."""
        return next(one for one in self.documents if one.kind == "guide")

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The ratings of the campaign's assignments, all that were ever collected."""
        rows = self.store.read(schemas.Ratings)
        return rows[rows["assignment_id"].isin(self.assignments["assignment_id"])]

    @cached_property
    def ballots(self) -> pd.DataFrame:
        """Each assignment of work with its latest rating (`votes.cast`)."""
        return votes.cast(self.assignments, self.ratings)

    @cached_property
    def answered(self) -> set[str]:
        """The assignments of whatever kind whose latest rating scores or flags the pair."""
        said = votes.latest(self.ratings)
        return set(said.loc[~said["skipped"].fillna(False).astype("bool"), "assignment_id"])

    @cached_property
    def withdrawn(self) -> frozenset[str]:
        """The annotators who withdrew: a tombstone CAMPAIGN/PSEUDONYM stands for each."""
        ids = self.store.read(schemas.Tombstones, columns=["id"], kind=WITHDRAWN)["id"]
        start = study(self.name) + "/"
        return frozenset(one.removeprefix(start) for one in ids if one.startswith(start))

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The configuration that the campaign was planned with, from the manifest."""
        history = self.store.history(schemas.Assignments)
        return next(dict(one["config"]) for one in reversed(history) if one["stage"] == self.stage("plan"))

    def working(self) -> set[str]:
        """The annotators who may get further pairs."""
        able = self.annotators[self.annotators["role"].isin(WORKING_ROLES)]
        return set(able.index[able["state"] == "active"])

    def room(self, names: Sequence[str]) -> "pd.Series[float]":
        """How many more labels each of these annotators takes, by quota; no limit is infinity."""
        quotas = self.annotators["quota"].reindex(list(names)).astype("Float64").fillna(float("inf"))
        given = self.assignments["annotator"].value_counts().reindex(list(names), fill_value=0)
        return (quotas.astype("float64") - given.astype("float64")).clip(lower=0)

    def closed(self) -> set[str]:
        """Titles of the projects that nobody may open any more.

        Those of annotators who left, and those of rounds before one that replaces ratings (they have been judged) or
        that took over an annotator's own open work (another guide holds since).
        """
        assignments = self.assignments
        over = assignments["supersedes"].isin(sorted(self.answered) + self._moved())
        judging = assignments.loc[over, "round"].max()
        left = set(self.annotators.index[self.annotators["state"] == "left"])
        return {
            one.title
            for one in self.projects()
            if one.annotator in left or (pd.notna(judging) and one.round < int(judging))
        }

    def _moved(self) -> list[str]:
        """The assignments that the same annotator has again in a later round."""
        given = self.assignments[["assignment_id", "annotator"]]
        both = self.assignments.merge(given, left_on="supersedes", right_on="assignment_id", suffixes=("", "_before"))
        return list(both.loc[both["annotator"] == both["annotator_before"], "supersedes"])

    def require_ratings(self) -> None:
        """Raises InputError where nobody has scored anything yet."""
        if not (self.ballots["state"] == "scored").any():
            raise InputError(
                f"{self.store.root}, table ratings",
                expected=f"ratings of campaign {self.name}",
                found="no score",
                remedy="collect them first: python -m annotation collect",
            )

    def manifest(self, verb: str, rule: Any, seed: int | None = None, counts: dict[str, Any] | None = None) -> Manifest:
        """The manifest of what a verb makes of assignments and ratings by this rule (a dataclass)."""
        return Manifest(
            stage=self.stage(verb),
            config=asdict(rule) | {"campaign": self.name},
            seed=seed,
            inputs=self.store.inputs(schemas.Assignments, schemas.Ratings),
            counts=counts or {},
        )

    def reject(self, rejects: pd.DataFrame, manifest: Manifest) -> None:
        """Replaces the rejects of the manifest's stage where they are others."""
        columns = ["id", "reason", "detail"]
        old = self.store.read(schemas.Rejects, columns=columns, stage=manifest.stage).to_numpy().tolist()
        if old != rejects[columns].sort_values("id").to_numpy().tolist():
            self.store.reject(manifest.stage, rejects, manifest)

    def title(self, number: int, annotator: str) -> str:
        """The title of a round's project for an annotator: always the same, and says nothing to who reads it."""
        key = campaign_key(self.store.root, self.name)
        return "Definitions " + digest("project", self.name, number, annotator, key=key)[:8]

    def projects(self) -> list[Project]:
        """The projects of the campaign by round and annotator, but for those of people who withdrew."""
        here = self.assignments[~self.assignments["annotator"].isin(sorted(self.withdrawn))]
        over = set(here["supersedes"].dropna()) - self.answered
        counted = here.assign(tasks=~here["assignment_id"].isin(sorted(over)))
        held = counted.groupby(["round", "annotator"], as_index=False)["tasks"].sum()
        columns = (held[column].to_list() for column in ("round", "annotator", "tasks"))
        return [
            Project(round=number, annotator=name, tasks=tasks, title=self.title(number, name))
            for number, name, tasks in zip(*columns, strict=True)
        ]

    def tasks(self) -> dict[tuple[int, str], list[dict[str, str]]]:
        """By round and annotator, what the browser gets of each assignment, in the planned order.

        The keys are assignment, definition1, definition2 and, where the plan says so, entity; for a senior's second
        look also told (`review.tell`). Unflipped, the definition with the smaller id stands first, whichever way a
        generator wrote the pair. A trap shows one definition of its pair beside one of another entity.
        """
        texts = self.texts()
        rows = self.assignments.merge(texts, on="pair_id", how="left")
        trap = (rows["kind"] == "trap").astype("bool")
        rows["second"] = rows["second"].where(~trap, rows["pair_id"].map(_strangers(texts)))
        rows = rows.sort_values(["round", "annotator", "position"], ignore_index=True)
        straight = ~rows["flipped"].astype("bool")
        shown = {
            "assignment": rows["assignment_id"],
            "definition1": rows["first"].where(straight, rows["second"]),
            "definition2": rows["second"].where(straight, rows["first"]),
        } | ({"entity": rows["entity"]} if self.plan["show_entity"] else {})
        told = review.tell(self.assignments, self.ratings)
        tasks = [
            dict(zip(shown, values, strict=True)) | ({"told": told[values[0]]} if values[0] in told else {})
            for values in zip(*shown.values(), strict=True)
        ]
        found: dict[tuple[int, str], list[dict[str, str]]] = {}
        for number, name, task in zip(rows["round"], rows["annotator"], tasks, strict=True):
            found.setdefault((number, name), []).append(task)
        return found

    def texts(self) -> pd.DataFrame:
        """The texts of the pairs, in the order of their definitions' ids: pair_id, entity, first, second."""
        columns = ["pair_id", "entity", "first_id", "second_id", "first", "second"]
        pairs = self.store.read(schemas.Pairs, columns=columns, generator=self.plan["generator"])
        missing = ~self.assignments["pair_id"].isin(pairs["pair_id"])
        if missing.any():
            raise TableError(
                "pairs",
                expected=f"the texts of the {self.assignments['pair_id'].nunique()} planned pairs",
                found=f"none for {self.assignments.loc[missing, 'pair_id'].nunique()} of them",
                remedy="make this generator's pairs again as they were (python -m data history pairs)",
            )
        turned = (pairs["first_id"] > pairs["second_id"]).astype("bool")
        first, second = pairs["first"], pairs["second"]
        return pairs[["pair_id", "entity"]].assign(
            first=first.where(~turned, second), second=second.where(~turned, first)
        )


def _strangers(texts: pd.DataFrame) -> "pd.Series[str]":
    """For each pair (by id) a definition of another entity: that of the pair half the table away."""
    rows = texts.sort_values(["entity", "pair_id"], ignore_index=True)
    return pd.Series(np.roll(rows["second"].to_numpy(object), len(rows) // 2), index=rows["pair_id"])
