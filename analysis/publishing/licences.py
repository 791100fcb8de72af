"""Which texts may be published, and whom a release credits for them; pure.

By the licences of their decks, and by what the publisher was permitted. Credit has the title, author, source, licence
and changes: Creative Commons, "Recommended practices for attribution" (TASL), and section 3(a) of CC BY 4.0.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from data.contract import licences
from data.contract.licences import DECK

MAX_LISTED_WORKS = 100
"""Works listed on the card; all are in the table `sources`."""

OPEN = re.compile(
    r"CC0-|CC-BY-|CC-PDM-|CC-PDDC$|PDDL-|ODC-By-|ODbL-|CDLA-|GFDL-|[AL]?GPL-|MPL-|Apache-|BSD-|MIT(-0)?$|ISC$|0BSD$"
    r"|Unlicense$|WTFPL$|Zlib$|LicenseRef-(CC-BY|public-domain|BSD|Apache|[AL]?GPL|GFDL)\b"
)
"""How the SPDX identifiers begin of licences that let everybody pass a text on, changed (personal data is masked)."""
FORBIDS = {"NC": "forbids commercial use", "ND": "forbids changes"}
"""Parts of an identifier that ask for a permission, and why."""
FREE_OF_CREDIT = re.compile(r"CC0-|CC-PDM-|CC-PDDC$|PDDL-|MIT-0$|0BSD$|Unlicense$|WTFPL$|LicenseRef-public-domain$")
SHARE_ALIKE = re.compile(r".*-SA\b|[AL]?GPL-|GFDL-|ODbL-|MPL-|LicenseRef-([AL]?GPL|GFDL)$")

Permissions = Mapping[str, str]
"""Source or licence (as `read_key` has it) -> by what right its texts may be published, in the publisher's words."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """Texts that may not be published."""

    licence: str | None
    """The licence's name or wording; None where none is stated."""
    why: str
    """What is against it."""
    key: str
    """What a permission has to name: the licence, or the source where only that is known."""
    sources: dict[str, int]
    """Source -> number of decks."""
    n_pairs: int


def read_key(text: str) -> str:
    """What names a source or licence in a permission: the SPDX identifier, or the words in lower case."""
    return licences.recognise(text) or " ".join(text.casefold().split())


def is_open(licence: str | None) -> bool:
    """Whether a licence (SPDX) lets everybody publish a text for any purpose; of an expression all parts must."""
    parts = re.split(r" (?:OR|AND) ", licence or "")
    return all(OPEN.match(part) is not None and not _forbidden(part) for part in parts)


def _forbidden(licence: str) -> list[str]:
    return [why for part, why in FORBIDS.items() if part in licence.split("-")]


def name(licence_id: str | None, licence: str | None) -> str | None:
    """What a licence is called: by its usual name, or in the words of who stated it."""
    return licences.name(licence_id) if licence_id else licence


def find_basis(row: Mapping[Any, Any], permissions: Permissions) -> str | None:
    """By what right the texts of a deck (source, licence, licence_id) are published; None where there is none."""
    if is_open(row["licence_id"]):
        return "its licence"
    return next((permissions[key] for key in _keys(row) if key in permissions), None)


def _keys(row: Mapping[Any, Any]) -> list[str]:
    """What a permission may call a deck (source, licence, licence_id), the narrowest first."""
    return [read_key(text) for text in (row["licence_id"], row["licence"], row["source"]) if isinstance(text, str)]


def find_idle(sources: pd.DataFrame, permissions: Permissions) -> list[str]:
    """The permissions that name none of the sources and licences."""
    distinct = sources[["source", "licence", "licence_id"]].drop_duplicates().to_dict("records")
    return sorted(permissions.keys() - {key for row in distinct for key in _keys(row)})


def list_closed(
    pairs: pd.DataFrame, provenance: pd.DataFrame, sources: pd.DataFrame, permissions: Permissions
) -> list[Closed]:
    """The texts of the pairs that may not be published, by licence; those without one by source.

    `provenance`: definition_id, DECK; `sources`: DECK, licence, licence_id, licence_note. A definition may be published
    if one of its cards may.
    """
    decks = sources.astype(object).where(sources.notna(), None)
    decks["closed"] = [find_basis(row, permissions) is None for row in decks.to_dict("records")]
    cards = provenance[["definition_id", *DECK]].merge(decks, on=DECK, how="left")
    allowed = cards.loc[cards["closed"] == False, "definition_id"]  # noqa: E712 - null where a deck is not listed
    ends = pd.concat([pairs["first_id"], pairs["second_id"]]).rename("definition_id")
    ends = pd.DataFrame({"definition_id": ends, "pair_id": [*pairs["pair_id"], *pairs["pair_id"]]})
    closed = ends[~ends["definition_id"].isin(allowed)].merge(cards, on="definition_id", how="left")
    closed = closed.assign(source=closed["source"].fillna("unknown")).astype(object)
    described = [_describe(row) for row in closed.where(closed.notna(), None).to_dict("records")]
    closed[["licence", "why", "key"]] = pd.DataFrame(described, closed.index, columns=["licence", "why", "key"])
    return [
        Closed(
            licence=rows["licence"].iloc[0],
            why=str(why),
            key=str(key),
            sources={str(source): len(some[DECK].drop_duplicates()) for source, some in rows.groupby("source")},
            n_pairs=int(rows["pair_id"].nunique()),
        )
        for (key, why), rows in closed.groupby(["key", "why"])
    ]


def _describe(row: Mapping[Any, Any]) -> tuple[str | None, str, str]:
    """The licence of a deck that may not be published, what is against it, and what a permission has to name."""
    called = name(row["licence_id"], row["licence"])
    if called is None:
        return None, "have no stated licence", str(row["source"])
    forbidden = _forbidden(row["licence_id"] or "")
    if row["licence_id"]:
        return called, f"are under {called}, which {' and '.join(forbidden) or 'is not known to be open'}", called
    by_source = row["licence"] == row["licence_note"]
    return called, f"are not under an open licence ({called})", str(row["source"]) if by_source else called


def _list_works(sources: pd.DataFrame) -> list[dict[str, Any]]:
    """The works to credit: title, credit, link, licence (its name), address (of its text); each once, by licence.

    A work is credited if its licence asks for it or if its publisher states whom to credit; without such a statement
    the source's own note on the licence takes its place.
    """
    works = []
    for row in sources.astype(object).where(sources.notna(), None).to_dict("records"):
        licence_id = row["licence_id"]
        if row["credit"] or (licence_id and not FREE_OF_CREDIT.match(licence_id)):
            works.append({
                "licence": name(licence_id, row["licence"]) or "",
                "title": row["title"],
                "credit": row["credit"] or row["licence_note"],
                "link": row["link"],
                "address": licences.address(licence_id) if licence_id else None,
            })  # fmt: skip
    distinct = {tuple(work.values()): work for work in works}
    return [distinct[key] for key in sorted(distinct, key=lambda key: tuple(part or "" for part in key))]


def credit(sources: pd.DataFrame, config: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says of the works behind the texts: `works`, `share_alike`, `changes`.

    `config`: of the definitions.
    """
    return {
        "works": _list_works(sources),
        "share_alike": _list_share_alike(sources),
        "changes": _describe_changes(config),
    }


def count_uncredited(sources: pd.DataFrame) -> dict[str, int]:
    """Licence -> decks whose licence asks for credit without saying whom to credit."""
    asks = sources["licence_id"].map(lambda one: not FREE_OF_CREDIT.match(one), na_action="ignore").eq(True)
    rows = sources[asks & sources["credit"].isna() & sources["licence_note"].isna()]
    names = [name(licence_id, None) for licence_id in rows["licence_id"]]
    return {str(name): int(n) for name, n in pd.Series(names, dtype="str").value_counts().sort_index().items()}


def _list_share_alike(sources: pd.DataFrame) -> list[str]:
    """The names of the licences that a text must keep wherever it goes."""
    ids = sources["licence_id"].dropna().unique()
    return sorted(str(name(one, None)) for one in ids if SHARE_ALIKE.match(one))


def _describe_changes(config: Mapping[str, Any]) -> list[str]:
    """What was done to the texts, by the configuration of the definitions."""
    changes = ["single definitions were taken out of their decks", "white space was normalised"]
    if config.get("resolve_markup"):
        changes.append("markup was replaced by the text that it shows")
    if config.get("drop_references"):
        changes.append("references to other entries were left out")
    if config.get("lower_case"):
        changes.append("texts were converted to lower case")
    return [*changes, "e-mail addresses, phone numbers and handles were masked"]
