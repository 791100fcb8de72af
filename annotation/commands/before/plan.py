"""The command `plan`: pairs and people -> assignments of round 1."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from annotation.aggregation.screening import UNANSWERED
from annotation.assignment import allocation, design, pilot
from annotation.campaign import accounts
from annotation.campaign.authorship import authors
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.plan import (
    PlanRows,
    complete,
    gold_rows,
    plan_manifest,
    read_pairs,
    read_people,
    read_question,
    settings_row,
    write,
)
from annotation.campaign.planning.sequence import KeptItems, take_kept
from annotation.campaign.planning.shown import PageExtras, find_extras
from annotation.config import CheckRule, PlanRule, ShownRule, settings
from annotation.label_studio.server import server
from annotation.questions.answers import join_or
from data.console.errors import InputError
from data.console.marks import Limit
from data.console.messages import quantity, say, say_next
from data.contract.questions import Question
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CERTAIN, CORRECTED, DISCUSSION, FIXED, GOLD, MAIN, PILOT, WORKING_ROLES
from data.files.sheets import read_sheet, whole_numbers
from data.guidance.next_steps import say_steps
from data.texts.identity import file_digest


@dataclass(frozen=True, kw_only=True)
class Arguments(PlanRule, CheckRule, ShownRule, OfCampaign):
    """Assign each pair to three annotators, at random and evenly, each in an order of their own, sides shuffled."""

    annotators: int | Path | None = None
    """A number of annotators (called a01, a02, …), or a sheet of people (CSV, Excel): email, role, level, areas, quota.
    May be left out with --items-from: the earlier campaign's annotators go on, with what is left of their quotas."""

    generator: str | None = None
    """The generator whose pairs are labelled; may be left out where the table `pairs` has only one."""

    question: str | None = None
    """The question: the name of a shipped one, or a folder with question.toml and guide.md. By default the pilot's, or
    parade, in the language of the pairs if it comes in that language."""

    items_from: str | None = None
    """Ask about what an earlier campaign kept, or the only one that asks the question of this name: rejected texts drop
    their pairs, corrected ones make new pairs, and no annotator gets a text that they corrected."""

    pairs: Limit[int | None] = None
    """Size of the sample of pairs; all if left out."""

    gold: Path | None = None
    """A sheet of pairs whose score is known (pair_id, score): mixed into everybody's work to check it."""

    seed: int = 1
    """Seed of the sample, assignment, order and sides."""


def main(arguments: Arguments) -> None:
    """Write the tables campaigns, gold, assignments and annotators, and the accounts; run again it adds nothing."""
    campaign = Campaign(arguments)
    _require_main(campaign)
    following, pair_ids, generator = _find_items(campaign, arguments)
    question = read_question(campaign, arguments.question)
    beside = find_extras(campaign, question, settings(arguments, ShownRule), generator)
    if beside:
        pair_ids = pair_ids[pair_ids.isin(beside.rows["pair_id"])]
    people = read_people(arguments.annotators, campaign, following)
    have_entity = _have_entity(campaign, following, generator)
    _require_checkable(arguments, question, have_entity=have_entity)
    corrected = set(following.barred["pair_id"]) if following else set()
    piloted, settled = _piloted(campaign)
    gold = gold_rows(_read_gold(arguments, set(pair_ids) - corrected, question), settled)
    chosen = design.sample(pair_ids[~pair_ids.isin([*gold["pair_id"], *piloted])], arguments.pairs, arguments.seed)
    n_labels = question.raters if arguments.labels_per_pair is None else arguments.labels_per_pair
    with campaign.store.lock(campaign.lock):
        before = following.before.study if following else None
        people = people.assign(annotator=accounts.name(campaign.store.root, campaign.study, people["email"], before))
        working = people[people["role"].isin(WORKING_ROLES)].set_index("annotator")["quota"]
        barred = pd.concat([following.barred if following else None, authors(campaign.store, generator)])
        barred = barred.merge(people, on="email")
        double_share = _read_double_share(arguments, question, len(working))
        shared = settings(arguments, PlanRule)
        shared = replace(shared, labels_per_pair=n_labels, double_share=double_share or None,
                         show_entity=arguments.show_entity and have_entity)  # fmt: skip
        rule = allocation.settle(shared, question, len(chosen))
        rows = _assign(chosen, rule, question, working, barred, arguments.seed)
        rows = design.double(rows, working, double_share, arguments.seed, barred)
        checks, others = settings(arguments, CheckRule), sorted(set(pair_ids) - piloted - corrected)
        rows = design.mix_in(rows, others, sorted(gold["pair_id"]), checks, arguments.seed)
        plan = PlanRows(
            people=people,
            assignments=complete(campaign, rows.assign(round=1, supersedes=None)),
            settings=settings_row(rule, checks, generator, arguments.seed, arguments.pairs),
            question=question,
            gold=gold,
            following=following,
            beside=beside,
        )
        file: dict[str, str] = {arguments.gold.name: file_digest(arguments.gold)} if arguments.gold else {}
        version = write(campaign, plan, plan_manifest(campaign, plan, campaign.store.inputs(Pairs) | file))
    if following:
        _say_items(following)
    if beside:
        _say_shown(beside)
    _say_allocation(rule, plan.assignments)
    _report(campaign, plan.assignments, people, version)


def _say_shown(beside: PageExtras) -> None:
    say(f"{len(beside.rows)} pairs have what the page shows; {beside.n_without} without it are left out")
    if beside.note:
        say(beside.note)


def _assign(  # noqa: PLR0913, PLR0917 - what a first round follows from
    pairs: list[str], rule: PlanRule, question: Question, working: "pd.Series[int]", barred: pd.DataFrame, seed: int
) -> pd.DataFrame:
    """The first round: all annotators of each pair, or as many as its policy asks at first."""
    n_labels = int(rule.labels_per_pair or question.raters)
    if rule.allocate != CERTAIN:  # even if every pair needs all its ratings, the quotas must allow it
        rows = design.assign(pairs, working, n_labels, seed, barred)
    if rule.allocate != FIXED:
        at_first = allocation.ratings_at_first(rule, question, pairs, seed)
        rows = design.assign_in_parts(at_first, working, seed, barred)
        rows["random"] = rows["pair_id"].map(at_first) == n_labels
    return rows


def _require_main(campaign: Campaign) -> None:
    """Raises InputError where a pilot or a control arm was planned under this name."""
    if campaign.arm != MAIN:
        raise InputError(
            "--campaign",
            expected="the name of no pilot and no control arm",
            found=f"{campaign.name}, the {campaign.arm} of {campaign.study}",
            remedy="choose another name",
        )


def _find_items(campaign: Campaign, arguments: Arguments) -> tuple[KeptItems | None, "pd.Series[str]", str]:
    """What an earlier campaign kept, if it is asked about; the ids of the pairs, and the name of their generator."""
    if arguments.items_from is None:
        return None, *read_pairs(campaign, arguments.generator)
    if arguments.generator:
        raise InputError(
            "--generator",
            expected="nothing with --items-from: the pairs are those of the earlier campaign",
            found=repr(arguments.generator),
            remedy="leave one of them out",
        )
    following = take_kept(campaign, arguments.items_from)
    return following, following.pairs["pair_id"], following.generator


def _read_double_share(arguments: Arguments, question: Question, n_people: int) -> float:
    """The share of --double-share, by default the question's, if there are people enough.

    Raises InputError for a share beside a policy that asks further annotators.
    """
    if arguments.double_share and arguments.allocate not in (None, FIXED):
        raise InputError(
            "--double-share",
            expected=f"none with --allocate {arguments.allocate}, which asks further annotators where it helps",
            found=str(arguments.double_share),
            remedy="leave one of them out",
        )
    is_own = arguments.labels_per_pair in (None, question.raters) and arguments.allocate in (None, FIXED)
    if arguments.double_share is not None or not is_own:
        return arguments.double_share or 0.0
    if question.double and n_people <= question.raters:
        say(f"note: no annotator is left for the second answer that {question.double:.0%} of the items should get")
        return 0.0
    return question.double


def _say_allocation(rule: PlanRule, rows: pd.DataFrame) -> None:
    """Say how many pairs are of the random part, and what the others get."""
    if rule.allocate != FIXED:
        work = rows[rows["kind"] == "work"].drop_duplicates("pair_id")
        n_random = int(work["random"].sum())
        limit = "" if rule.budget is None else f", up to {rule.budget} ratings in all"
        say(
            f"{n_random} of {len(work)} pairs, drawn at random, get {rule.labels_per_pair} ratings each; "
            f"the others get further ones by {rule.allocate}{limit}"
        )


def _have_entity(campaign: Campaign, following: KeptItems | None, generator: str) -> bool:
    pairs = following.pairs if following else campaign.store.read(Pairs, columns=["entity"], generator=generator)
    return bool(pairs["entity"].notna().any())


def _piloted(campaign: Campaign) -> tuple[set[str], dict[str, int]]:
    """The pairs of the campaign's pilot, and the scores of those that its discussion turned into gold."""
    name = campaign.arm_of_study(PILOT).name
    pairs = campaign.store.read(Assignments, columns=["pair_id"], campaign=name)["pair_id"]
    labels = campaign.store.read(Labels, campaign=name, method=DISCUSSION, further=False)
    return set(pairs), _scores_of_gold(campaign.arm_of_study(PILOT), labels)


def _scores_of_gold(piloted: Campaign, labels: pd.DataFrame) -> dict[str, int]:
    gold = labels[labels["decided_by"] == GOLD]
    return pilot.settled_scores(gold, piloted.classes) if len(gold) else {}


def _require_checkable(arguments: Arguments, question: Question, *, have_entity: bool) -> None:
    """Raises InputError for traps and repeats that no answer to the question could pass or fail."""
    for flag, value in (("--trap-share", arguments.trap_share), ("--repeat-share", arguments.repeat_share)):
        if value and question.vote is None:
            raise InputError(
                flag,
                expected="0 for a question without a vote: no answer to it is simply right or wrong",
                found=str(value),
                remedy="leave it out",
            )
    more = question.shown.beside or question.shown.parts
    if more and (arguments.trap_share or arguments.gold):
        raise InputError(
            "--gold" if arguments.gold else "--trap-share",
            expected="none for a question that shows more than the texts: nothing could be shown of it",
            found=str(arguments.gold or arguments.trap_share),
            remedy="leave it out",
        )
    if arguments.trap_share and not question.shown.is_pair:
        raise InputError(
            "--trap-share",
            expected="0 for a question that shows one text: a trap is a pair of two entities",
            found=str(arguments.trap_share),
            remedy="leave it out",
        )
    if arguments.trap_share and not have_entity:
        raise InputError(
            "--trap-share",
            expected="0 for pairs that define no entity: a trap is a pair of two entities",
            found=str(arguments.trap_share),
            remedy="leave it out, and give gold pairs (--gold)",
        )


def _read_gold(arguments: Arguments, known: set[str], question: Question) -> dict[str, int]:
    """Pair id -> number of the answer in the file, if any. Raises InputError for an unknown pair or answer."""
    if arguments.gold is None:
        return {}
    if question.vote is None:
        raise InputError(
            "--gold",
            expected="a question that asks for a vote",
            found=question.name,
            remedy="leave it out: no answer to it is simply right or wrong",
        )
    codes = question.vote.codes
    sheet = read_sheet(arguments.gold, "a sheet of gold pairs", remedy="correct the file and plan again")
    sheet.require_columns(["pair_id", "score"])
    pairs, scores = sheet.rows["pair_id"].str.strip(), whole_numbers(sheet.rows["score"])
    wanted = "a pair_id of this generator" + (", with an uncorrected text" if arguments.items_from else "")
    sheet.require_rows(pairs.isin(known), wanted, pairs)
    sheet.require_rows(~pairs.duplicated(), "each pair_id once", pairs)
    sheet.require_rows(scores.isin(list(codes)), f"a {question.vote.name} of {join_or(list(codes))}", scores)
    if others := sheet.name_others(["pair_id", "score"]):
        say(f"{arguments.gold}: {others}")
    return dict(zip(pairs, scores.map(codes).tolist(), strict=True))


def _say_items(following: KeptItems) -> None:
    """Say what became of the earlier campaign's items, and what the others need."""
    n, n_changed = len(following.pairs), int((following.pairs["selection"] == CORRECTED).sum())
    reasons = following.rejects["reason"].value_counts()
    say(f"campaign {following.before.name} kept {n} items, {n_changed} of them with a corrected text")
    if len(reasons):
        say(f"{reasons.sum()} do not go on: " + ", ".join(f"{n} {reason}" for reason, n in reasons.items()))
    if (twice := following.twice).items:
        say(f"{twice.items} items have two answers, {twice.same} of them the same ({twice.same / twice.items:.1%})")
        if twice.similarity is not None:
            say(f"{twice.fixed} of these were fixed twice: the texts are {twice.similarity:.1%} alike by characters")
        say("where two differ: a rejection or flag keeps the item out, as it was goes before a fix, and of two fixes")
        say("  the earlier one goes on")
    if UNANSWERED in reasons:
        say("what is unanswered stays out of this plan: collect first and plan another campaign if you need it")


def _report(campaign: Campaign, rows: pd.DataFrame, people: pd.DataFrame, version: int | None) -> None:
    loads = rows["annotator"].value_counts()
    if version is None:
        say(f"campaign {campaign.name} is planned already: {len(rows)} assignments, nothing added")
    else:
        n_pairs = rows.loc[rows["kind"] == "work", "pair_id"].nunique()
        checks = rows.loc[rows["kind"] != "work", "kind"].value_counts().sort_index()
        say(f"{len(rows)} assignments of {n_pairs} pairs written to {campaign.store.address}/assignments")
        least, most = loads.min(), loads.max()
        span = quantity(int(most), "pair") if least == most else f"{least} to {most} pairs"
        say(
            f"{len(loads)} annotators, {span} each; their accounts: "
            f"{accounts.accounts_path(campaign.store.root, campaign.study)} (readable by you alone)"
        )
        if len(checks):
            say("mixed in, not voting: " + ", ".join(f"{n} {kind}" for kind, n in checks.items()))
    idle = int((~people["role"].isin(WORKING_ROLES)).sum())
    if idle:
        say(f"{idle} non-experts are recorded but get no pairs")
    if server.status(campaign.store.root / "server") is None:
        say_next("python -m annotation server start", "--store", campaign.store.address)
    say_steps(campaign.store, campaign.name)
