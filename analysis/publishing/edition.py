"""What is to be published, as tables of `data.labelled.release_tables`, and what the checks need to know.

A store gives all of them; any other data set gives the pairs alone.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pandas as pd

from analysis.publishing import personal_data
from data.contract.questions import Question
from data.labelled import release_tables
from data.labelled.releases import Facts
from data.measures.rules import CountRule
from data.recorded.languages import STANDARD
from data.texts.languages.base import Language

LEFT_OUT_EMPTY = (("ratings", "annotators", "quality"), ("provenance", "sources"))
"""Tables that are left out where none of them has a row: the set itself was not rated; no text of it is on a card."""


@dataclass(frozen=True, kw_only=True)
class Edition:
    """The tables of a release and where they come from."""

    pairs: pd.DataFrame
    labels: pd.DataFrame | None = None
    ratings: pd.DataFrame | None = None
    answers: pd.DataFrame | None = None
    annotators: pd.DataFrame | None = None
    documents: pd.DataFrame | None = None
    quality: pd.DataFrame | None = None
    provenance: pd.DataFrame | None = None
    sources: pd.DataFrame | None = None
    generated_texts: pd.DataFrame | None = None
    sentences: pd.DataFrame | None = None
    flow: pd.DataFrame | None = None
    campaigns: pd.DataFrame | None = None
    judgements: pd.DataFrame | None = None
    campaign_ratings: pd.DataFrame | None = None
    corrections: pd.DataFrame | None = None
    scheme: str
    language: Language = STANDARD
    question: Question | None = None
    synonyms: dict[str, str] = field(default_factory=dict)
    rule: CountRule = field(default_factory=CountRule)
    """What votes and measures were made with."""
    simulated: int = 0
    """How many ratings are a simulated annotator's."""
    withdrawn: frozenset[str] = frozenset()
    withdrawn_from_bases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The pseudonyms of annotators who withdrew."""
    unresolved: int = 0
    """Pairs that annotators were given and that have no label, apart from pairs that a person decided to leave out."""
    forgotten: int = 0
    """Labelled pairs that the table `pairs` no longer holds."""
    manifests: list[dict[str, Any]] = field(default_factory=list)
    """The manifest of each table's version that was read."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that are published, by name."""
        named = {name: getattr(self, name) for name in release_tables.TABLES}
        rows = {name: 0 if table is None else len(table) for name, table in named.items()}
        empty = {name for group in LEFT_OUT_EMPTY for name in group if not any(rows[other] for other in group)}
        return {name: table for name, table in named.items() if table is not None and name not in empty}

    def without_text(self) -> "Edition":
        """The edition without the definitions' texts, the annotators' comments and the texts that they corrected."""
        tables = self.tables()
        shorter: dict[str, Any] = {
            name: tables[name].drop(columns=[*columns])
            for name, columns in release_tables.TEXTS.items()
            if name in tables
        }
        if self.labels is not None:
            shorter["labels"] = self.labels[self.labels["scores"].map(len) > 0].reset_index(drop=True)
        return replace(self, **shorter)

    def state_facts(self, name: str, permissions: dict[str, str]) -> Facts:
        """The facts that the release states of itself."""
        return Facts(
            name=name,
            simulated=self.simulated,
            permissions=permissions,
            recipe=next((one["recipe"] for one in self.manifests if one["table"] == "pairs" and "recipe" in one), None),
            scheme=self.scheme,
            synonyms=self.synonyms,
            rule=asdict(self.rule),
            without_text="first" not in self.pairs,
            language=self.language.code,
            question=None if self.question is None else json.loads(self.question.content),
        )


def list_flow(steps: list[dict[str, Any]]) -> pd.DataFrame:
    """The value of `funnel.trace` as the table `flow`: one row per number."""
    rows = [
        (step["step"], step["unit"], what, name, n)
        for step in steps
        for what, numbers in (("rows", {"": step["rows"]}), ("detail", step["details"]), ("reject", step["rejects"]))
        for name, n in numbers.items()
    ]
    return pd.DataFrame(rows, columns=release_tables.columns("flow"))


def mask_personal(edition: Edition, keep: tuple[str, ...]) -> tuple[Edition, pd.DataFrame]:
    """The edition with personal data masked in texts and comments, and every hit: where, id, kind, found."""
    tables, hits = edition.tables(), []
    masked: dict[str, Any] = {}
    for name, columns in PERSONAL.items():
        if name in tables:
            masked[name], found = _mask(tables[name], name, columns, keep)
            hits.append(found)
    return replace(edition, **masked), pd.concat(hits, ignore_index=True)


PERSONAL = {"pairs": ["first", "second"], "labels": ["value"], "ratings": ["comment"], "answers": ["text"],
    "campaign_ratings": ["comment"], "corrections": ["text"]}  # fmt: skip
"""The columns in which people may have written what is personal."""


def _mask(
    table: pd.DataFrame, name: str, columns: list[str], keep: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    masked, found = table.copy(), [pd.DataFrame(columns=["where", "id", "kind", "found"])]
    for column in [one for one in columns if one in table]:
        hits = personal_data.list_all(table[column], keep)
        rows = hits["index"].unique()
        masked.loc[rows, column] = [personal_data.mask(text, keep) for text in table.loc[rows, column]]
        ids = table.loc[hits["index"], "pair_id"].to_numpy()
        found.append(hits.assign(where=f"{name}.{column}", id=ids)[["where", "id", "kind", "found"]])
    return masked, pd.concat(found, ignore_index=True)
