"""A plan: which pairs, which people, and how it is written to the store."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign
from annotation.campaign.planning.sequence import KeptItems, pool
from annotation.campaign.planning.shown import PageExtras, differs, write_beside
from annotation.config import CheckRule, PlanRule
from annotation.questions.declarations import read
from data.console.errors import InputError
from data.console.messages import say
from data.console.paths import existing_file
from data.contract.questions import Question
from data.contract.rows import text_rows
from data.contract.tables.campaign import Annotators, Answers, Assignments, Ratings
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.contract.vocabulary import ACTIVE, CORRECTED, CORRECTION, FIXED, PILOT, PUBLISHED, VOTING
from data.grouping.entities import of_side
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import digest

POLICY = ("allocate", "rule", "target", "budget", "random_share")
"""How further ratings are given out."""

DECIDED = ["assignment_id", "position", "flipped"]

NO_CHECKS = CheckRule(gold_share=0.0)
"""The checks of a pilot and a control arm: everybody sees the same pairs, and nothing is mixed in."""


@dataclass(frozen=True, kw_only=True)
class PlanRows:
    """The rows that a plan consists of."""

    people: pd.DataFrame
    """As returned by `read_people`, with pseudonyms in the column annotator."""
    assignments: pd.DataFrame
    """The output of `complete`."""
    settings: dict[str, Any]
    """The output of `settings_row`."""
    question: Question
    gold: pd.DataFrame = field(default_factory=lambda: gold_rows({}, {}))
    """The output of `gold_rows`."""
    following: KeptItems | None = None
    """The items that an earlier campaign kept, where these are asked about."""
    beside: PageExtras | None = None
    """What the page shows beside the texts, where the question says so."""


def settings_row(rule: PlanRule, checks: CheckRule, generator: str, seed: int, pairs: int | None) -> dict[str, Any]:
    """A row of the table `campaigns` without campaign, time and scale; `pairs` is the sample's size, None for all."""
    own = asdict(rule) | {"rule": " ".join(rule.rule) or None, "allocate": rule.allocate or FIXED}
    return own | asdict(checks) | {"generator": generator, "seed": seed, "pairs": pairs}


def gold_rows(file: Mapping[str, int], pilot: Mapping[str, int]) -> pd.DataFrame:
    """Rows of the table `gold` (pair_id, score, source): the pairs of a file and those settled in the pilot.

    A pair in both has the file's score.
    """
    scores = {**pilot, **file}
    sources = ["file" if pair in file else "pilot" for pair in scores]
    return pd.DataFrame({"pair_id": list(scores), "score": list(scores.values()), "source": sources}, dtype="object")


def plan_manifest(
    campaign: Campaign, plan: PlanRows, inputs: Mapping[str, int | str | None], **config: Any
) -> Manifest:
    """The manifest of a plan, without known scores: the tables' history goes where gold must not."""
    rows = plan.assignments
    return Manifest(
        stage="annotation.plan",
        part=campaign.name,
        config=plan.settings | plan.question.identity | {"campaign": campaign.name} | config,
        seed=plan.settings["seed"],
        inputs=inputs,
        counts={"pairs": rows["pair_id"].nunique(), "assignments": len(rows)},
    )


def complete(campaign: Campaign, rows: pd.DataFrame) -> pd.DataFrame:
    """New rows of the table `assignments`, from round, pair_id, annotator, position, flipped and supersedes.

    `kind` may be left out where all is work, and `random` where all is of the random part, or takes the place of
    earlier rows, whose mark it then gets. Ids are keyed digests: the same on every run, and meaningless without the
    campaign's key.
    """
    key = accounts.campaign_key(campaign.store.root, campaign.name)
    rows = rows if "kind" in rows else rows.assign(kind="work")
    if "random" not in rows:
        before = campaign.store.read(Assignments, ["assignment_id", "random"], campaign=campaign.name)
        rows = rows.assign(random=rows["supersedes"].map(before.set_index("assignment_id")["random"]))
    rows = rows.assign(random=rows["random"].astype("boolean").fillna(True).astype("bool"))
    named = zip(rows["round"], rows["pair_id"], rows["annotator"], rows["kind"], strict=True)
    ids = [digest("assignment", campaign.name, *parts, key=key) for parts in named]
    return rows.assign(assignment_id=ids, campaign=campaign.name, at=campaign.now())


def read_pairs(campaign: Campaign, generator: str | None) -> tuple["pd.Series[str]", str]:
    """The generator's pair ids, and its name; None means the only one that is no other campaign's own."""
    pairs = campaign.store.read(Pairs, columns=["generator", "pair_id", "selection"])
    plans = campaign.store.read(Campaigns, columns=["generator", "items_from"])
    own = {*plans.dropna(subset="items_from")["generator"], *pairs.loc[pairs["selection"] == PUBLISHED, "generator"]}
    generators = sorted(pairs["generator"].unique())
    if not generators:
        raise InputError(
            f"{campaign.store.address}, table pairs",
            expected="pairs to label",
            found="none",
            remedy="make some first: python -m clustering propose",
        )
    free = sorted(set(generators) - own)
    name = generator or (free[0] if len(free) == 1 else "")
    if name not in generators:
        raise InputError(
            "--generator",
            expected=" or ".join(generators),
            found=repr(generator) if generator else "nothing",
            remedy="name one of them",
        )
    return pairs.loc[pairs["generator"] == name, "pair_id"], name


def read_people(annotators: int | Path | None, campaign: Campaign, following: KeptItems | None = None) -> pd.DataFrame:
    """The people of `--annotators`, as `accounts.read_people` gives them; by default the earlier campaign's."""
    if annotators is None and following:
        return pool(following.before)
    if annotators is None:
        raise InputError(
            "--annotators",
            expected="a number, or a sheet of annotators",
            found="nothing",
            remedy="only --items-from may stand for it: then the earlier campaign's annotators go on",
        )
    if isinstance(annotators, int):
        return accounts.unnamed_people(annotators, campaign.host)
    return accounts.read_people(existing_file(annotators, "a number or a sheet of annotators"))


def read_question(campaign: Campaign, name: str | None) -> Question:
    """The question of `--question`; by default the one that the campaign's pilot asks, or the standard one.

    Raises InputError where the pilot asks a question of another name, or another wording has this name and version.
    """
    if name is None:
        return campaign.question
    question, pilot = read(name), campaign.arm_of_study(PILOT)
    if pilot.is_planned and pilot.question.name != question.name:
        raise InputError(
            "--question",
            expected=f"{pilot.question.name}, which the pilot asks",
            found=question.name,
            remedy="plan another campaign for another question (--campaign NAME)",
        )
    _require_own_version(campaign, question)
    return question


def _require_own_version(campaign: Campaign, question: Question) -> None:
    """Raises InputError where a campaign of the store asks the question in another wording under the same version."""
    plans = campaign.store.read(Campaigns, columns=["campaign", *question.identity])
    same = (plans["question"] == question.name) & (plans["question_version"] == question.version)
    other = plans.loc[(same & (plans["question_digest"] != question.digest)).fillna(False).astype("bool"), "campaign"]
    if len(other):
        raise InputError(
            f"question {question.name}, version {question.version}",
            expected=f"the wording that this version has in campaign {other.iloc[0]}",
            found="another one",
            remedy="give the changed question another version",
        )


def require_same(campaign: Campaign, plan: PlanRows) -> None:
    """Raises InputError where the campaign has another plan: one that people work on is never changed."""
    planned = campaign.store.read(Assignments, columns=[*DECIDED, "round", "supersedes"], campaign=campaign.name)
    if planned.empty:
        return
    first = planned.loc[(planned["round"] == 1) & planned["supersedes"].isna(), DECIDED].sort_values("assignment_id")
    same = first.to_numpy().tolist() == plan.assignments[DECIDED].sort_values("assignment_id").to_numpy().tolist()
    same &= all(_same(campaign.plan[name], plan.settings[name]) for name in ("show_entity", *POLICY))
    same &= campaign.question.digest == plan.question.digest
    same &= campaign.gold == dict(plan.gold[["pair_id", "score"]].to_numpy())
    if not same or differs(campaign, plan.beside):
        raise InputError(
            f"campaign {campaign.name}",
            expected="the arguments that it was planned with",
            found="others (question, annotators, pairs, ratings, gold, entity, seed), or changed pairs",
            remedy="start another campaign with --campaign NAME",
        )


def write(campaign: Campaign, plan: PlanRows, manifest: Manifest) -> int | None:
    """Write a plan with its accounts; returns the version of assignments, None where all were there already.

    The assignments come after plan and gold, so that a campaign with assignments has both.
    Raises InputError where the campaign has another plan.
    """
    require_same(campaign, plan)
    accounts.enrol(campaign.store.root, campaign.study, plan.people)
    if plan.following and not campaign.is_planned:
        _write_items(campaign, plan.following, manifest)
    if plan.beside and not campaign.is_planned:
        write_beside(campaign, plan.beside, manifest)
    _write_settings(campaign, plan, manifest)
    version = campaign.store.append(Assignments, plan.assignments, manifest)
    _join(campaign, plan.people, manifest)
    return version


def _same(planned: object, asked: object) -> bool:
    return asked is None if pd.isna(planned) else planned == asked  # type: ignore[call-overload]


def append_round(campaign: Campaign, new: pd.DataFrame, manifest: Manifest) -> None:
    """Append new assignments (as `complete` takes them, but for `round`) as the campaign's next round, if any.

    Where not all raters are asked anyway, those that replace none are not of the random part.
    """
    if len(new):
        number = int(campaign.assignments["round"].max()) + 1
        marks = new["supersedes"].map(campaign.assignments.set_index("assignment_id")["random"]).astype("boolean")
        rows = new.assign(round=number, random=marks.fillna(campaign.plan["allocate"] == FIXED))
        campaign.store.append(Assignments, complete(campaign, rows), manifest)
        say(f"round {number} written to {campaign.store.address}/assignments")


def append_further(campaign: Campaign, new: pd.DataFrame, manifest: Manifest) -> None:
    """Append further assignments (pair_id, annotator) in this order behind what everybody has in the open round.

    None is of the random part, since what was answered there decides who is asked further. The open round is the last
    round of work but the first one, or a new one where it is over.
    """
    if new.empty:
        return
    work = campaign.assignments.loc[campaign.assignments["kind"].isin(VOTING), "round"]
    number = int(work.max())
    if number == 1 or number < campaign.first_open_round:
        number = int(campaign.assignments["round"].max()) + 1
    sides = np.random.default_rng([int(campaign.plan["seed"]), len(campaign.assignments)]).random(len(new)) < 0.5
    rows = new.assign(round=number, supersedes=None, flipped=sides, position=new.groupby("annotator").cumcount())
    rows["random"] = False
    campaign.store.append(Assignments, complete(campaign, behind(campaign, rows)), manifest)
    campaign.refresh()


def behind(campaign: Campaign, new: pd.DataFrame) -> pd.DataFrame:
    """The new rows, in their order, behind what each annotator has in that round already."""
    last = campaign.assignments.groupby(["round", "annotator"])["position"].max()
    before = pd.MultiIndex.from_frame(new[["round", "annotator"]]).map(last.to_dict())
    return new.assign(position=new["position"] + pd.Series(before, index=new.index).fillna(-1).astype("int64") + 1)


def _write_settings(campaign: Campaign, plan: PlanRows, manifest: Manifest) -> None:
    """Write the campaign's row of `campaigns` and its gold pairs, unless people work on them already."""
    store, name = campaign.store, campaign.name
    if campaign.is_planned:
        return
    if len(plan.gold) or len(store.read(Gold, campaign=name)):
        store.replace(Gold, plan.gold.assign(campaign=name), replace(manifest, inputs={}), campaign=name)
    values = plan.question.scale.values if plan.question.scale else []
    asked = {"question_content": plan.question.content, "scale": "-".join(values[:1] + values[-1:])}
    study = {"study": campaign.study, "arm": campaign.arm}
    before = {"items_from": plan.following.before.name if plan.following else None}
    row = study | before | plan.settings | plan.question.identity | asked | {"campaign": name, "at": campaign.now()}
    store.append(Campaigns, pd.DataFrame([row]), manifest)
    campaign.refresh()


def _write_items(campaign: Campaign, following: KeptItems, manifest: Manifest) -> None:
    """Write the pairs of an earlier campaign's items, and what became of the others."""
    store = campaign.store
    inputs = store.inputs(Pairs, Assignments, Ratings, Answers)
    own = replace(manifest, language=followed(store, Pairs).code, inputs=inputs, counts={"pairs": len(following.pairs)})
    corrections = _corrections(store, following)
    if len(corrections):
        store.replace(GeneratedTexts, corrections, own, generator=following.generator)
    store.replace(Pairs, following.pairs, own, generator=following.generator)
    campaign.reject("plan", following.rejects, manifest)


def _corrections(store: Store, following: KeptItems) -> pd.DataFrame:
    """Rows of `generated_texts` for the corrected texts, each made from the text that was corrected."""
    rows = following.pairs[following.pairs["selection"] == CORRECTED].drop_duplicates("second_id")
    before = store.read(Pairs, ["pair_id", "second_id"]).drop_duplicates("pair_id").set_index("pair_id")["second_id"]
    return text_rows(
        rows[["generator"]], entity=of_side(rows, "second"), text_id=rows["second_id"], text=rows["second"],
        source_id=rows["parents"].str[0].map(before), method=CORRECTION,
    )  # fmt: skip


def _join(campaign: Campaign, people: pd.DataFrame, manifest: Manifest) -> None:
    """Append the people who are not in the campaign yet."""
    new = people[~people["annotator"].isin(campaign.annotators.index)].drop(columns="email")
    rows = new.assign(campaign=campaign.name, at=campaign.now(), state=ACTIVE, consent_version=None)
    campaign.store.append(Annotators, rows.assign(guide_version=campaign.guide.version), manifest)
