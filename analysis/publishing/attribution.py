"""Whom a release credits, as Creative Commons and others ask: title, author, source, licence, and changes; pure.

Source: Creative Commons, "Recommended practices for attribution" (TASL), and section 3(a) of CC BY 4.0.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.publishing import licences
from data.contract.licences import address

MAX_LISTED_WORKS = 100
"""Works listed on the card; all are in the table `sources`."""


def list_works(sources: pd.DataFrame) -> list[dict[str, Any]]:
    """The works to credit: title, credit, link, licence (its name), address (of its text); each once, by licence.

    A work is credited if its licence asks for it or if its publisher states whom to credit; without such a statement
    the source's own note on the licence takes its place.
    """
    works = []
    for row in sources.astype(object).where(sources.notna(), None).to_dict("records"):
        licence_id = row["licence_id"]
        if row["credit"] or (licence_id and not licences.FREE_OF_CREDIT.match(licence_id)):
            works.append({
                "licence": licences.name(licence_id, row["licence"]) or "",
                "title": row["title"],
                "credit": row["credit"] or row["licence_note"],
                "link": row["link"],
                "address": address(licence_id) if licence_id else None,
            })  # fmt: skip
    distinct = {tuple(work.values()): work for work in works}
    return [distinct[key] for key in sorted(distinct, key=lambda key: tuple(part or "" for part in key))]


def count_uncredited(sources: pd.DataFrame) -> dict[str, int]:
    """Licence -> decks whose licence asks for credit without saying whom to credit."""
    asks = sources["licence_id"].map(lambda one: not licences.FREE_OF_CREDIT.match(one), na_action="ignore").eq(True)
    rows = sources[asks & sources["credit"].isna() & sources["licence_note"].isna()]
    names = [licences.name(licence_id, None) for licence_id in rows["licence_id"]]
    return {str(name): int(n) for name, n in pd.Series(names, dtype="str").value_counts().sort_index().items()}


def list_share_alike(sources: pd.DataFrame) -> list[str]:
    """The names of the licences that a text must keep wherever it goes."""
    ids = sources["licence_id"].dropna().unique()
    return sorted(str(licences.name(one, None)) for one in ids if licences.SHARE_ALIKE.match(one))


def describe_changes(config: Mapping[str, Any]) -> list[str]:
    """What was done to the texts, by the configuration of the definitions."""
    changes = ["single definitions were taken out of their decks", "white space was normalised"]
    if config.get("resolve_markup"):
        changes.append("markup was replaced by the text that it shows")
    if config.get("drop_references"):
        changes.append("references to other entries were left out")
    if config.get("lower_case"):
        changes.append("texts were converted to lower case")
    return [*changes, "e-mail addresses, phone numbers and handles were masked"]
