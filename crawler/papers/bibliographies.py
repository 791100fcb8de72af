"""Papers exported by libraries and reference managers: BibTeX, RIS, PubMed XML and NBIB; one record per paper.

Each reader takes an open file and yields records: dictionaries of id, title, abstract, year and venue, text or None.
An entry that cannot be read is an empty record, so that it is counted.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from lxml import etree

from crawler.papers import capped

Record = Mapping[str, str | None]

NOTHING: Record = {}
_YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
_END_OF_RIS = re.compile(r"^ER  ?-.*$", re.MULTILINE)
_START_OF_NBIB = re.compile(r"^(?=PMID-)", re.MULTILINE)
_AT_ONCE = 500
"""BibTeX entries that are parsed together."""


def year_of(value: object) -> str | None:
    """The first year in a date; None where there is none."""
    match = _YEAR.search(str(value or ""))
    return match[0] if match else None


def clean(value: object) -> str | None:
    """The text on one line; None where it is empty or not text."""
    return " ".join(value.split()) or None if isinstance(value, str) else None


def first(entry: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that the entry has; None where it has none."""
    return next((entry[name] for name in names if entry.get(name)), None)


# -- BibTeX


def read_bibtex(file: BinaryIO) -> Iterator[Record]:
    """The entries of a BibTeX file; accents and braces of LaTeX are resolved, formulas kept, `@string` is supported."""
    import bibtexparser

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)
    logging.getLogger("pylatexenc").setLevel(logging.ERROR)
    strings: list[str] = []
    for chunk in _chunks(file):
        strings += [part for part in chunk if part.lstrip("@ ").lower().startswith("string")]
        library = bibtexparser.parse_string("\n".join(dict.fromkeys([*strings, *chunk])))
        for entry in library.entries:
            fields = {name.lower(): str(field.value) for name, field in entry.fields_dict.items()}
            try:
                record = _from_bibtex(entry.key, fields)
            except RecursionError:  # nested some hundred braces deep
                record = NOTHING
            yield record
        yield from (NOTHING for _ in library.failed_blocks)


def _chunks(file: BinaryIO) -> Iterator[list[str]]:
    """The texts of the entries, some hundred at a time: a line that begins with @ begins an entry."""
    texts: list[list[str]] = []
    for line in capped.lines(file):
        text = line.decode("utf-8", "replace")
        if text.lstrip().startswith("@"):
            if len(texts) == _AT_ONCE:
                yield ["".join(lines) for lines in texts]
                texts = []
            texts.append([])
        if texts:
            texts[-1].append(text)
    if texts:
        yield ["".join(lines) for lines in texts]


def _from_bibtex(key: str, fields: Mapping[str, str]) -> Record:
    return {
        "id": key,
        "title": _from_latex(fields.get("title")),
        "abstract": _from_latex(fields.get("abstract")),
        "year": year_of(fields.get("year") or fields.get("date")),
        "venue": _from_latex(first(fields, "booktitle", "journal", "journaltitle")),
    }


def _from_latex(value: str | None) -> str | None:
    if value is None or not re.search(r"[\\{}~]", value):
        return clean(value)
    from pylatexenc.latex2text import LatexNodes2Text

    return clean(LatexNodes2Text(math_mode="verbatim").latex_to_text(value, tolerant_parsing=True))


# -- RIS and NBIB


def read_ris(file: BinaryIO) -> Iterator[Record]:
    """The references of an RIS file."""
    import rispy
    from rispy.parser import ParseError

    for text in _split(file, _END_OF_RIS):
        try:
            entries = rispy.loads(f"{text}\nER  - \n", skip_unknown_tags=True)
        except (ParseError, ValueError, KeyError, TypeError, IndexError):
            entries = [NOTHING]
        for entry in entries:
            yield {
                "id": clean(first(entry, "doi", "accession_number", "id")),
                "title": clean(first(entry, "title", "primary_title", "translated_title")),
                "abstract": clean(first(entry, "abstract", "notes_abstract")),
                "year": year_of(first(entry, "year", "publication_year", "date")),
                "venue": clean(first(entry, "journal_name", "secondary_title", "alternate_title3", "alternate_title1")),
            }


def read_nbib(file: BinaryIO) -> Iterator[Record]:
    """The references of an NBIB (MEDLINE) file."""
    import nbib
    from nbib.exceptions import MalformedLine, UnknownTagFormat

    for text in _split(file, _START_OF_NBIB):
        try:
            entries = nbib.read(text)
        except (MalformedLine, UnknownTagFormat, ValueError, KeyError, TypeError, IndexError):
            entries = [NOTHING]
        for entry in entries:
            yield {
                "id": str(entry["pubmed_id"]) if entry.get("pubmed_id") else None,
                "title": clean(entry.get("title")),
                "abstract": clean(entry.get("abstract")),
                "year": year_of(entry.get("publication_date")),
                "venue": clean(first(entry, "journal", "journal_abbreviated")),
            }


def _split(file: BinaryIO, mark: re.Pattern[str]) -> Iterator[str]:
    """The texts of the references one by one, so that a damaged one does not affect the others."""
    text = capped.whole(file).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return (part.strip("\n") + "\n" for part in mark.split(text) if part.strip())


# -- PubMed's XML


def read_pubmed(file: BinaryIO) -> Iterator[Record]:
    """The articles of a PubMed export, read one by one; nothing that the file declares is loaded or resolved.

    Raises etree.XMLSyntaxError where the file is damaged.
    """
    articles = etree.iterparse(
        file, tag="PubmedArticle", resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True
    )
    for _, article in articles:
        parts = [_inner(part) for part in article.iterfind(".//Article/Abstract/AbstractText")]
        date = article.find(".//Article/Journal/JournalIssue/PubDate")
        yield {
            "id": clean(article.findtext("./MedlineCitation/PMID")),
            "title": _inner(article.find(".//Article/ArticleTitle")),
            "abstract": clean(" ".join(filter(None, parts))),
            "year": None if date is None else year_of(" ".join(date.itertext())),
            "venue": clean(article.findtext(".//Article/Journal/Title")),
        }
        article.clear()
        while article.getprevious() is not None:
            del article.getparent()[0]


def _inner(element: etree._Element | None) -> str | None:
    return None if element is None else clean("".join(element.itertext()))
