"""A release's data card, in the form of Hugging Face, and its citation; pure but for the card's template."""

import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from analysis.publishing.licences import MAX_LISTED_WORKS
from analysis.publishing.statements import Statements
from analysis.statistics.wording import FILTERS
from data.contract import licences
from data.contract.vocabulary import SPLITS
from data.labelled import release_tables

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def render(statements: Statements, numbers: dict[str, Any], release: dict[str, Any]) -> str:
    """The card, of the publisher's statements, the numbers of `card_numbers` and the release's own facts.

    `release`: name, tables, simulated, permissions, recipe, allocation, fetching (commands), basis (one per row of
    the numbers' sources), one_vote (couples), works, share_alike, changes (see `licences`).
    """
    has_text = numbers["texts"] is not None
    page: str = _template().render(
        statements=statements,
        n=numbers,
        splits=SPLITS,
        present=[split for split in SPLITS if numbers["splits"][split]["pairs"]],
        columns={name: _list_columns(name, without_text=not has_text) for name in release["tables"]},
        meanings={name: table.__doc__ for name, table in release_tables.TABLES.items()},
        address=licences.address,
        most_works=MAX_LISTED_WORKS,
        size_category=next((name for most, name in SIZES if numbers["pairs"] < most), "n>1M"),
        **release,
    )
    return page


def _list_columns(name: str, *, without_text: bool) -> dict[str, str]:
    """Column -> its meaning."""
    types = release_tables.TABLES[name].columns()
    return {one: types[one].meaning for one in release_tables.columns(name, without_text=without_text)}


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=False,  # noqa: S701 - Markdown, not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= FILTERS | {"cell": _as_cell, "literal": _as_literal}
    return environment.get_template("card.md")


def _as_cell(text: object) -> str:
    """The text within a cell of a Markdown table."""
    return " ".join(str(text).replace("|", "\\|").split())


def _as_literal(text: object) -> str:
    """The text as a reader of Markdown sees it, on one line: nothing of it is markup."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", " ".join(str(text).split()))


def cite(statements: Statements) -> str:
    """CITATION.cff, version 1.2.0, which demands authors."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this data set, please cite it.",
        "type: dataset",
        f"title: {json.dumps(statements.title, ensure_ascii=False)}",
        f"version: {json.dumps(statements.version)}",
        *([f"license-url: {json.dumps(statements.url)}"] if statements.url else []),
        "authors:",
        *(f"  - name: {json.dumps(name, ensure_ascii=False)}" for name in statements.authors),
        *([f"date-released: {statements.date}"] if statements.date else []),
    ]
    return "\n".join(lines) + "\n"
