"""One record of XML by its elements, damaged or not, as PubMed, arXiv, EndNote, EBSCO and others write it."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

Paths = Mapping[str, str]
"""Field -> elements, the best first; `A/B` is a B within an A, `A;B` one outside of any A. What is found goes to
data/files/papers/texts.py."""

PATHS: Mapping[str, Paths] = {
    "PubmedArticle": {
        "id": "PMID",
        "title": "ArticleTitle VernacularTitle",
        "abstract": "Abstract/AbstractText Abstract OtherAbstract/AbstractText",
        "year": "PubDate",
        "venue": "Journal/Title MedlineTA",
    },
    "PubmedBookArticle": {
        "id": "PMID",
        "title": "ArticleTitle BookTitle",
        "abstract": "Abstract/AbstractText Abstract",
        "year": "PubDate ContributionDate",
        "venue": "BookTitle",
    },
    "result": {
        "id": "id pmid",
        "title": "title",
        "abstract": "abstractText",
        "year": "pubYear",
        "venue": "journal/title journalTitle",
    },
    "entry": {"id": "id", "title": "title", "abstract": "summary", "year": "published", "venue": "arxiv:journal_ref"},
    "record": {
        "id": "electronic-resource-num accession-num rec-number",
        "title": "titles/title title",
        "abstract": "abstract",
        "year": "dates/year",
        "venue": "periodical/full-title titles/secondary-title",
    },
    "RECORD": {
        "id": "DOI ACCESSION_NUMBER REFNUM",
        "title": "TITLE",
        "abstract": "ABSTRACT",
        "year": "YEAR",
        "venue": "SECONDARY_TITLE",
    },  # of EndNote 7
    "rec": {"id": "ui", "title": "atl btl", "abstract": "ab", "year": "dt", "venue": "jtl"},
    "doi_record": {
        "id": "doi",
        "title": "journal_article/title conference_paper/title titles/title",
        "abstract": "jats:abstract abstract",
        "year": "publication_date/year",
        "venue": "full_title proceedings_title",
    },
    "mods": {
        "id": "identifier recordIdentifier",
        "title": "titleInfo/title",
        "abstract": "abstract",
        "year": "dateIssued copyrightDate date",
        "venue": "relatedItem/title",
    },
    "z:itemType": {
        "id": "rdf:value dc:identifier",
        "title": "dcterms:isPartOf;dc:title",
        "abstract": "dcterms:abstract",
        "year": "dc:date",
        "venue": "dcterms:isPartOf/dc:title",
    },
}
"""Element of a record -> its fields."""


def read(text: str, paths: Paths) -> dict[str, str | None]:
    """The record of the text of an element, which may lack its end."""
    record = {}
    for field, names in paths.items():
        texts = next(filter(None, ([*_find(text, path)] for path in names.split())), [None])
        record[field] = " ".join(filter(None, texts)) if field == "abstract" else texts[0]
    return record


def _find(text: str, path: str) -> Iterator[str]:
    outer, _, path = path.rpartition(";")
    return _within(_without(text, outer) if outer else text, path.split("/"))


def _without(text: str, name: str) -> str:
    """The text without its elements of that name."""
    kept, depth = [], 0
    for part in re.split(f"(</?{re.escape(name)}>)", text):
        if part == f"<{name}>":
            depth += 1
        elif part == f"</{name}>":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(part)
    return "".join(kept)


def _within(text: str, path: list[str]) -> Iterator[str]:
    """The contents, other than blank, of the elements at the end of the path, within the first that has any."""
    for content in _contents(text, path[0]):
        if len(path) == 1:
            yield content
        else:
            yield from _within(content, path[1:])


def _contents(text: str, name: str) -> Iterator[str]:
    """What is in each element of that name; one without an end reaches to the end of its line."""
    end, last = 0, text.rfind(f"</{name}>")
    for tag in _opening(name).finditer(text):
        if tag.start() < end:
            continue
        end = text.find(*(f"</{name}>", tag.end()) if tag.end() <= last else ("\n", tag.end()))
        if content := text[tag.end() : end if end >= 0 else len(text)].strip():
            yield content


@cache
def _opening(name: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(name)}(?:\s[^<>]{{0,500}})?(?<!/)>")
