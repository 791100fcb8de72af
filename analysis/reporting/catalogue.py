"""Every figure of a report as plain data, and what each counts; pure.

The report's JSON (`parade-report/1`) is one object:

    simulated   true if any rating is simulated
    notices     sentences to read before any figure
    source      what is shown: kind ("store" or "released"), title, and for a store campaign, method, scheme, as_of
    called      what the two sides of the vote are called (`wording.Sides`)
    next        commands to run next
    tables      the versions of the tables shown (`from_store`) or the files with their digests
    missing     name -> why a figure is null
    figures     name -> {value, counts, shape, tables, again}: the value (null: see `missing`), what it counts, the
                function or class whose docstring describes it, the tables that it is counted from, the
                command that makes those tables

The same tables give the same bytes.
"""

import shlex
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.reporting.explorer import Provenance
from analysis.splitting import leaks
from analysis.statistics import agreement, answers, contradictions, examples, lexical, order_effect, transitivity
from analysis.statistics.wording import PARADE, VoteNames, name_sides, real
from data.contract.questions import Question
from data.labelled.dataset import Dataset
from data.labelled.sources import WRITTEN_BY
from data.measures.ballots import in_random_part
from data.measures.rules import ScoringRule

FORMAT = "parade-report/1"
EXAMPLES, SEED = 3, 1
"""Examples of each kind, and the seed of their draw."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What a figure counts."""

    counts: str
    """What it counts, in words."""
    shape: str
    """The function or class whose docstring describes the value."""
    tables: tuple[str, ...] = ("labels", "pairs")
    """The tables that it is counted from."""
    again: str = "python -m annotation adjudicate"
    """The command that makes the last of those tables."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """Labelled pairs and all that is known of how they came to be; None where nothing is known."""

    pairs: Dataset
    source: dict[str, Any]
    """What is shown: kind ("store" or "released"), title; of a store also store, campaign, method, scheme, as_of."""
    tables: list[dict[str, Any]]
    """The versions of the tables, or the files with their digests."""
    reasons: dict[str, str]
    """Why a figure has no value, by figure."""
    simulated: str | None = None
    """What to say at the top if any rating is simulated."""
    notices: list[str] = field(default_factory=list)
    """What else to read before any figure."""
    values: dict[str, Any] = field(default_factory=dict)
    """The values of the figures that follow from other tables than the pairs': `flow`, `question`, `answers`, `scores`,
    `basis` (see `derivation.describe`; from a store also the agreement of raters, see `from_store`) and `annotators`:
    `people` (annotator, role, level, state, verdict), `measures` (the rows of `quality`), `copying` (its rows)."""
    votes: pd.DataFrame | None = None
    """The single votes that count: pair_id, vote, flipped."""
    ratings: pd.DataFrame | None = None
    """The latest rating of each assignment that was answered and votes: pair_id, annotator, score, comment,
    replaced_in."""
    called: VoteNames = PARADE
    """What the sides of the vote are called."""
    meaningless: dict[str, str] = field(default_factory=dict)
    """The figures that mean nothing for this question, and why."""
    random_part: pd.DataFrame | None = None
    """The votes of the random part (`ballots.count_at_random`); None where all pairs are of it."""
    first_votes: pd.DataFrame | None = None
    """The votes before any was replaced: pair_id, vote, replaced."""
    predictions: dict[str, dict[int, NDArray[np.float64]]] = field(default_factory=dict)
    """By model and seed, the score of each pair, NaN where it has none."""
    attacks: pd.DataFrame | None = None
    """The attempts of attacks on models that began with these pairs: rows of the table `attacks`."""
    measures: pd.DataFrame | None = None
    """Rows of `pair_measures` of a set whose texts were made from one another."""
    provenance: Provenance | None = None
    """The cards of some definitions."""


CATALOGUE: dict[str, About] = {
    "flow": About(
        counts="rows that came out of each stage, and rows dropped there by reason",
        shape="analysis.statistics.funnel.trace",
        tables=("terms", "cards", "sightings", "definitions", "pairs", "assignments", "ratings", "labels", "rejects"),
        again="python -m data",
    ),
    "question": About(
        counts="what annotators were shown and asked",
        shape="analysis.statistics.answers.introduce",
        tables=("campaigns",),
        again="python -m annotation plan",
    ),
    "answers": About(
        counts="the declared answers: how often each was given, the labels, and how far annotators agree, by control",
        shape="analysis.statistics.answers.describe",
        tables=("labels", "quality"),
        again="python -m annotation quality",
    ),
    "basis": About(
        counts="the campaigns that the labels rest on, the labels by what decided them, and how often raters "
        "contradict labels by rule (95 % Wilson intervals)",
        shape="analysis.statistics.derivation.describe",
        tables=("labels", "ratings", "answers", "campaigns"),
    ),
    "size": About(counts="pairs, their entities and their texts", shape="analysis.statistics.lexical.measure_size"),
    "labels": About(counts="pairs by label", shape="analysis.statistics.agreement.describe_labels", tables=("labels",)),
    "selections": About(
        counts="labels, and how far the votes agree, by how the pairs were chosen; 95 % intervals from drawing groups",
        shape="analysis.statistics.agreement.describe_selections",
    ),
    "votes": About(
        counts="pairs by votes for “paraphrase”", shape="analysis.statistics.agreement.count_votes", tables=("labels",)
    ),
    "scores": About(
        counts="single ratings that count, by score 0, 1, 2, 3",
        shape="analysis.statistics.answers.sum_scores",
        tables=("labels",),
    ),
    "agreement": About(
        counts="how far the votes on a pair agree, now and before any was replaced",
        shape="analysis.statistics.agreement.agree",
        tables=("labels", "ratings", "assignments"),
    ),
    "calibration": About(
        counts="votes of the random part that were held out, by tenths of the chance that the other votes give them",
        shape="analysis.statistics.agreement.calibrate",
        tables=("labels", "ratings", "assignments"),
    ),
    "annotators": About(
        counts="measures of each annotator, by pseudonym and round; round 0 is all rounds together",
        shape="analysis.reporting.catalogue.Content",
        tables=("quality", "verdicts", "copying", "annotators"),
        again="python -m annotation quality",
    ),
    "lengths": About(counts="words per text", shape="analysis.statistics.lexical.measure_lengths"),
    "overlap": About(
        counts="the Jaccard overlap of the stems (in English Porter’s) of the two texts, without stop words and "
        "punctuation, by label and by votes",
        shape="analysis.statistics.lexical.describe_overlap",
    ),
    "likeness": About(
        counts="how far the two texts of a pair are alike, by how the pair was made",
        shape="analysis.statistics.lexical.describe_likeness",
        tables=("labels", "pairs", "pair_measures"),
    ),
    "entity_named": About(
        counts="pairs with the whole name of the entity in one of the definitions",
        shape="analysis.statistics.lexical.count_named",
    ),
    "splits": About(
        counts="pairs, entities, labels, votes and agreement of each split",
        shape="analysis.statistics.agreement.describe_splits",
        tables=("labels", "pairs", "splits"),
        again="python -m analysis.splits",
    ),
    "leakage": About(
        counts="what a split shares with those before it",
        shape="analysis.splitting.leaks.compare_splits",
        tables=("pairs", "splits"),
        again="python -m analysis.splits",
    ),
    "shortcuts": About(
        counts="what one signal alone tells of the label, as AUC; 95 % intervals from drawing groups",
        shape="analysis.evaluation.shortcuts.find_shortcuts",
        tables=("labels", "pairs", "pair_measures"),
        again="python -m analysis.leakage --store STORE --shortcuts",
    ),
    "baselines": About(
        counts="what models without meaning reach, and yours, on the last split; 95 % intervals from drawing groups",
        shape="analysis.evaluation.baselines.judge_all",
        tables=("predictions", "labels", "splits"),
        again="python -m analysis.baselines",
    ),
    "attacks": About(
        counts="accuracy of attacked models on originals and on the pairs made of them until the model was wrong; 95 % "
        "Wilson intervals",
        shape="data.labelled.robustness.summarise",
        tables=("attacks",),
        again="python -m identification attack",
    ),
    "alignments": About(
        counts="how models read chosen pairs: which words they align, or what leaving out each word does to the score",
        shape="analysis.reporting.alignments.describe",
        tables=(),
        again="python -m identification align RUN",
    ),
    "graph": About(counts="texts connected by pairs", shape="analysis.statistics.transitivity.describe_graph"),
    "triangles": About(counts="triangles of labelled pairs", shape="analysis.statistics.transitivity.count_triangles"),
    "equal_texts": About(
        counts="pairs whose two texts also form another pair, and how many of them are labelled differently there",
        shape="analysis.statistics.contradictions.count_equal_texts",
    ),
    "sides": About(
        counts="votes that count, by which text the annotator saw first",
        shape="analysis.statistics.order_effect.compare",
        tables=("ratings", "assignments"),
        again="python -m annotation collect",
    ),
    "shared_definitions": About(
        counts="texts that define more than one entity",
        shape="analysis.statistics.transitivity.count_shared_definitions",
    ),
    "examples": About(counts="pairs of each kind", shape="analysis.statistics.examples.choose"),
}
"""The figures of a report, in the order of the page."""


OPTIONAL = ("selections", "attacks", "alignments", "basis", "likeness", "shortcuts", "calibration")
"""The figures that a report has only on request, where there is more than one selection or an attack, for a derived
set, or where single votes are known."""


def show_question(question: Question, described: list[dict[str, Any]] | None) -> dict[str, Any]:
    """The fields of Content that the question and the value of `answers.describe` determine."""
    if not question.is_asked:
        return {}
    return {
        "values": {"question": answers.introduce(question), "answers": described},
        "called": name_sides(question),
        "meaningless": _find_meaningless(question),
    }


def _find_meaningless(question: Question) -> dict[str, str]:
    """The figures that mean nothing for the question, and why."""
    of_votes = ("votes", "agreement", "sides", "triangles", "equal_texts", "baselines")
    if question.vote is None:
        return dict.fromkeys(("scores", *of_votes), f"no answer to the question {question.name} is a vote")
    found = {"scores": "see the answers by control"}
    if not question.is_about_pairs:
        found |= dict.fromkeys(("triangles", "equal_texts", "sides"), "the question shows one text, not a pair")
    return found


def show_derived(basis: dict[str, Any]) -> dict[str, Any]:
    """The fields of Content that a set has whose labels rest on other campaigns."""
    names = [row["campaign"] for row in basis["campaigns"]]
    see = f"see the report of {' or '.join(names)} (--campaign NAME)" if names else "these pairs were not rated"
    reasons = {
        "agreement": "pairs are kept because their raters agree, so agreement on them says nothing; see what the "
        "labels rest on",
        "annotators": f"they are measured in each campaign: {see}",
        "answers": f"each campaign has its own: {see}",
        "scores": f"each campaign has its own: {see}",
    }
    return {
        "values": {"basis": basis},
        "meaningless": reasons | ({} if names else {"sides": see, "votes": see, "question": see}),
    }


def describe(content: Content) -> dict[str, Any]:
    """The values of all figures that the content determines; figures of pairs are left out if there is no pair."""
    basis = content.values.get("basis")
    values = content.values | {"sides": None if content.votes is None else order_effect.compare(content.votes)}
    if not len(content.pairs):
        values = {name: value for name, value in values.items() if name not in ("scores", "answers", "basis")}
    else:
        values["baselines"] = _judge(content)
        values |= describe_pairs(content.pairs, content.called, content.random_part)
        if content.votes is not None and "agreement" not in content.meaningless:
            foretold = agreement.calibrate(content.votes)
            values |= {"calibration": foretold} if foretold else {}
        selections = agreement.describe_selections(content.pairs, content.random_part)
        values |= {"selections": selections} if selections else {}
        values |= _summarise_attacks(content)
        if content.first_votes is not None:
            values["agreement"]["at_first"] = agreement.agree_at_first(content.pairs.frame, content.first_votes)
        values |= _describe_derived(content) if basis else {}
    if "agreement" in content.meaningless:
        for part in (*(values.get("splits") or {}).values(), *(values.get("selections") or [])):
            part.update(dict.fromkeys(agreement.FLEISS))
    return values | dict.fromkeys(content.meaningless)


def _summarise_attacks(content: Content) -> dict[str, Any]:
    """The figures that only a set has that models were attacked on."""
    if content.attacks is None or content.attacks.empty:
        return {}
    from data.labelled import robustness

    return {"attacks": robustness.summarise(content.attacks)}


def _describe_derived(content: Content) -> dict[str, Any]:
    """The figures that only a set has whose labels rest on other campaigns."""
    if content.measures is None:
        return {}
    from analysis.evaluation.shortcuts import find_shortcuts

    likeness = lexical.describe_likeness(content.pairs, content.measures)
    return {"likeness": likeness, "shortcuts": find_shortcuts(content.pairs, content.measures)}


def describe_pairs(pairs: Dataset, called: VoteNames = PARADE, part: pd.DataFrame | None = None) -> dict[str, Any]:
    """The values of the figures that labelled pairs determine; figures of splits are None if no pair is in one.

    `part`: the votes of the random part, where there is one. Agreement and the share of votes are then measured there:
    elsewhere the number of votes depends on what they say.
    """
    at_random = in_random_part(pairs.frame, part)
    of_votes = {} if part is None else {"votes": agreement.share_votes(at_random)}
    return {
        "labels": agreement.describe_labels(pairs) | of_votes,
        "votes": agreement.count_votes(pairs),
        "agreement": agreement.agree(at_random),
        "splits": agreement.describe_splits(pairs, part) if pairs.is_split else None,
        "size": lexical.measure_size(pairs),
        "lengths": lexical.measure_lengths(pairs),
        "overlap": lexical.describe_overlap(pairs),
        "entity_named": lexical.count_named(pairs),
        "leakage": leaks.compare_splits(pairs) if pairs.is_split else None,
        "graph": transitivity.describe_graph(pairs),
        "triangles": transitivity.count_triangles(pairs),
        "shared_definitions": transitivity.count_shared_definitions(pairs),
        "equal_texts": contradictions.count_equal_texts(pairs),
        "examples": examples.choose(pairs, EXAMPLES, SEED, called),
    }


def _judge(content: Content) -> list[dict[str, Any]] | None:
    if not content.predictions:
        return None
    from analysis.evaluation import baselines

    runs = {model: list(by_seed.values()) for model, by_seed in content.predictions.items()}
    return baselines.judge_all(content.pairs, runs, ScoringRule()) or None


RANDOM_PART = (
    "Agreement and the share of votes are measured on the random part, {n:,} pairs of which all raters were asked. "
    "Elsewhere further raters were asked where an answer could help, so the number of votes depends on the answers."
)


def compose(content: Content, values: dict[str, Any], steps: list[str]) -> dict[str, Any]:
    """The report with every figure of CATALOGUE, null where it has no value; `steps`: the commands to run next."""
    reasons = content.reasons | content.meaningless
    simulated = [content.simulated] if content.simulated else []
    at_random = [] if content.random_part is None else [RANDOM_PART.format(n=len(content.random_part))]
    return {
        "format": FORMAT,
        "notices": [*simulated, *content.notices, *at_random, *_say_replaced(values)],
        "simulated": bool(simulated),
        "source": content.source,
        "called": asdict(content.called),
        "next": steps,
        "tables": content.tables,
        "missing": {name: reasons[name] for name in CATALOGUE if values.get(name) is None and name not in OPTIONAL},
        "figures": {
            name: {"value": values.get(name)} | asdict(about) | {"tables": list(about.tables)} | _origin(name, content)
            for name, about in CATALOGUE.items()
            if name not in OPTIONAL or name in values
        },
    }


def _say_replaced(values: dict[str, Any]) -> list[str]:
    """How far answers agreed before some were replaced, where some were."""
    after = values.get("agreement")
    if not after or not after["at_first"]:
        return []
    before = after["at_first"]
    was, is_now = (real(one["fleiss_kappa"], of=one["pairs"]) for one in (before, after))
    return [
        f"Answers were replaced: other annotators’ answers took the place of {before['replaced']:,} of the first "
        f"{before['answers']:,}. Fleiss’ κ was {was} before that and is {is_now} now."
    ]


def _origin(name: str, content: Content) -> dict[str, Any]:
    """Where a figure of files comes from: they take the place of the tables."""
    if (
        content.source["kind"] == "store"
        and content.values.get("basis") is not None
        and CATALOGUE[name].again == About.again
    ):
        return {"again": f"python -m {WRITTEN_BY[content.source['method']]}"}
    if content.source["kind"] == "store" or name in OPTIONAL:
        return {}
    folder, files = shlex.quote(content.source["folder"]), [file["table"] for file in content.tables]
    return {"tables": files, "again": f"python -m analysis.report --dataset {folder}"}
