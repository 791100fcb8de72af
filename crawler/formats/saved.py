"""Pages and JSON of card sites that a person saved from their own browser."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from crawler.cards.outcome import Finding, Outcome
from crawler.pages import cram, html, quizlet, studystack
from crawler.pages.quizlet_items import read_resource


def read_saved_page(name: str, content: bytes) -> Outcome:
    """The set on a saved page of a site that is known; its own id, where the page tells it, is the deck's `set_id`.

    Findings: `unknown_format` for any other page, and those of the site's own parser.
    """
    address = _address(content)
    readers = (
        quizlet.read_saved,
        lambda page: cram.read_set(page, cram.set_of(address) or ""),
        lambda page: studystack.read_set(page, studystack.set_of(address) or ""),
    )
    outcomes = [read(content) for read in readers]
    found = next(
        (one for one in outcomes if one.decks or one.findings[0].kind not in ("changed_markup", "wrong_set")), None
    )
    if found is None:
        return Outcome(findings=(Finding(kind="unknown_format", detail=f"{name}: a page of no site that is known"),))
    return _name(name, found)


def is_resource(tree: Any) -> bool:
    """True where a JSON value is an answer of quizlet.com's or studystack.com's programming interface."""
    if not isinstance(tree, Mapping):
        return False
    rows = tree.get("data")
    return isinstance(tree.get("responses"), list) or (
        isinstance(rows, list) and any(isinstance(r, list) for r in rows)
    )


def read_saved_resource(name: str, content: bytes) -> Outcome:
    """The cards of such an answer: one page of a Quizlet set's items, or a whole StudyStack set."""
    outcome = studystack.read_json(content, "")
    return _name(name, read_resource(content) if outcome.findings else outcome)


def _address(content: bytes) -> str:
    """The address that the page says it has; empty where it says none."""
    page = html.parse(html.decode(content))
    return page.xpath("string(//link[@rel='canonical']/@href | //meta[@property='og:url']/@content)").get("")


def _name(name: str, outcome: Outcome) -> Outcome:
    """The outcome with the file's name in its findings, and in place of a set's id that is not known."""
    decks = tuple(deck if deck.set_id else replace(deck, set_id=name) for deck in outcome.decks)
    findings = tuple(replace(one, detail=f"{name}: {one.detail}") for one in outcome.findings)
    return replace(outcome, decks=decks, findings=findings)
