"""What exporters call the fields of a paper: the columns of their tables, and the keys of their JSON.

A new exporter is a row of EXPORTERS. Tagged and XML exports have their names in data/files/papers/tagged.py and
data/files/papers/elements.py; BibTeX means the same everywhere.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FIELDS = ("id", "title", "abstract", "year", "venue", "licence")
_LICENCE = "license|licence"

EXPORTERS: Mapping[str, tuple[str, str, str, str, str]] = {
    # names of id, title, abstract, year and venue, in any case; of several, parted by `|`, the first that says anything
    "plain": ("id|paper_id", "title", "abstract", "year", "venue|journal"),
    "ACL Anthology": ("anthology_id|bibkey", "title", "abstract", "year", "booktitle|journal"),
    "ACM": ("DOI", "Title", "Abstract", "Publication year", "Proceedings title|Publication title|Journal title"),
    "arXiv": ("id|arxiv_id", "title", "abstract|summary", "versions.created|published|update_date", "journal-ref"),
    "ASReview": ("record_id", "title|primary_title", "abstract|notes_abstract", "year", "journal_name"),
    "Covidence": ("Covidence #|Ref", "Title", "Abstract", "Published Year", "Journal"),
    "Crossref, CSL JSON": (
        "DOI|id", "title", "abstract", "issued.date-parts|published.date-parts|issued.raw", "container-title"
    ),
    "DBLP": ("key", "title", "abstract", "year", "venue"),
    "Dimensions": ("Publication ID|DOI", "Title", "Abstract", "PubYear|Publication Date", "Source title"),
    "EBSCO": ("Accession Number", "Article Title|Title", "Abstract", "Publication Date|Year", "Journal Title|Source"),
    "Embase": ("Embase Accession ID|PUI", "Title", "Abstract", "Publication Year", "Source title|Source"),
    "Europe PMC": ("id|pmid", "title", "abstractText", "pubYear", "journalInfo.journal.title|journalTitle"),
    "IEEE Xplore": ("DOI|PDF Link", "Document Title", "Abstract", "Publication Year|Year", "Publication Title"),
    "JabRef": ("BibliographyType|Identifier|Citationkey", "Title", "Abstract|Annote", "Year", "Journal|Booktitle"),
    "Lens": ("Lens ID|lens_id", "Title", "Abstract", "Publication Year|year_published", "Source Title|source.title"),
    "Mendeley": ("id|identifiers.doi", "title", "abstract", "year", "source"),
    "NBER, SSRN": ("paper|ssrn_id", "title", "abstract", "issue_date|date", "series|journal"),
    "OpenAlex": (
        "id", "title|display_name", "abstract|abstract_inverted_index", "publication_year|publication_date",
        "primary_location.source.display_name|host_venue.display_name"
    ),
    "Ovid": ("AN|UI", "TI|Title", "AB|Abstract", "YR|Year of Publication", "JN|SO|Source"),
    "ProQuest": ("StoreId", "Title", "Abstract", "year|pubdate", "pubtitle"),
    "PubMed": ("PMID", "Title", "Abstract", "Publication Year", "Journal/Book"),
    "Rayyan": ("key", "title", "abstract", "year", "journal"),
    "RIS": ("DO|AN|ID", "TI|T1", "AB|N2", "PY|Y1|year|DA", "JO|JF|T2"),
    "Scopus": ("EID|DOI", "Title", "Abstract", "Year", "Source title"),
    "Semantic Scholar": ("paperId|corpusId", "title", "abstract", "year|publicationDate", "venue|journal.name"),
    "Springer": ("Item DOI", "Item Title", "Abstract", "Publication Year", "Publication Title"),
    "Web of Science": ("UT (Unique WOS ID)", "Article Title", "Abstract", "Publication Year", "Source Title"),
    "Web of Science, tabs": ("UT", "TI", "AB", "PY", "SO"),
    "Zotero": ("Key", "Title", "Abstract Note", "Publication Year|Date", "Publication Title"),
}  # fmt: skip

Names = Mapping[str, Sequence[str]]
"""Field -> names of a file's columns or keys, the best first."""


def choose(present: Iterable[str], mapped: Mapping[str, str]) -> Names:
    """What a file calls the fields, by the exporter that knows most of its names; then by any exporter.

    `mapped` (field -> column) goes first where the file has that column. A field that the file lacks has no name.
    """
    every = [str(name) for name in reversed([*present])]
    spelled = {name.partition("(")[0].strip().lower(): name for name in every}
    spelled |= {name.strip().lower(): name for name in every}

    def names(exporter: tuple[str, ...], field: int) -> list[str]:
        listed = [name.strip() for name in (*exporter, _LICENCE)[field].lower().split("|")]
        return [spelled[name] for name in listed if name in spelled]

    exporters = [*EXPORTERS.values()]
    best = max(exporters, key=lambda one: (bool(names(one, 1)), sum(bool(names(one, field)) for field in range(5))))
    chosen = {}
    for at, field in enumerate(FIELDS):
        known = [*names(best, at), *(name for one in exporters for name in names(one, at) if at or not names(best, 0))]
        own = [mapped[field]] if mapped.get(field) in spelled.values() else []
        chosen[field] = list(dict.fromkeys([*own, *known]))[: 1 if own else None]
    return chosen


_NESTED: dict[str, list[str]] = {}
"""Key of an object -> names that go on within it."""
for _name in sorted(
    {name for names in EXPORTERS.values() for part in names for name in part.split("|") if "." in name}
):
    _NESTED.setdefault(_name.partition(".")[0], []).append(_name)


def flatten(paper: Mapping[str, Any]) -> Mapping[str, Any]:
    """The paper with the values that known exporters keep further in, under names such as `journal.name`."""
    heads = [key for key in paper if key in _NESTED]
    inner = {name: _dig(paper, name.split(".")) for key in heads for name in _NESTED[key]}
    return {**paper, **{name: value for name, value in inner.items() if value is not None}} if inner else paper


def _dig(value: Any, path: Sequence[str]) -> Any:
    """The value at the end of a path of keys, in the first of a list; None where the path breaks off."""
    for key in path:
        value = value[0] if isinstance(value, list) and value else value
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(value: Any) -> str | None:
    """A value of JSON as text: a number written out, the first text of a list, an inverted index restored."""
    if type(value) is str:
        return value
    while isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        named = next((value[name] for name in ("value", "name", "title", "display_name") if name in value), None)
        return named if isinstance(named, str) else restore(value)
    if isinstance(value, float):
        return None if math.isnan(value) else f"{value:.15g}"
    return value if isinstance(value, str) or value is None else str(value)


def restore(index: Mapping[str, Any]) -> str:
    """The text of an inverted index (word -> list of its places): the words in the order of their places."""
    places = [
        (place, word)
        for word, occurrences in index.items()
        if isinstance(occurrences, list)
        for place in occurrences
        if type(place) is int
    ]
    return " ".join(word for _, word in sorted(places))
