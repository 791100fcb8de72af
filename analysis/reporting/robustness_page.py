"""The page of attacks on models; pure except for its template."""

from typing import Any

from analysis.reporting.page import template


def render(described: dict[str, Any], title: str, again: str) -> str:
    """The page; `described`: what `analysis.robustness` writes as JSON; `again`: the command that makes it."""
    page: str = template("robustness.html").render(described=described, title=title, again=again)
    return page
