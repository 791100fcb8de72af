"""What a report of a data set outside a store is made from: the published files, a release, any files of pairs."""

from functools import partial
from typing import Any

import pandas as pd

from analysis.datasets.ratings import Votes, of_release, warn_of_simulated
from analysis.reporting.catalogue import CATALOGUE, Content, show_derived, show_question
from analysis.statistics import answers, derivation, funnel
from analysis.statistics.examples import records
from data.contract.licences import DECK
from data.labelled.dataset import Dataset
from data.labelled.releases import Release

TITLES = {"published": "PARADE as published", "pairs": "Pairs of texts"}
REASONS = dict.fromkeys(CATALOGUE, "these files have no single ratings and nothing of the stages before the labels") | {
    "baselines": "run `python -m analysis.baselines`: it prints them"
}


def read(dataset: Dataset) -> Content:
    """The content of a data set outside a store (see `data.labelled.sources`)."""
    title = dataset.release.statements["title"] if dataset.release else TITLES[dataset.kind]
    return Content(
        pairs=dataset,
        source={"kind": "released", "title": title, "folder": str(dataset.path)},
        tables=list(dataset.versions),
        reasons=REASONS,
        **(_read_release(dataset.release) if dataset.release else {}),
    )


def _read_release(release: Release) -> dict[str, Any]:
    """The fields of Content that only a release has, as far as it comes from a store."""
    tables = release.tables
    provenance = None
    if "sources" in tables and "provenance" in tables:
        cards = tables["provenance"].merge(tables["sources"][[*DECK, "licence"]], on=DECK, how="left")
        provenance = partial(_of_definitions, cards)
    flow = {"flow": funnel.list_flow(tables["flow"])} if "flow" in tables else {}
    basis = derivation.describe(tables)
    if basis is not None:
        shown = show_derived(basis)
        return shown | {"provenance": provenance, "values": flow | shown["values"]}
    question = release.question
    votes = of_release(tables, release.rule, question)
    shown = show_question(question, answers.of_release(question, tables) if question.is_asked else None)
    values = flow | shown.get("values", {}) | (_describe_campaign(tables) if votes else {})
    return shown | {"provenance": provenance, "values": values} | (_read_votes(votes) if votes else {})


def _of_definitions(cards: pd.DataFrame, ids: "pd.Series[str]") -> pd.DataFrame:
    return cards[cards["definition_id"].isin(ids)]


def _describe_campaign(tables: dict[str, pd.DataFrame]) -> dict[str, Any]:
    people = {"people": records(tables["annotators"]), "measures": records(tables["quality"]), "copying": []}
    scores = answers.sum_scores(tables["pairs"]["scores"])
    return {"scores": scores, "annotators": people if len(tables["quality"]) else None}


def _read_votes(votes: Votes) -> dict[str, Any]:
    return {
        "simulated": warn_of_simulated(votes.every),
        "votes": votes.counting,
        "ratings": votes.voting,
        "random_part": votes.random_part,
        "first_votes": votes.at_first,
    }
