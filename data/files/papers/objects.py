"""Papers in JSON: one per line, a list, a response that holds a list, one alone; damaged ones for what they hold."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

import pyarrow as pa

from data.files.papers import bounded_reads
from data.files.papers.exporters import EXPORTERS, FIELDS, Names, choose, flatten, text_of
from data.files.papers.tables import BATCH

Paper = Mapping[str, Any]
"""A paper as its file has it; of a damaged one, the texts that are whole; nothing where there is none."""

_SAMPLE = 200
"""Papers by whose keys the exporter is known."""
_INNER = frozenset(("info", "_source", "message", "bibjson", "attributes", "item", "data", "paper", "document"))
"""Keys of what holds the paper itself: DBLP, Elasticsearch, a response of Crossref about one paper."""
_DEEPEST = 4
_TEXTS = "|".join(
    sorted({re.escape(name) for names in EXPORTERS.values() for part in names[1:4] for name in part.split("|")})
)
_MEMBER = re.compile(rf'"({_TEXTS})"\s{{0,99}}:\s{{0,99}}\[?\s{{0,99}}("(?:[^"\\]|\\.)*"|\d{{4}})', re.IGNORECASE)
_START = re.compile(r'(?:\A|\[|\}\s{0,99},?)\s{0,99}(?=\{\s{0,99}["}])')
"""Where an object may begin: a brace before a name or its end. Elsewhere, the decoder counts lines for its error."""
_LONGEST_NUMBER = 1000
"""Digits; Python refuses to read longer ones as a number."""
_DECODER = json.JSONDecoder(
    strict=False, parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_NUMBER else digits
)


def read(file: BinaryIO, mapped: Mapping[str, str]) -> tuple[list[str], Names, Iterator[pa.RecordBatch]]:
    """The keys of the papers, what the file calls the fields, and the papers."""
    papers = _papers(file, mapped)
    some = [*islice(papers, _SAMPLE)]
    keys = list(dict.fromkeys(str(key) for paper in some for key in paper))
    names = choose(keys, mapped)
    return keys, names, _batches(chain(some, papers), names)


def _batches(papers: Iterator[Paper], names: Names) -> Iterator[pa.RecordBatch]:
    while some := [*islice(papers, BATCH)]:
        arrays = [_column(some, names[field]) for field in FIELDS]
        yield pa.RecordBatch.from_arrays(arrays, list(FIELDS))


def _column(papers: list[Paper], names: Sequence[str]) -> pa.Array:
    """A field of the papers; lone halves of characters become question marks."""
    texts = [_first(paper, names) for paper in papers]
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        return pa.array([text and text.encode("utf-8", "replace").decode() for text in texts], pa.string())


def _first(paper: Paper, names: Sequence[str]) -> str | None:
    for name in names:
        if text := text_of(paper.get(name)):
            return text
    return None


def _papers(file: BinaryIO, mapped: Mapping[str, str]) -> Iterator[Paper]:
    top = b"\n"
    while top and not top.strip():
        top = file.readline(bounded_reads.MAX_LINE_BYTES)
    first = _load(top) if top.lstrip()[:1] == b"{" else None
    if first is not None and _list(first, mapped, 0)[:1] == [first]:
        return (_paper(line) for line in chain([top], bounded_reads.lines(file)) if line.strip(b" \t\r\n,]["))
    return _whole(top + bounded_reads.whole(file), mapped)


def _load(content: str | bytes) -> Any:
    try:
        return json.loads(content, strict=False)
    except (ValueError, RecursionError):
        return None


def _paper(line: bytes) -> Paper:
    """The paper of a line."""
    paper = _load(line) or _load(line.strip().removeprefix(b"[").removesuffix(b",").removesuffix(b"]"))
    return _unwrap(paper) if isinstance(paper, dict) else _salvage(line.decode("utf-8", "replace"))


def _salvage(text: str) -> Paper:
    """The texts of a damaged paper that are whole."""
    found = ((one[1], _load(one[2])) for one in _MEMBER.finditer(text))
    return {name: value for name, value in reversed([*found]) if value is not None}


def _is_paper(value: Any, mapped: Mapping[str, str]) -> bool:
    if not isinstance(value, dict):
        return False
    names = choose(_unwrap(value), mapped)
    return bool(names["title"] or names["abstract"])


def _unwrap(paper: Paper) -> Paper:
    """The paper itself, where what is listed holds it further in."""
    inner = next((paper[key] for key in paper if key in _INNER and isinstance(paper[key], dict)), None)
    is_outer = inner is not None and not choose(paper, {})["title"] and choose(inner, {})["title"]
    return flatten(inner if is_outer and inner is not None else paper)


def _whole(content: bytes, mapped: Mapping[str, str]) -> Iterator[Paper]:
    text = content.decode("utf-8", "replace")
    tree = _load(text)
    if tree is None:
        return _damaged(text, mapped)
    listed = _list(tree, mapped, 0)
    return iter([_unwrap(one) if isinstance(one, dict) else {} for one in listed])


def _list(tree: Any, mapped: Mapping[str, str], depth: int) -> list[Any]:
    """The list of papers that lies highest in the tree, or all papers of a list of responses; one paper alone is a
    list of itself.

    An object with nothing but a title may be a list's name.
    """
    if isinstance(tree, list) and any(_is_paper(one, mapped) for one in tree[:_SAMPLE]):
        return tree
    if depth > _DEEPEST:
        return []
    if isinstance(tree, list):
        return [paper for one in tree for paper in _list(one, mapped, depth + 1)]
    if not isinstance(tree, dict):
        return []
    is_paper = _is_paper(tree, mapped)
    if is_paper and len([*filter(None, choose(_unwrap(tree), mapped).values())]) > 1:
        return [tree]
    inner = [found for value in tree.values() if (found := _list(value, mapped, depth + 1))]
    lists = (found for found in inner if len(found) > 1)
    return next(lists, [tree] if is_paper else next(iter(inner), []))


def _damaged(text: str, mapped: Mapping[str, str]) -> Iterator[Paper]:
    """The papers of damaged JSON: each object that is whole, and what can be made out of the text between two."""
    end = failed = 0
    for found in _START.finditer(text):
        if found.end() < max(end, failed):
            continue
        try:
            paper, following = _DECODER.raw_decode(text, found.end())
        except json.JSONDecodeError as fault:
            failed = max(fault.pos, found.end() + 1)
            continue
        except RecursionError:
            failed = len(text)
            continue
        if _is_paper(paper, mapped):
            yield from _between(text[end : found.start()])
            yield _unwrap(paper)
            end = following
    yield from _between(text[end:])


def _between(text: str) -> Iterator[Paper]:
    """The damaged paper of a text, if it holds any."""
    if re.search(r'"[^"]{0,20}(?:title|abstract)', text, re.IGNORECASE):
        yield _salvage(text)
