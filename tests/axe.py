"""The faults that axe-core finds in a page: what keeps people who see or move little from using it."""

from pathlib import Path
from typing import TYPE_CHECKING

import axe_playwright_python

if TYPE_CHECKING:
    from playwright.sync_api import Page

SOURCE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def serious_faults(page: "Page") -> list[tuple[str, list[str], str]]:
    """The serious and critical faults: rule, place, and what to do. It runs past the page's own policy on scripts."""
    page.evaluate(SOURCE)
    return [
        (fault["id"], node["target"], node["failureSummary"])
        for fault in page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
