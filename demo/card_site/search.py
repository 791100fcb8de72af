"""The site's search: which sets answer a query, and the two markups of the page that lists them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote_plus

from demo.card_site.decks import SiteDeck

PER_PAGE = 10


def query_words(text: str) -> frozenset[str]:
    """The words of a text, lower case, without the s of a plural."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"\w+", text.lower()))


@dataclass(frozen=True)
class Index:
    """Decks in order of their ids, each with the word sets of its title and of its fronts."""

    entries: tuple[tuple[SiteDeck, tuple[frozenset[str], ...]], ...]

    @classmethod
    def of(cls, decks: Iterable[SiteDeck]) -> "Index":
        """The index of these decks."""
        ordered = sorted(decks, key=lambda deck: deck.id)
        return cls(tuple((deck, tuple(map(query_words, _texts(deck)))) for deck in ordered))

    def find(self, query: str) -> list[SiteDeck]:
        """The decks with a title or a front that has every word of the query; none for a query without words."""
        wanted = query_words(query)
        return [deck for deck, texts in self.entries if wanted and any(wanted <= words for words in texts)]


def _texts(deck: SiteDeck) -> list[str]:
    return [deck.title, *(card.word for card in deck.shown)]


def search_page(index: Index, query: str, page: int) -> str:
    """Page `page` (from 1) of the results; its markup alternates with the query's length and the page."""
    found = index.find(query)
    shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
    if not shown:
        return _frame(query, f"<p>We couldn't find any sets for {escape(query)}</p>")
    hashed = (len(query) + page) % 2 == 1
    results = "".join((_hashed_row if hashed else _classed_row)(deck, page, n) for n, deck in enumerate(shown))
    return _frame(query, f'<div class="SetsView-resultList">{results}</div>' + _pager(query, page, len(found)))


def _href(deck: SiteDeck, position: int) -> str:
    """One of the forms of address by which results link to a set."""
    forms = (
        deck.path,
        f"{deck.path}?funnelUUID=0d3e&i=1{deck.id % 97}&x=1jqY",
        f"/gb/{deck.id}/{deck.slug}-flash-cards/",
        f"/{deck.id}/flashcards?new",
    )
    return deck.path if deck.locale else forms[position % len(forms)]


def _classed_row(deck: SiteDeck, page: int, position: int) -> str:
    href = escape(_href(deck, position))
    return (
        f'<div class="SearchResultsPage-result" data-page-depth="{page - 1}"><div class="SetPreviewCard">'
        f'<h5 class="SetPreviewCard-title"><a class="AssemblyLink AssemblyLink--medium AssemblyLink--title" '
        f'href="{href}">{escape(deck.title)}</a></h5>'
        f'<span class="AssemblyPillText">{deck.num_terms} terms</span>'
        f'<a href="/{deck.id}/learn/starred">Preview</a></div></div>'
    )


def _hashed_row(deck: SiteDeck, page: int, position: int) -> str:
    href = escape(_href(deck, position + page))
    return (
        f'<div class="c1yw38c3"><a class="s1nlm2q5" href="{href}">{escape(deck.title)}</a>'
        f'<a class="b12kx90a" href="/{deck.id}/flashcards"><i></i></a></div>'
    )


def _pager(query: str, page: int, n_found: int) -> str:
    if n_found <= page * PER_PAGE:
        return ""
    return f'<a rel="next" href="/search?query={quote_plus(query)}&amp;type=sets&amp;page={page + 1}">Next</a>'


OTHER_LINKS: Sequence[str] = (
    "/",
    "/topic/computer-science/data-structures/",
    "/user/cs-2019-611001001/folders/exam-2024",
    "/explanations/textbook-solutions/data-structures-9780000000000",
    "/subject/hash-table/",
    "/join/abc123XYZ",
    "/2024/features/live",
    "https://example.org/123456789/elsewhere-flash-cards/",
)
"""Links of a search page that lead to no set, some with digits that look like a set's."""


def _frame(query: str, body: str) -> str:
    links = "".join(f'<a href="{link}">more</a>' for link in OTHER_LINKS)
    return (
        f'<!DOCTYPE html><html lang="en-us"><head><meta charset="utf-8"><title>{escape(query)} Flashcards '
        f"and Study Sets | Quizlet</title></head><body><nav>{links}</nav>{body}</body></html>"
    )
