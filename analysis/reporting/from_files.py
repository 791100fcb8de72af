"""The report of a data set outside a store: the published files, a release, any files of pairs."""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.config import ReportRule
from analysis.datasets import releases
from analysis.datasets.sources import Source
from analysis.reporting import catalogue
from analysis.reporting.content import Gathered, count_scores, records, warn
from analysis.statistics import funnel, lexical, order_effect, recount
from data import similarity
from data.vocabulary import SIMULATED

TITLES = {"published": "PARADE as published", "pairs": "Pairs of texts"}


def from_source(source: Source, rule: ReportRule) -> Gathered:
    """The report of a data set outside a store (see `analysis.datasets.sources`)."""
    values = catalogue.describe(source.frame, rule, source.synonyms)
    release = releases.read(source.path) if source.kind == "release" else None
    tables = release.tables if release else {}
    simulated = None
    if release and "ratings" in tables:
        ratings = recount.last(tables["ratings"])
        simulated = warn(ratings[ratings["role"] == SIMULATED], ratings)
        values |= describe_release(tables, ratings, recount.Rule(**release.facts["rule"]))
    why = "these files hold no single ratings and nothing of the stages before the labels"
    missing = {name: why for name in catalogue.CATALOGUE if values.get(name) is None and name not in catalogue.OPTIONAL}
    missing["baselines"] = "give --baselines FILE, written by `python -m analysis.baselines DATASET --json FILE`"
    head = {
        "simulated": bool(simulated),
        "source": {
            "kind": "released",
            "title": release.said["title"] if release else TITLES[source.kind],
            "folder": str(source.path),
        },
        "next": [],
        "tables": source.tables,
    }
    return Gathered(
        values=values,
        missing=missing,
        head=head,
        notices=[simulated] if simulated else [],
        frame=source.frame,
        provenance=tables.get("provenance"),
    )


def describe_release(tables: dict[str, pd.DataFrame], ratings: pd.DataFrame, rule: recount.Rule) -> dict[str, Any]:
    """The figures that a release's own tables add; `ratings`: the last of each assignment."""
    counted = recount.standing(ratings)
    votes = counted.assign(vote=(counted["score"] >= rule.paraphrase_from).astype("int64"))
    people = {"people": records(tables["annotators"]), "measures": records(tables["quality"])}
    return {
        "flow": funnel.list_flow(tables["flow"]),
        "annotators": people if len(tables["quality"]) else None,
        "scores": count_scores(tables["pairs"]),
        "sides": order_effect.compare(votes),
    }


def set_beside(sources: list[Source]) -> list[dict[str, Any]]:
    """The overlap of other data sets, in their order: name, pairs, and the value of `texts.describe_overlap`."""
    found = []
    for source in sources:
        frame = source.frame
        overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
        found.append({"name": _name(source.path), "pairs": len(frame)} | lexical.describe_overlap(frame, overlap))
    return found


def _name(path: Path) -> str:
    """The data set's name: that of its folder or file, without what says how it is written."""
    return re.sub(r"[_.-]+$", "", re.sub(r"(\.(txt|tsv|csv|json|gz))+$", "", path.resolve().name)) or str(path)
