"""The registry of card sites. To add one, write its page module and its spider, then add a row here.

The spider is found by the site's name; the command's flags, the readers of saved pages and the preview follow from what
the page module can do.
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from crawler.cards.outcome import Outcome
from crawler.pages import cram, quizlet, studystack


class SitePages(Protocol):
    """What every page module knows: the addresses of sets, and how to read a set's page that a person saved."""

    def set_page(self, name: str) -> str | None:
        """The address of a set's page, from any address that leads to its cards, or from its number where that is
        enough; None where `name` is no set's.
        """

    def read_saved(self, content: bytes, address: str) -> Outcome:
        """The set on a saved page, `address` being the one that the page gives as its own (may be empty).

        A page of another site has the finding `changed_markup` or `wrong_set`, and no deck.
        """


@runtime_checkable
class JsonPages(Protocol):
    """A page module that also reads JSON that a person saved."""

    def read_saved_json(self, tree: Any) -> Outcome | None:
        """The cards in a JSON value; None where the site does not answer in this form."""


@runtime_checkable
class SearchPages(Protocol):
    """A page module of a site that can be searched."""

    def search_address(self, term: str, page: int) -> str:
        """The address of a page (from 1) of the sets found for a term."""

    def search_of(self, address: str) -> tuple[str, int]:
        """The term and the page of a `search_address`."""

    def read_search(self, content: bytes, url: str) -> tuple[list[str], Outcome]:
        """The keys of the sets that a page of results links to, and what is wrong with the page."""

    def set_address(self, key: str) -> str:
        """The address of a set's page."""


@runtime_checkable
class CategoryPages(Protocol):
    """A page module of a site that lists the sets of a category."""

    def listing_address(self, category: int, page: int) -> str:
        """The address of a page (from 1) of the category's sets."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """A card site."""

    name: str
    """What follows `scrapy crawl`, and the name of its spider."""
    address: str
    """Scheme and host, without a final slash."""
    pages: SitePages
    """Its page module."""


SITES: dict[str, Site] = {
    site.name: site
    for site in (
        Site(name="quizlet", address="https://quizlet.com", pages=quizlet),
        Site(name="cram", address="https://www.cram.com", pages=cram),
        Site(name="studystack", address="https://www.studystack.com", pages=studystack),
    )
}
"""By name, in the order in which a saved page is tried."""
