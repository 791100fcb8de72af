"""Every figure of a report as plain data, and what each counts; pure.

The report's JSON (`parade-report/1`) is one object:

    simulated   true if any rating is a simulated annotator's
    notices     sentences to read before any figure
    source      what is shown: kind ("store" or "released"), title, and for a store campaign, method, scheme, as_of
    next        commands to run next
    tables      the versions of the tables shown (`Snapshot.tables`) or the published files with their digests
    figures     name -> {value, counts, shape, tables, again}: the value (null: see `missing`), what it counts, the
                function of this room whose docstring tells its shape, the tables it is counted from, the command
                that makes those
    missing     name -> why a figure is null

CATALOGUE holds the names and their meaning. The same tables give the same bytes.
"""

import shlex
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from analysis.config import ReportRule
from analysis.splitting import entities, leaks
from analysis.statistics import agreement, contradictions, examples, lexical, transitivity
from analysis.statistics.lexical import measure_size
from data import similarity

FORMAT = "parade-report/1"


@dataclass(frozen=True, kw_only=True)
class About:
    """What a figure counts."""

    counts: str
    """What, in words."""
    shape: str
    """The function whose docstring tells the value's shape."""
    tables: tuple[str, ...] = ("labels", "pairs")
    """The tables that it is counted from."""
    again: str = "python -m annotation adjudicate"
    """The command that makes the last of them."""


CATALOGUE: dict[str, About] = {
    "flow": About(
        counts="rows that came out of each stage, and rows dropped there by reason",
        shape="flow.trace",
        tables=("terms", "cards", "sightings", "definitions", "pairs", "assignments", "ratings", "labels", "rejects"),
        again="python -m data",
    ),
    "size": About(counts="pairs, their entities, and the definitions in them", shape="facts.measure_size"),
    "labels": About(counts="pairs by label", shape="votes.describe_labels", tables=("labels",)),
    "votes": About(counts="pairs by votes for “paraphrase”", shape="votes.count_votes", tables=("labels",)),
    "scores": About(
        counts="single ratings that count, by their score 0, 1, 2, 3", shape="gather.count_scores", tables=("labels",)
    ),
    "agreement": About(counts="how far the votes of a pair agree", shape="votes.agree", tables=("labels",)),
    "annotators": About(
        counts="measures of each annotator, by pseudonym and round; round 0 is all rounds together",
        shape="gather.describe_annotators",
        tables=("quality", "verdicts", "annotators"),
        again="python -m annotation quality",
    ),
    "lengths": About(counts="words a definition", shape="texts.measure_lengths"),
    "overlap": About(
        counts="Jaccard overlap of the two definitions' Porter stems, without stop words and punctuation, by label and "
        "by votes",
        shape="texts.describe_overlap",
    ),
    "entity_named": About(
        counts="pairs with the entity's whole name in one of the definitions", shape="texts.count_named"
    ),
    "beside": About(
        counts="the same overlap in other data sets",
        shape="gather_files.set_beside",
        tables=(),
        again="python -m analysis.report --beside DATASET",
    ),
    "splits": About(
        counts="pairs, entities, labels, votes and agreement of each split",
        shape="votes.describe_splits",
        tables=("labels", "pairs", "splits"),
        again="python -m analysis.splits",
    ),
    "leakage": About(
        counts="what a split shares with those before it",
        shape="leaks.compare_splits",
        tables=("pairs", "splits"),
        again="python -m analysis.splits",
    ),
    "baselines": About(
        counts="what models without meaning reach, and yours, on the last split; intervals (95 %) by groups",
        shape="scored.judge_all",
        tables=("predictions", "labels", "splits"),
        again="python -m analysis.baselines",
    ),
    "graph": About(counts="definitions joined by pairs", shape="triangles.describe_graph"),
    "triangles": About(counts="triangles of labelled pairs", shape="triangles.count_triangles"),
    "equal_texts": About(
        counts="pairs whose two texts stand in another pair too, and how many of them have another label there",
        shape="contradictions.count_equal_texts",
    ),
    "sides": About(
        counts="votes that count by the text that stood first on the annotator’s page",
        shape="sides.compare",
        tables=("ratings", "assignments"),
        again="python -m annotation collect",
    ),
    "shared_definitions": About(
        counts="texts that stand under more than one entity", shape="triangles.count_shared_definitions"
    ),
    "comparison": About(
        counts="the main figures beside those of another data set or day",
        shape="comparison.compare",
        again="python -m analysis.report --compare OTHER",
    ),
    "examples": About(counts="pairs of each kind", shape="examples.choose"),
}
"""The figures of a report, in the order of the page."""


OPTIONAL = ("beside", "comparison")
"""The figures that are there only where they are asked for."""


def describe(frame: pd.DataFrame, rule: ReportRule, synonyms: entities.Synonyms) -> dict[str, Any]:
    """The figures of one data set (see `data.labelled.frame`); those of splits are None where no pair is in one.

    `synonyms`: those that the split was made with.
    """
    overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
    is_split = bool(frame["split"].notna().any())
    return {
        "size": measure_size(frame),
        "labels": agreement.describe_labels(frame),
        "votes": agreement.count_votes(frame),
        "agreement": agreement.agree(frame),
        "lengths": lexical.measure_lengths(frame),
        "overlap": lexical.describe_overlap(frame, overlap),
        "entity_named": lexical.count_named(frame),
        "splits": agreement.describe_splits(frame) if is_split else None,
        "leakage": leaks.compare_splits(frame, rule.near_overlap, synonyms) if is_split else None,
        "graph": transitivity.describe_graph(frame),
        "triangles": transitivity.count_triangles(frame),
        "equal_texts": contradictions.count_equal_texts(frame),
        "shared_definitions": transitivity.count_shared_definitions(frame),
        "examples": examples.choose(frame, overlap, rule.examples, rule.seed),
    }


def compose(
    values: dict[str, Any], missing: dict[str, str], head: dict[str, Any], notices: list[str]
) -> dict[str, Any]:
    """The report: `head` (simulated, source, next, tables) with every figure of CATALOGUE, null where it is missing."""
    figures = {
        name: {"value": values.get(name)} | asdict(about) | {"tables": list(about.tables)} | _origin(name, head)
        for name, about in CATALOGUE.items()
        if name not in OPTIONAL or name in values
    }
    return {"format": FORMAT, "notices": notices} | head | {"missing": missing, "figures": figures}


def _origin(name: str, head: dict[str, Any]) -> dict[str, Any]:
    """Where a figure of files comes from: they take the place of the tables."""
    source = head["source"]
    if source["kind"] == "store" or name in ("beside", "comparison"):
        return {}
    folder, files = shlex.quote(source["folder"]), [one["table"] for one in head["tables"]]
    ours = name == "baselines"
    command = f"analysis.baselines {folder} --json FILE" if ours else f"analysis.report --dataset {folder}"
    return {"tables": files, "again": f"python -m {command}"}
