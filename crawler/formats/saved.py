"""Pages and JSON of card sites that a person saved from their own browser."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from crawler.cards import Finding, Outcome
from crawler.pages import quizlet
from crawler.pages.quizlet_items import read_resource


def read_saved_page(name: str, content: bytes) -> Outcome:
    """The set on a saved page of a site that is known; its own id is the deck's `set_id`.

    Findings: `unknown_format` for any other page, and those of the site's own parser.
    """
    outcome = quizlet.read_saved(content)
    if not outcome.decks and all(finding.kind == "changed_markup" for finding in outcome.findings):
        return Outcome(findings=(Finding(kind="unknown_format", detail=f"{name}: a page of no site that is known"),))
    return _name(name, outcome)


def is_resource(tree: Any) -> bool:
    """True where a JSON value is an answer of quizlet.com's programming interface."""
    return isinstance(tree, Mapping) and isinstance(tree.get("responses"), list)


def read_saved_resource(name: str, content: bytes) -> Outcome:
    """The cards of a saved answer of quizlet.com's programming interface: one page of a set's items."""
    return _name(name, read_resource(content))


def _name(name: str, outcome: Outcome) -> Outcome:
    """The outcome with the file's name in its findings, and in place of a set's id that is not known."""
    decks = tuple(deck if deck.set_id else replace(deck, set_id=name) for deck in outcome.decks)
    findings = tuple(replace(one, detail=f"{name}: {one.detail}") for one in outcome.findings)
    return replace(outcome, decks=decks, findings=findings)
