"""What a release holds, as tables; gathered from a store or from a data set that lies elsewhere.

Tables, besides `pairs` (see PAIR_COLUMNS) all from a store alone: `ratings` (every rating of the campaign under
pseudonyms: replaced ones, those of checks and of pairs without a label too), `annotators` (who they are, as far as
the campaign knows), `documents` (the consent and the guide that they accepted), `quality` (their measures),
`provenance` (the cards that each definition stood on), `flow` (what came out of each stage, and what was dropped).
"""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from analysis.publishing import personal_data
from analysis.statistics import recount

PAIR_COLUMNS = [
    *("pair_id", "entity", "first_id", "second_id", "first", "second", "split", "group", "votes", "n_votes", "share"),
    *("binary", "scores", "posterior", "stratum", "decided_by", "overlap", "parents"),
]
RATING_COLUMNS = [
    *("pair_id", "annotator", "role", "round", "kind", "score", "flags", "comment", "seconds", "skipped", "flipped"),
    *("replaced_in", "known_score", "submitted_at", "guide_version"),
]
"""`replaced_in`: the first round with a rating that takes this one's place in the vote (null: it counts);
`known_score`: the score that a gold pair is known to have."""
DOCUMENT_COLUMNS = ["kind", "version", "reference", "text", "at"]
ANNOTATOR_COLUMNS = ["annotator", "role", "level", "state", "guide_version", "consent_version"]
FLOW_COLUMNS = ["step", "unit", "what", "name", "n"]
"""One row a number of `flow.trace`: `what` is `rows` (what goes on), `detail` or `reject`, `name` which of them."""
PROVENANCE_COLUMNS = [
    *("definition_id", "card_id", "source", "url", "set_id", "set_title", "position", "fetched_at", "licence_note"),
]
TABLES = ("pairs", "ratings", "annotators", "documents", "quality", "provenance", "flow")
TEXTS = ["first", "second", "overlap"]
"""The columns that a release without texts leaves out, with what could be counted from them alone."""


@dataclass(frozen=True, kw_only=True)
class Edition:
    """The tables of a release and where they come from."""

    pairs: pd.DataFrame
    ratings: pd.DataFrame | None = None
    annotators: pd.DataFrame | None = None
    documents: pd.DataFrame | None = None
    quality: pd.DataFrame | None = None
    provenance: pd.DataFrame | None = None
    flow: pd.DataFrame | None = None
    scheme: str
    synonyms: dict[str, str] = field(default_factory=dict)
    rule: recount.Rule = field(default_factory=recount.Rule)
    """What votes and measures were made with."""
    simulated: int = 0
    """How many ratings are a simulated annotator's."""
    withdrawn: frozenset[str] = frozenset()
    """The pseudonyms of those who withdrew."""
    unresolved: int = 0
    """Pairs that were given to annotators and have no label, but for those that were taken out."""
    forgotten: int = 0
    """Labelled pairs that the table `pairs` no longer holds."""
    manifests: list[dict[str, Any]] = field(default_factory=list)
    """Of every table that was read: the manifest of the version used."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that are there, by name."""
        named = {name: getattr(self, name) for name in TABLES}
        return {name: table for name, table in named.items() if table is not None}

    def without_text(self) -> "Edition":
        """The edition without the definitions' texts and without the annotators' comments."""
        ratings = None if self.ratings is None else self.ratings.drop(columns="comment")
        return replace(self, pairs=self.pairs.drop(columns=TEXTS), ratings=ratings)


def list_flow(steps: list[dict[str, Any]]) -> pd.DataFrame:
    """The value of `flow.trace` as a table of FLOW_COLUMNS."""
    rows = [
        (step["step"], step["unit"], what, name, n)
        for step in steps
        for what, numbers in (("rows", {"": step["rows"]}), ("detail", step["details"]), ("reject", step["rejects"]))
        for name, n in numbers.items()
    ]
    return pd.DataFrame(rows, columns=FLOW_COLUMNS)


def mask_personal(edition: Edition, keep: tuple[str, ...]) -> tuple[Edition, pd.DataFrame]:
    """The edition with personal data masked in texts and comments, and what was found: where, id, kind, found."""
    pairs, found = _mask(edition.pairs, "pairs", ["first", "second"], keep)
    if edition.ratings is None:
        return replace(edition, pairs=pairs), found
    ratings, said = _mask(edition.ratings, "ratings", ["comment"], keep)
    return replace(edition, pairs=pairs, ratings=ratings), pd.concat([found, said], ignore_index=True)


def _mask(
    table: pd.DataFrame, name: str, columns: list[str], keep: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    masked, found = table.copy(), [pd.DataFrame(columns=["where", "id", "kind", "found"])]
    for column in [name for name in columns if name in table]:
        hits = personal_data.list_all(table[column], keep)
        rows = hits["index"].unique()
        masked.loc[rows, column] = [personal_data.mask(text, keep) for text in table.loc[rows, column]]
        ids = table.loc[hits["index"], "pair_id"].to_numpy()
        found.append(hits.assign(where=f"{name}.{column}", id=ids)[["where", "id", "kind", "found"]])
    return masked, pd.concat(found, ignore_index=True)
