"""What each source of `scrapy crawl` takes on the command line."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from crawler.formats.files import Manner
from crawler.formats.layout import parse_choice
from crawler.glossaries.reading import Kind
from crawler.ledger.ledger import Page
from crawler.middlewares import is_loopback
from crawler.pages import studystack
from crawler.spiders.base import SearchPages, SetPages
from crawler.terms.lists import read_terms
from data.console import existing_file
from data.errors import InputError
from data.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What every source takes."""

    store: Path = field(default_factory=Store.default_path)
    """Folder of the tables."""
    terms: str = "table"
    """Whose cards are kept: `table` (fronts that are in the table of terms), a FILE with one term a line, or `any`."""


@dataclass(frozen=True, kw_only=True)
class SiteArguments(Arguments):
    """What every site takes."""

    site: str
    """Address of the site."""
    contact: str = field(default_factory=lambda: os.environ.get("PARADE_CONTACT", ""))
    """Where the site's people can reach you: a mail address or an https page, told to the site with each request.
    Needed for every site but this machine's own; the default is $PARADE_CONTACT."""
    sets: Path | None = None
    """A file that names a set a line, by the address of its page or of its data, or by its number where the site has
    pages by number. These sets are read; nothing is searched for unless that is asked too."""


@dataclass(frozen=True, kw_only=True)
class SearchArguments(SiteArguments):
    """What every site takes that can be searched."""

    search: str = ""
    """What to search for: `table` or a FILE with one term a line; by default the terms, for `any` the table, where no
    `sets` are named."""


@dataclass(frozen=True, kw_only=True)
class QuizletArguments(SearchArguments):
    """Search quizlet.com, or a site of its kind, for terms and read the sets found. A session of your own may be given
    as $PARADE_QUIZLET_COOKIE; it is sent to that site alone, and never stored."""

    site: str = "https://quizlet.com"


@dataclass(frozen=True, kw_only=True)
class CramArguments(SearchArguments):
    """Search cram.com, or a site of its kind, for terms (titles and cards, sets without pictures) and read the sets
    found. A session of your own may be given as $PARADE_CRAM_COOKIE; it is sent there alone, and never stored."""

    site: str = "https://www.cram.com"


@dataclass(frozen=True, kw_only=True)
class StudystackArguments(SiteArguments):
    """Read the sets of studystack.com, or a site of its kind, that a list names or a category holds. A session of your
    own may be given as $PARADE_STUDYSTACK_COOKIE; it is sent to that site alone, and never stored."""

    site: str = "https://www.studystack.com"
    category: int | None = None
    """The number of a category whose sets are read."""


@dataclass(frozen=True, kw_only=True)
class GlossaryArguments(Arguments):
    """Read a glossary with several definitions a term from its file, plain or gzip: the NIST CSRC export (zip or JSON,
    checked against the .meta file beside it), RFC 4949, the Jargon File (XML), FOLDOC (dictd), or Wiktionary as
    wiktextract gives it (JSON lines)."""

    kind: Kind
    """Which glossary it is."""
    path: str
    """A file, a folder with all below it, or a pattern."""


@dataclass(frozen=True, kw_only=True)
class FilesArguments(Arguments):
    """Read decks from files: delimited text, Anki packages, CrowdAnki, YAML, Markdown and SQLite decks, saved pages
    and JSON, archives of them, plain or gzip."""

    path: str
    """A file, a folder with all below it, or a pattern such as 'decks/**/*.apkg'."""
    separator: str = ""
    """What separates the sides in delimited text: tab, pipe, semicolon, comma or a character; found out by default."""
    columns: str = ""
    """Where front and back stand in delimited text, as `1,2`; found out by default."""
    header: str = ""
    """Whether the first row of delimited text names the columns: `yes` or `no`; found out by default."""
    preview: Literal["no", "yes"] = "no"
    """`yes` shows how the files would be read, with a card of each way, and writes nothing."""
    licence: str | None = None
    """What you know of the texts' licence; it travels with each card."""


def read_manner(arguments: FilesArguments) -> Manner:
    """How the files are to be read. Raises InputError."""
    try:
        layout = parse_choice(arguments.separator, arguments.columns, arguments.header)
    except ValueError as fault:
        raise InputError(
            "arguments", expected="a layout of delimited text", found=str(fault), remedy="see --help"
        ) from fault
    return Manner(layout=layout, licence=arguments.licence)


def read_searches(arguments: SearchArguments, pages: SearchPages) -> list[Page]:
    """The sets that are named, and the first page of results for each term to search for. Raises InputError where
    there is neither."""
    named = read_sets(arguments, pages)
    if named and not arguments.search:
        return named
    name = arguments.search or ("table" if arguments.terms == "any" else arguments.terms)
    found = read_terms(Store(arguments.store), name).terms
    if found is None:
        raise InputError(
            "search", expected="`table` or a file with one term a line", found="'any'", remedy="name what to search for"
        )
    return [*named, *(Page(kind="search", key=pages.search_address(term, 1)) for term in found["term"])]


def read_sets(arguments: SiteArguments, pages: SetPages) -> list[Page]:
    """The page of each set that is named. Raises InputError at a line that names none of the site."""
    if arguments.sets is None:
        return []
    named = []
    for number, line in enumerate(existing_file(arguments.sets, "a list of sets").read_text("utf-8").splitlines(), 1):
        address = _find_set(line.strip(), arguments.site, pages)
        if line.strip() and address is None:
            raise InputError(
                f"{arguments.sets} line {number}",
                expected=f"a set of {arguments.site}",
                found=repr(line),
                remedy="mend or remove the line",
            )
        named += [Page(kind="set", key=address)] if address else []
    return named


def _find_set(name: str, site: str, pages: SetPages) -> str | None:
    """The address of the page of the set, None where it names none, or one of another site; a site on this machine
    may stand for any."""
    try:
        elsewhere = not is_loopback(site) and urlsplit(name).hostname not in (None, urlsplit(site).hostname)
    except ValueError:  # half an IPv6 address
        return None
    return None if elsewhere else pages.set_page(name)


def read_stacks(arguments: StudystackArguments) -> list[Page]:
    """The sets that are named, and the category's list. Raises InputError where there is neither."""
    pages = read_sets(arguments, studystack)
    if arguments.category is not None:
        pages.append(Page(kind="listing", key=studystack.listing_address(arguments.category, 1)))
    if not pages:
        raise InputError(
            "arguments",
            expected="-a sets=FILE or -a category=NUMBER",
            found="no set to read",
            remedy="give one of them",
        )
    return pages


def read_cookie(source: str, site: str) -> str:
    """The operator's own session at the site, from the environment; empty without one.

    Raises InputError where it is no header, or would travel unencrypted; its value is never shown.
    """
    name = f"PARADE_{source.upper()}_COOKIE"
    cookie = os.environ.get(name, "").strip()
    if cookie and not (cookie.isascii() and cookie.isprintable()):
        raise InputError(name, expected="one line of NAME=VALUE; …", found="other characters", remedy="copy it again")
    if cookie and not (site.startswith("https://") or is_loopback(site)):
        raise InputError(name, expected="an https site", found=site, remedy="give -a site=https://…")
    return cookie
