"""The flags of `scrapy crawl SOURCE`, and what they mean."""

import os
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from crawler.cards.outcome import Glossary
from crawler.ledger.ledger import SourcePage
from crawler.pages.sites import CategoryPages, SearchPages, Site, SitePages
from crawler.spiders.politeness import is_loopback
from crawler.terms.lists import read_terms
from data.console.errors import InputError
from data.console.paths import Address
from data.files.sheets import read_text
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The flags of every source."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    terms: str = "table"
    """Keep the cards whose front is a term: of the `table` of terms, of a FILE with one term per line, or `any`."""
    language: str | None = None
    """The language of the cards, `en` or `de`; by default the language of the terms."""
    decks: Path | None = None
    """A CSV of what you know about decks, one row per path (a file, folder or address; `*` means anything): licence,
    credit (whom to name), title and link (of the work); for files also skip, shape, fields, separator, columns, header,
    reversed, note_types, language. Findings show the row to write. It may be given later, too."""


@dataclass(frozen=True, kw_only=True)
class SiteArguments(Arguments):
    """The flags of every site."""

    site: str
    """Address of the site."""
    contact: str = field(default_factory=lambda: os.environ.get("PARADE_CONTACT", ""))
    """Where the site's operators can reach you: an e-mail address or an https page, sent with each request. Required
    unless the site runs on this machine; the default is $PARADE_CONTACT."""
    sets: Path | None = None
    """A file with one set per line: the address of its page or of its data, or its number where the site's pages have
    numbers. These sets are read; nothing is searched for unless you ask for that too."""


@dataclass(frozen=True, kw_only=True)
class SearchArguments(SiteArguments):
    """The flags of a site that can be searched."""

    search: str = ""
    """What to search for: `table`, or a FILE with one term per line. By default the terms that are kept (the table's
    where those are `any`), unless `sets` are named."""


@dataclass(frozen=True, kw_only=True)
class CategoryArguments(SiteArguments):
    """The flags of a site that lists the sets of a category."""

    category: int | None = None
    """The number of a category whose sets are read."""


@dataclass(frozen=True, kw_only=True)
class GlossaryArguments(Arguments):
    """Read a glossary with several definitions per term from its file, plain or gzip.

    nist: the export of NIST's computer security glossary, from https://csrc.nist.gov/glossary (zip or JSON, checked
    against the .meta file beside it). rfc4949: https://www.rfc-editor.org/rfc/rfc4949.txt. jargon: the DocBook source
    of the Jargon File (XML). foldoc: the source of https://foldoc.org. wiktionary: JSON lines of wiktextract, from
    https://kaikki.org. dictd: any dictionary for dictd, such as Debian's dict-wn, dict-jargon and dict-vera (.dict or
    .dict.dz with its .index beside it).
    """

    kind: Glossary
    """Which glossary it is."""
    path: str
    """A file, a folder with everything below it, or a pattern."""


@dataclass(frozen=True, kw_only=True)
class FilesArguments(Arguments):
    """Read decks from files: text, Anki packages, CrowdAnki, YAML, Markdown and SQLite decks, saved pages
    and JSON, archives of these, plain or gzip."""

    path: str
    """A file, a folder with everything below it, or a pattern such as 'decks/**/*.apkg'."""
    preview: Literal["no", "yes"] = "no"
    """`yes` shows how each file would be read, with one card per note type, and which cannot be; writes nothing."""


def arguments_of(site: Site) -> type[SiteArguments]:
    """The flags of a registered site: all that its page module can do, with its address as the default."""
    ways = ["the sets of a list"]
    bases: list[type[SiteArguments]] = []
    if isinstance(site.pages, SearchPages):
        ways.append("the sets found by searching for terms")
        bases.append(SearchArguments)
    if isinstance(site.pages, CategoryPages):
        ways.append("the sets of a category")
        bases.append(CategoryArguments)
    description = (
        f"Read flashcards from {urlsplit(site.address).hostname}, or from a site that works like it: "
        f"{' or '.join(ways)}. Your own session may be given as ${cookie_variable(site.name)}; it is sent to that site "
        "only, and never stored."
    )
    return make_dataclass(
        f"{site.name.capitalize()}Arguments",
        [("site", str, field(default=site.address))],
        bases=tuple(bases) or (SiteArguments,),
        frozen=True,
        kw_only=True,
        namespace={"__doc__": description},
    )


def read_starts(arguments: SiteArguments, pages: SitePages) -> list[SourcePage]:
    """The pages to start with: the named sets, the category's list, and the first page of results for each term.

    Terms are searched for if that is asked, or if nothing else is. Raises InputError where there is no page.
    """
    starts = read_sets(arguments, pages)
    ways = ["-a sets=FILE"]
    if isinstance(arguments, CategoryArguments) and isinstance(pages, CategoryPages):
        ways.append("-a category=NUMBER")
        if arguments.category is not None:
            starts.append(SourcePage(kind="listing", key=pages.listing_address(arguments.category, 1)))
    if isinstance(arguments, SearchArguments) and isinstance(pages, SearchPages) and (arguments.search or not starts):
        return [*starts, *_read_searches(arguments, pages)]
    if not starts:
        raise InputError("arguments", expected=" or ".join(ways), found="no set to read", remedy="give one of them")
    return starts


def _read_searches(arguments: SearchArguments, pages: SearchPages) -> list[SourcePage]:
    """The first page of results for each term to search for."""
    name = arguments.search or ("table" if arguments.terms == "any" else arguments.terms)
    terms = read_terms(Store(arguments.store), name, arguments.language).terms
    if terms is None:
        raise InputError(
            "search",
            expected="`table` or a file with one term per line",
            found="'any'",
            remedy="name what to search for",
        )
    return [SourcePage(kind="search", key=pages.search_address(term, 1)) for term in terms["term"]]


def read_sets(arguments: SiteArguments, pages: SitePages) -> list[SourcePage]:
    """The page of each named set. Raises InputError at a line that names no set of the site."""
    if arguments.sets is None:
        return []
    named = []
    for number, line in enumerate(read_text(arguments.sets, "a list of sets").splitlines(), 1):
        address = _find_set(line.strip(), arguments.site, pages)
        if line.strip() and address is None:
            raise InputError(
                f"{arguments.sets} line {number}",
                expected=f"a set of {arguments.site}",
                found=repr(line),
                remedy="correct or remove the line",
            )
        named += [SourcePage(kind="set", key=address)] if address else []
    return named


def _find_set(name: str, site: str, pages: SitePages) -> str | None:
    """The address of the set's page; None where the name belongs to no set, or to a set of another site.

    A site on this machine may replace any.
    """
    try:
        elsewhere = not is_loopback(site) and urlsplit(name).hostname not in (None, urlsplit(site).hostname)
    except ValueError:  # half an IPv6 address
        return None
    return None if elsewhere else pages.set_page(name)


def cookie_variable(source: str) -> str:
    """The environment variable that holds the operator's own session at a site."""
    return f"PARADE_{source.upper()}_COOKIE"


def read_cookie(source: str, site: str) -> str:
    """The operator's own session at the site, from the environment; empty without one.

    Raises InputError where it is no header, or would travel unencrypted; its value is never shown.
    """
    name = cookie_variable(source)
    cookie = os.environ.get(name, "").strip()
    if cookie and not (cookie.isascii() and cookie.isprintable()):
        raise InputError(name, expected="one line of NAME=VALUE; …", found="other characters", remedy="copy it again")
    if cookie and not (site.startswith("https://") or is_loopback(site)):
        raise InputError(name, expected="an https site", found=site, remedy="give -a site=https://…")
    return cookie
