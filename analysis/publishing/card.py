"""A release's data card, in the form of Hugging Face, and its citation; pure but for their template."""

import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from analysis.statistics.wording import count, measure, real, share, words
from data.labelled.parade import SPLITS

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def render(said: dict[str, Any], numbers: dict[str, Any], release: dict[str, Any]) -> str:
    """The card: what the publisher said, the numbers of `analysis.publishing.card_numbers`, the release's own facts.

    `release`: name, tables, simulated, permissions, recipe, fetching (commands).
    """
    page: str = _template().render(
        said=said,
        n=numbers,
        splits=SPLITS,
        present=[split for split in SPLITS if numbers["splits"][split]["pairs"]],
        size_category=next((name for most, name in SIZES if numbers["pairs"] < most), "n>1M"),
        **release,
    )
    return page


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
    environment.filters |= {"count": count, "share": share, "real": real, "words": words, "measure": measure}
    return environment.get_template("card.md")


def cite(said: dict[str, Any]) -> str:
    """CITATION.cff, version 1.2.0."""
    authors = said["authors"] or ["Unknown"]
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this data set, please cite it.",
        "type: dataset",
        f"title: {json.dumps(said['title'], ensure_ascii=False)}",
        f"version: {json.dumps(said['version'])}",
        f"license-url: {json.dumps(said['url'])}",
        "authors:",
        *(f"  - name: {json.dumps(name, ensure_ascii=False)}" for name in authors),
        *([f"date-released: {said['date']}"] if said["date"] else []),
    ]
    return "\n".join(lines) + "\n"
