"""The five fields of a paper in the JSON of OpenAlex and arXiv, and in Zotero's columns."""

from collections.abc import Mapping
from typing import Any

from crawler.papers.bibliographies import year_of

ZOTERO = {
    "id": "Key",
    "title": "Title",
    "abstract": "Abstract Note",
    "year": "Publication Year",
    "venue": "Publication Title",
}
"""Field -> column of Zotero's CSV export."""


def as_plain(paper: dict[str, Any]) -> dict[str, Any]:
    """The paper with id, title, abstract, year and venue where OpenAlex or arXiv has them elsewhere; else unchanged."""
    if "abstract_inverted_index" in paper or str(paper.get("id")).startswith("https://openalex.org/W"):
        return paper | _from_openalex(paper)
    if isinstance(paper.get("versions"), list) or "update_date" in paper:
        return {"year": _arxiv_year(paper)} | paper
    return paper


def _from_openalex(work: Mapping[str, Any]) -> dict[str, Any]:
    places = (_dig(work, "primary_location", "source"), work.get("host_venue"))
    names = (_dig(place, "display_name") for place in places)
    index = work.get("abstract_inverted_index")
    return {
        "title": work.get("title") or work.get("display_name"),
        "abstract": restore(index) if isinstance(index, Mapping) else work.get("abstract"),
        "year": work.get("publication_year") or year_of(work.get("publication_date")),
        "venue": next((name for name in names if isinstance(name, str)), None),
    }


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


def _arxiv_year(paper: Mapping[str, Any]) -> str | None:
    """The year of the first version, or of the last change."""
    versions = paper.get("versions")
    first = versions[0] if isinstance(versions, list) and versions else None
    return year_of(_dig(first, "created")) or year_of(paper.get("update_date"))


def _dig(value: Any, *path: str) -> Any:
    """The value at the end of a path of keys; None where the path breaks off."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
