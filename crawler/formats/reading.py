"""Recognise a card file by its content and read its cards."""

import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from gzip import GzipFile
from typing import Any

from crawler.cards.advice import OfferedRow
from crawler.cards.outcome import Finding, Outcome
from crawler.cards.texts import split_lines
from crawler.cards.tidy import tidy
from crawler.formats.archive import NO_DECK, is_tar, read_archive
from crawler.formats.hypertext import has_listing, is_fragment, read_page
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags, with_cells
from crawler.formats.packages.anki import is_package, read_package
from crawler.formats.packages.crowdanki import is_crowdanki, read_crowdanki
from crawler.formats.packages.database import MAGIC
from crawler.formats.packages.tables import read_database
from crawler.formats.remedies import settle, with_offer
from crawler.formats.saved import read_saved_json, read_saved_page
from crawler.formats.sides.columns import offer_fields
from crawler.formats.sides.doubts import confirm, doubt_cards, doubt_lost
from crawler.formats.sides.headers import Named, find_named
from crawler.formats.texts.blocks import is_called_glossary
from crawler.formats.texts.markdown import is_note, read_note
from crawler.formats.texts.nested import merge
from crawler.formats.texts.notations import read_notation, read_program
from crawler.formats.texts.plain import read_plain
from crawler.formats.texts.records import Records, TreeError, find_records, first_texts, read_records, read_yaml
from data.console.messages import quantity
from data.files.characters import decode
from data.files.deadline import PROCESSOR_SECONDS, DeadlineError, deadline
from data.files.workbooks import is_workbook

MAX_BYTES = 64 * 2**20
"""A file that unpacks to more is not a deck, or is a bomb."""

MAX_TEXT_BYTES = 16 * 2**20
"""A longer text is not a deck: the longest known ones, of 40,000 notes, have a quarter of it."""

MAX_DEPTH = 2
"""Levels of archives within archives."""

_GZIP, _ZIP = b"\x1f\x8b", b"PK"
_PACKAGE_NAME = re.compile(r"\.(apkg|colpkg)(\.gz)?$", re.IGNORECASE)
_YAML = re.compile(
    r"^(?:notes|cards|flashcards|deck|items|terms):[ \t]*(?:#.*)?$|\A(?:---[ \t]*\n)?(?:#.*\n)*- +\S+:", re.MULTILINE
)
"""A key that holds a list, or a list of records at the start."""
_COMPONENT = re.compile(r"^:{2,4}[\w-]{1,40}\n---\n((?:(?!---\n).*\n)++)---\n", re.MULTILINE)
"""What a page of Nuxt has for a component: YAML, of which records may be a part."""
_YAML_NAME = re.compile(r"\.ya?ml(\.gz)?$", re.IGNORECASE)
_PAGE_NAME = re.compile(r"\.html?(\.gz)?$", re.IGNORECASE)
_JSON_NAME = re.compile(r"\.json(\.gz)?$", re.IGNORECASE)
_KEY = re.compile(r"\s*(?:- )?(?:[\w'\"][^#:]{0,80}|:\w{1,80}):(?:\s.*|$)")
_BLOCK = re.compile(r".*:[ \t]*[|>][+-]?")
"""A key whose text is below it."""
_MARGIN = re.compile(r"(?:- |[\w'\"][^:]{0,80}:(?:\s|$)|[}\]])")
_PAGE = re.compile(r"\s*(?:<!--[^<>]{0,2000}-->\s{0,99}){0,3}<(\?xml|!doctype|html|head|body)\b", re.IGNORECASE)
_SCRIPT = re.compile(r"<script[^<>]{0,1000}>((?:[^<]|<(?!/script))*+)", re.IGNORECASE)
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


Layouts = Callable[[str], LayoutFlags]
"""What the operator says about the file, or the member of an archive, with this name."""


def read(name: str, content: bytes, layout: LayoutFlags = DETECT_ALL, layouts: Layouts | None = None) -> Outcome:
    """The cards of a file, or a finding that says why there are none; bad content never raises.

    `name`, the path to be recorded as provenance, becomes the deck's `set_id`. The format is recognised by the bytes;
    gzip around any format is unpacked, archives are read member by member. `layout` is what the operator says about
    the file, or `layouts` about each member. Each finding has the row of a sheet that answers it. Findings:
    `unknown_format`, `empty_file`, `too_large`, `too_slow`, `corrupt_gzip`, `not_a_package` (a package by its name but
    not by its content), and the findings of the formats.
    """
    said = layouts or (lambda _: layout)
    outcome = _read(name, content, said, depth=0).cleaned()
    outcome = replace(outcome, decks=tuple(map(tidy, outcome.decks)))
    guessed = [deck for deck in outcome.decks if not said(deck.file).names_sides()]
    doubts = [finding for deck in guessed for finding in doubt_cards(deck)]
    doubts += doubt_lost(name, outcome, sorted({deck.file for deck in guessed}))
    doubts = [_without_losses(found, name, content, said, _count(outcome)) for found in doubts]
    if outcome.decks and outcome.skipped and not outcome.findings and not any(deck.cards for deck in outcome.decks):
        doubts += _doubt_empty(name, outcome)
    return replace(outcome, findings=tuple(with_offer(name, found) for found in (*outcome.findings, *doubts)))


def _without_losses(finding: Finding, name: str, content: bytes, said: Layouts, n_cards: int) -> Finding:
    """The finding without the rows that name fields and give fewer cards than there are."""

    def count(offer: OfferedRow) -> int:
        cells = {column: [cell] for column, cell in offer.cells.items()}
        told = {offer.path: with_cells(said(offer.path), cells)}
        return _count(_read(name, content, lambda path: told.get(path) or said(path), depth=0).cleaned())

    offers = (offer for offer in finding.offers if "fields" not in offer.cells or count(offer) >= n_cards)
    return replace(finding, offers=tuple(offers))


def _doubt_empty(name: str, outcome: Outcome) -> list[Finding]:
    reasons = Counter(reason for _, reason in outcome.skipped).most_common()
    if all(reason == "left_out" for reason, _ in reasons):
        return []
    why = ", ".join(f"{n:,} {reason}" for reason, n in reasons)
    way = "a text with gaps names no term" if reasons[0][0] == "cloze" else "look at it with -a preview=yes"
    entries = quantity(len(outcome.skipped), "entry", "entries")
    return [Finding(kind="no_cards", detail=f"{name}: {entries}, no card ({why}); {way}")]


def _read(name: str, content: bytes, layouts: Layouts, *, depth: int) -> Outcome:
    layout = layouts(name)
    if layout.skip:
        return Outcome(skipped=((name, "left_out"),))
    if content.startswith(_GZIP):
        try:
            content = GzipFile(fileobj=io.BytesIO(content)).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            return _refuse("corrupt_gzip", f"{name}: {error}")
        if len(content) > MAX_BYTES:
            return _refuse("too_large", f"{name}: more than {MAX_BYTES >> 20} MiB when unpacked")
    packaged = _PACKAGE_NAME.search(name) is not None or (content.startswith(_ZIP) and is_package(content))
    workbook = is_workbook(content)
    if not workbook and not packaged and (is_tar(content) or content.startswith(_ZIP)):
        return _read_archive(name, content, layouts, depth)

    def attempt(flags: LayoutFlags) -> Outcome:
        return _read_package(name, content, flags) if packaged else _read_plain(name, content, flags)

    try:
        with deadline():
            if workbook:
                return _read_archive(name, content, lambda sheet: replace(layouts(sheet), separator=","), depth)
            outcome = attempt(layout)
    except DeadlineError:
        outcome = _refuse("too_slow", f"{name}: not read in {PROCESSOR_SECONDS:.0f} seconds")
    if not (depth and all(finding.kind in NO_DECK for finding in outcome.findings)):
        outcome = settle(outcome, layout, attempt, len(content))
    return replace(outcome, decks=tuple(replace(deck, file=name) for deck in outcome.decks))


def _read_plain(name: str, content: bytes, layout: LayoutFlags) -> Outcome:
    is_database = content.startswith(MAGIC)
    return read_database(name, content, layout) if is_database else _read_text(name, content, layout)


def _read_package(name: str, content: bytes, layout: LayoutFlags) -> Outcome:
    if content.startswith(_ZIP):
        return read_package(name, content, layout.fields)
    return _refuse("not_a_package", f"{name}: named like an Anki package, but not a zip")


def _read_archive(name: str, content: bytes, layouts: Layouts, depth: int) -> Outcome:
    if depth == MAX_DEPTH:
        return _refuse("nested_archive", f"{name}: an archive within {MAX_DEPTH} others")
    return read_archive(name, content, lambda member, part: _read(member, part, layouts, depth=depth + 1))


def _read_text(name: str, content: bytes, layout: LayoutFlags) -> Outcome:
    if len(content) > MAX_TEXT_BYTES:
        return _refuse("too_large", f"{name}: more than {MAX_TEXT_BYTES >> 20} MiB of text")
    text = decode(content)
    if text is None:
        found = f"no text in UTF-8, UTF-16 or Windows-1252, and of no known kind; begins with {content[:16]!r}"
        return _refuse("unknown_format", f"{name}: {found}")
    outcome = _read_characters(name, text.content, layout)
    return replace(outcome, n_dropped=outcome.n_dropped + text.n_dropped)


def _read_characters(name: str, text: str, layout: LayoutFlags) -> Outcome:
    if not text.strip():
        return _refuse("empty_file", f"{name}: nothing but white space")
    if _PAGE.match(text) or (_PAGE_NAME.search(name) and text.lstrip().startswith("<")):
        saved = read_saved_page(name, text.encode())
        is_unknown = not saved.decks and saved.findings[0].kind == "unknown_format"
        return (read_page(name, text, layout) or _read_scripts(name, text, layout) if is_unknown else None) or saved
    if is_note(text):
        return read_note(name, text, layout.fields)
    is_page = is_fragment(text)
    outcome = None if is_page else _read_tree_or_plain(name, text, layout)
    has_list = is_page or ((layout == DETECT_ALL or layout.shape) and has_listing(text))
    page = read_page(name, text, layout) if has_list else None
    if page is None:
        return outcome or _read_tree_or_plain(name, text, layout)
    return page if outcome is None or _count(page) > _count(outcome) else outcome


def _read_scripts(name: str, text: str, layout: LayoutFlags) -> Outcome | None:
    """The deck in the data of a page's programs; None where they have none."""
    tree = read_program("\n".join(_SCRIPT.findall(text)))
    records = find_records(tree, layout.fields) if tree else []
    return read_records(name, records, layout) if records else None


def _count(outcome: Outcome) -> int:
    return sum(len(deck.cards) for deck in outcome.decks)


def _read_tree_or_plain(name: str, text: str, layout: LayoutFlags) -> Outcome:
    """JSON, YAML, LaTeX, Turtle or plain text, which may have a line such as `notes:` and then looks like YAML."""
    if (entries := read_notation(text)) is not None:
        return _read_tree(name, entries, layout)
    is_named = _YAML_NAME.search(name) is not None
    tree = _tree(text, is_named=is_named, is_json=_JSON_NAME.search(name) is not None)
    if tree is None:
        return read_plain(name, text, layout)
    outcome = _read_tree(name, tree, layout)
    is_tree = not isinstance(tree, TreeError)
    if outcome.decks or text.lstrip()[:1] in ("{", "[") or (is_named and is_tree) or _is_yaml(text):
        return outcome
    plain = read_plain(name, text, layout)
    is_other = not is_tree and not is_named
    return plain if plain.decks or is_other else outcome


def _read_tree(name: str, tree: Any, layout: LayoutFlags) -> Outcome:
    """A tree of a known kind."""
    if isinstance(tree, TreeError):
        return _read_before(name, tree, layout)
    if is_crowdanki(tree):
        return read_crowdanki(name, tree, layout.fields)
    if (saved := read_saved_json(name, tree)) is not None:
        return saved
    records = _find_records(name, tree, layout.fields)
    if not records:
        keys, texts = first_texts(tree)
        these = f"; its records have {', '.join(keys[:8])}" if keys else ""
        detail = f"{name}: JSON, YAML, LaTeX or Turtle, but not a deck of a known kind{these}"
        may_guess = is_called_glossary(name)
        offers = offer_fields(name, keys, texts)
        return Outcome(findings=(Finding(kind="unknown_format", detail=detail, offers=offers, may_guess=may_guess),))
    return read_records(name, records, layout)


def _find_records(name: str, tree: Any, named: Named) -> list[Records]:
    """The decks in a tree; of the levels of records that have the `named` sides, the one that counts if nothing is
    named, where it has more of these.
    """
    is_titled = is_called_glossary(name)
    found = find_records(tree, named, is_titled=is_titled)
    plain = find_records(tree, is_titled=is_titled) if named else []
    rows = [row for records in plain for row in records.rows]
    n_named = sum(isinstance(row, Mapping) and find_named([*map(str, row)], named) is not None for row in rows)
    return plain if n_named > max(sum(len(records.rows) for records in found), len(rows) / 2) else found


def _read_before(name: str, error: TreeError, layout: LayoutFlags) -> Outcome:
    """What is before the fault of a tree, with a finding, and the row that says that this is enough."""
    outcome = Outcome() if error.before is None else _read_tree(name, error.before, layout)
    cards = [card for deck in outcome.decks for card in deck.cards]
    if not cards:
        return _refuse("corrupt_deck", f"{name}: {error}")
    detail = f"{name}: {error}; read before that: {quantity(len(cards), 'card')}"
    offers = confirm(replace(outcome.decks[0], file=name), cards)[1]
    finding = Finding(kind="corrupt_deck", detail=detail, offers=offers)
    return outcome if layout.names_sides() else replace(outcome, findings=(*outcome.findings, finding))


def _tree(text: str, *, is_named: bool, is_json: bool) -> Any:
    """The JSON or YAML value of the text, a list for JSON lines, the records of a list that is written as in a
    program (JSON5, CSON); a TreeError for a damaged deck; None for anything else.
    """
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text, strict=False, object_pairs_hook=merge)  # its texts may hold line ends
        except (ValueError, RecursionError) as error:
            lines = _lines(text)
            if lines is None and is_json:
                return TreeError(f"JSON that cannot be read: {error}", _load_before(text, getattr(error, "pos", 0)))
            return read_program(text) if lines is None else lines
    parts = _COMPONENT.findall(text) if "\n::" in text else []
    if not (is_named or parts or _YAML.search(text) or _is_yaml(text)):
        return None
    try:
        return list(map(read_yaml, parts)) or read_yaml(text)
    except TreeError as error:
        return error


def _load_before(text: str, end: int) -> Any:
    """The value of JSON up to the last object that is whole before its fault at `end`; None where there is none."""
    around: list[str] = []
    last, rest = 0, ""
    for token in _BRACKET.finditer(text, 0, end):
        if token[0] in _CLOSING:
            around.append(_CLOSING[token[0]])
        elif around and token[0] == around[-1]:
            around.pop()
            last, rest = (token.end(), "".join(reversed(around))) if token[0] == "}" else (last, rest)
    try:
        return json.loads(text[:last] + rest, strict=False, object_pairs_hook=merge) if last else None
    except (ValueError, RecursionError):
        return None


def _is_yaml(text: str) -> bool:
    """Whether a text begins with a key, and almost all lines at the margin are keys or items."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith(("#", "---"))]
    margin = [line for line in lines if not line[0].isspace()]
    n_keys = sum(_KEY.match(line) is not None for line in lines)
    n_blocks = sum(_BLOCK.fullmatch(line) is not None for line in margin)
    return (
        bool(margin)
        and _KEY.fullmatch(margin[0]) is not None
        and all(map(_MARGIN.match, margin))
        and (2 * n_keys > len(lines) > 2 * len(margin) or 2 * n_blocks > len(margin))
    )


def _lines(text: str) -> list[Any] | None:
    """The values of JSON lines; None where a line is something else."""
    try:
        return [json.loads(line, object_pairs_hook=merge) for line in split_lines(text) if line.strip()]
    except (ValueError, RecursionError):
        return None


def _refuse(kind: str, detail: str) -> Outcome:
    return Outcome(findings=(Finding(kind=kind, detail=detail),))
