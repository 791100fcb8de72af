"""The command `pilot`: everybody labels the same pairs, then discusses a sheet, which yields gold and examples."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from annotation.assignment import pilot
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.arms import SamePairs, plan_pilot, sample_unplanned
from annotation.campaign.planning.plan import read_pairs, read_people, read_question
from annotation.campaign.texts import answers_in_words, read_shown_texts
from annotation.config import MIN_LABELS
from annotation.files import render
from annotation.questions.answers import join_or
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit, Positional
from data.console.messages import figure, quantity, say, say_next
from data.contract.tables.labels import Labels
from data.contract.vocabulary import DISCUSSION, EVERYBODY, EXAMPLE, ONE_SIDED, PILOT
from data.files.sheets import read_sheet, whole_numbers
from data.files.spreadsheet_cells import unguard, without_formulas
from data.files.whole import keep_other, write_whole
from data.guidance.next_steps import say_steps
from data.measures.ballots import latest
from data.measures.rules import QualityRule

USUAL_PAIRS = 50


@dataclass(frozen=True, kw_only=True)
class PlanPilot(OfCampaign):
    """Give everybody the same pairs, each in their own order, as campaign NAME-pilot; `plan` leaves these pairs out."""

    annotators: int | Path
    """A number of annotators, or the sheet of people that `plan` will be given."""

    pairs: Limit[int | None] = None
    """The number of pairs that everybody labels: by default 50, but at most half of the pairs."""

    generator: str | None = None
    """The generator of the pairs; may be left out where the table `pairs` has only one."""

    question: str | None = None
    """The question that `plan` will be given: the name of a shipped one (default: parade, in the language of the pairs
    if it comes in that language), or a folder."""

    show_entity: bool = True
    """Show the entity above the two definitions."""

    seed: int = 1
    """Seed of the sample, order and sides."""


@dataclass(frozen=True, kw_only=True)
class Report(OfCampaign):
    """Show agreement and times of the pilot, and write the pairs with split votes as a sheet to discuss."""

    out: Path
    """The folder for discussion.html (to print) and discussion.csv (to fill in)."""


@dataclass(frozen=True, kw_only=True)
class Settle(OfCampaign):
    """Read the scores that the discussion settled: gold for `plan`, and examples for the guide."""

    sheet: Positional[Path]
    """The completed discussion.csv: rows without a score stay unsettled."""

    examples: int = 8
    """The number of settled pairs that become examples, two per score by default; the others are gold."""

    guide: Path = Path("guide.md")
    """The file for the guide with the examples, for `annotation guide`."""


def _plan(arguments: PlanPilot) -> None:
    campaign = Campaign(arguments).arm_of_study(PILOT)
    pair_ids, generator = read_pairs(campaign, arguments.generator)
    people = read_people(arguments.annotators, campaign)
    wanted = min(USUAL_PAIRS, max(len(pair_ids) // 2, 1)) if arguments.pairs is None else arguments.pairs
    pairs = SamePairs(
        pair_ids=sample_unplanned(campaign, pair_ids, wanted, arguments.seed),
        generator=generator,
        wanted=wanted,
        show_entity=arguments.show_entity,
        question=read_question(campaign, arguments.question),
        seed=arguments.seed,
    )
    n_people = plan_pilot(campaign, people, pairs)
    say(f"{n_people} annotators label the same {len(pairs.pair_ids)} pairs, as campaign {campaign.name}")
    say_steps(campaign.store, campaign.name)


def _report(arguments: Report) -> None:
    from data.measures.annotators import assess

    campaign = Campaign(arguments).arm_of_study(PILOT)
    campaign.require_ratings()
    rule = campaign.vote_rule
    measures = assess(campaign.ballots, QualityRule(paraphrase_from=rule.lowest_yes), campaign.classes)
    says_nothing = measures["reason"].eq(ONE_SIDED)
    measures = measures.assign(value=measures["value"].mask(says_nothing))
    values = measures[measures["round"] == 1].set_index(["annotator", "measure"])["value"]
    ratings = latest(campaign.ratings)
    said = ratings[["assignment_id", "comment"]]
    said = said.assign(words=said["assignment_id"].map(answers_in_words(campaign)))
    sheet = pilot.discuss(campaign.ballots, read_shown_texts(campaign), said, rule, campaign.classes)
    timed = ratings.merge(campaign.assignments[["assignment_id", "annotator"]]).groupby("annotator")["seconds"]
    people = [
        {"annotator": str(name), "n": len(part), "seconds": f"{part.median():.0f}" if part.notna().any() else "–",
         "kappa": figure(values.get((name, "kappa_left_out")))}
        for name, part in timed
    ]  # fmt: skip
    split = sheet[~sheet["votes"].isin([0]) & (sheet["votes"] != sheet["n_votes"])]
    figures = {
        "campaign": arguments.campaign, "people": people, "n_pairs": len(sheet), "guide": campaign.guide.version,
        "pairs": split.to_dict("records"), "fleiss": figure(values.get((EVERYBODY, "fleiss_kappa"))),
        "alpha": figure(values.get((EVERYBODY, "alpha_scores"))), "question": campaign.question,
        "n_simulated": campaign.n_simulated,
    }  # fmt: skip
    write_whole(arguments.out / "discussion.html", render("discussion.html", figures))
    write_whole(arguments.out / "discussion.csv", without_formulas(sheet).to_csv(index=False))
    answers = "scores" if campaign.question.scale else "answers"
    say("annotator  pairs  seconds per pair  kappa with the others")
    for person in people:
        say(f"{person['annotator']:<9}  {person['n']:>5}  {person['seconds']:>16}  {person['kappa']:>21}")
    say(f"Fleiss' kappa {figures['fleiss']}, Krippendorff's alpha of the {answers} {figures['alpha']}")
    say(f"{len(split)} of {len(sheet)} pairs have split votes: discuss {arguments.out}/discussion.html")
    say(f"fill in score and reason: {arguments.out}/discussion.csv")
    flags = campaign.arm_of_study().flags
    if len(sheet) >= MIN_LABELS:
        say(f"what labels the other pairs will bring: python -m annotation mix {shlex.join(flags)}")
    say_next("python -m annotation pilot settle", arguments.out / "discussion.csv", *flags)


def _settle(arguments: Settle) -> None:
    campaign = Campaign(arguments).arm_of_study(PILOT)
    require_at_least("--examples", arguments.examples, 0)
    rule, codes = campaign.vote_rule, campaign.require_vote().codes
    sheet, n_open = _settled(arguments.sheet, set(campaign.assignments["pair_id"]), codes)
    labels = pilot.settle(sheet, arguments.examples, rule, campaign.classes)
    labels = labels.assign(campaign=campaign.name, control=campaign.question.first.name)
    with campaign.alone():
        manifest = campaign.manifest("pilot-settle", rule, counts={"settled": len(labels)})
        campaign.store.replace(Labels, labels, manifest, campaign=campaign.name, method=DISCUSSION)
    examples = sheet[sheet["pair_id"].isin(labels.loc[labels["decided_by"] == EXAMPLE, "pair_id"])]
    guide = campaign.guide
    text = pilot.with_examples(guide.text, guide.version, examples)
    if kept := keep_other(arguments.guide, text):
        say(f"another {arguments.guide} was there: it is kept as {kept}")
    write_whole(arguments.guide, text)
    if n_open:
        say(f"{quantity(n_open, 'pair')} with split votes still without a score: fill in, and settle again")
    say(f"{len(labels)} pairs are settled: {len(examples)} examples for the guide, {len(labels) - len(examples)} gold")
    say(f"the guide with the examples, to read and edit: {arguments.guide}")
    say_next("python -m annotation guide", arguments.guide, *campaign.arm_of_study().flags)


def _settled(path: Path, known: set[str], codes: dict[str, int]) -> tuple[pd.DataFrame, int]:
    """The rows with an answer (`value`) and its number (`score`), and how many with split votes have none.

    Raises InputError for a pair that is not the pilot's or an answer that is not declared (`codes`).
    """
    sheet = read_sheet(path, "the completed discussion.csv", remedy="correct the sheet and settle again")
    sheet.require_columns(["pair_id", "score", "votes", "n_votes", "entity", "definition1", "definition2", "reason"])
    scores = whole_numbers(sheet.rows["score"])
    sheet.require_rows(sheet.rows["pair_id"].isin(known), "a pair of the pilot", sheet.rows["pair_id"])
    sheet.require_rows(scores.isin(["", *codes]), f"a score of {join_or(list(codes))}, or none", scores)
    counts = {name: whole_numbers(sheet.rows[name]) for name in ("votes", "n_votes")}
    for name, cells in counts.items():
        sheet.require_rows(cells.str.fullmatch(r"\d+"), f"{name} as `pilot report` wrote it", cells.map(repr))
    texts = {name: unguard(sheet.rows[name]) for name in ("entity", "definition1", "definition2")}
    texts |= {"value": scores} | counts
    votes, n_votes = (cells.astype("int64") for cells in counts.values())
    n_open = int(((scores == "") & (votes > 0) & (votes < n_votes)).sum())
    rows = sheet.rows.assign(score=scores.map(codes), **texts)[scores != ""].reset_index(drop=True)
    if rows.empty:
        raise InputError(path, expected="scores of settled pairs", found="no score at all", remedy=sheet.remedy)
    return rows.astype({"score": "int64", "votes": "int64", "n_votes": "int64"}), n_open


VERBS = {"plan": _plan, "report": _report, "settle": _settle}
