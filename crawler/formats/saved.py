"""Pages and JSON of card sites that a person saved from a browser."""

from dataclasses import replace
from typing import Any

from crawler.cards.outcome import Finding, Outcome
from crawler.pages import html
from crawler.pages.sites import SITES, JsonPages

ELSEWHERE = frozenset({"changed_markup", "wrong_set"})
"""Kinds of findings that a page of another site has."""


def read_saved_page(name: str, content: bytes) -> Outcome:
    """The set on a saved page of a registered site; its id, where the page gives one, is the deck's `set_id`.

    Findings: `unknown_format` for any other page, and the findings of the site's parser.
    """
    address = _address(content)
    for site in SITES.values():
        outcome = site.pages.read_saved(content, address)
        if outcome.decks or outcome.findings[0].kind not in ELSEWHERE:
            return _name(name, outcome)
    detail = f"{name}: not a page of a known site, and no list or table of terms"
    return Outcome(findings=(Finding(kind="unknown_format", detail=detail),))


def read_saved_json(name: str, tree: Any) -> Outcome | None:
    """The cards in a JSON value that a registered site answers with; None for any other value."""
    for site in SITES.values():
        outcome = site.pages.read_saved_json(tree) if isinstance(site.pages, JsonPages) else None
        if outcome is not None:
            return _name(name, outcome)
    return None


def _address(content: bytes) -> str:
    """The address that the page gives as its own; empty where it gives none."""
    page = html.parse(html.decode(content))
    return page.xpath("string(//link[@rel='canonical']/@href | //meta[@property='og:url']/@content)").get("")


def _name(name: str, outcome: Outcome) -> Outcome:
    """The outcome with the file's name in its findings, and as the id of a set that has none."""
    decks = tuple(deck if deck.set_id else replace(deck, set_id=name) for deck in outcome.decks)
    findings = tuple(replace(finding, detail=f"{name}: {finding.detail}") for finding in outcome.findings)
    return replace(outcome, decks=decks, findings=findings)
