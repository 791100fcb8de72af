"""Web pages of no known site that list terms: `<dl>`, tables with two columns or a header, `<details>`, or headings and
paragraphs as in Markdown; and XML whose records name their sides, as Mnemosyne, Moodle and DocBook write it.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html.entities import html5

from lxml import etree
from lxml.html import defs

from crawler.cards.advice import OfferedRow, offer_skip
from crawler.cards.markup import plain_text
from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags
from crawler.formats.sides.cards import card_of, title_of
from crawler.formats.sides.headers import find_named, find_parts, find_sides, find_strong_sides
from crawler.formats.sides.table import Row, lay_out, tabulate
from crawler.formats.texts.names import MIN_PAIRS, are_explained
from crawler.formats.texts.plain import read_plain
from crawler.formats.texts.rows import read_rows
from crawler.formats.texts.shapes.entry import MAX_TERMS
from crawler.pages import html

_FRAGMENT = re.compile(r"\s*<[a-zA-Z!]")
_LISTING = re.compile(r"^[ \t]*<(?:dl|table|details)\b|</(?:dd|details)>", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(r"^[ \t]{0,20}<(?:dl|table)\b", re.IGNORECASE | re.MULTILINE)
_XML = re.compile(r"\s*<(?:\?xml\b|([A-Za-z][\w:.-]{0,60})[^<>]{0,1000}>)")
_ENTITY = re.compile(r"&([A-Za-z][\w.-]{0,60});")
"""Of these, HTML knows some, which stay; a file's own ones, whose text is elsewhere, leave their name."""
_XML_SIDES = (("q", "a"), ("f", "b"), ("glossterm", "glossdef"))
"""Elements that are the sides in Mnemosyne's exports, from version 2 on in the second form, and in DocBook."""
_TITLED = {"definition": (("title", "statement"),), "li": (("title", "p"),), "gi": (("title", "p"),)}
"""The sides of PreTeXt's definitions, and of the items of its lists and glossaries, by the element around them."""
_MARKS = {**{f"h{level}": f"{'#' * level} " for level in range(1, 7)}, "p": "", "li": "- "}
_OPEN, _CLOSED = re.compile(r"<(?=d[td]\b)", re.IGNORECASE), re.compile(r"</d[td]\b", re.IGNORECASE)
"""Where there are no end tags, libxml2 takes a second term for a part of the first."""

_STOP = re.compile(r"([^\W\d_]{3}|\))\.((?:\s*+</\w{1,20}>)*+\s*+)\Z")
"""A full stop at the end of a term."""
_BREAKS = re.compile(r"(?:<br\s{0,9}/?>\s*+){2,}", re.IGNORECASE)
_APART = ("script", "style", "noscript", "template", "nav", "footer", "aside")
"""Elements of a page that are no part of its text."""
_SHARE = 0.2
"""Share of a page's text that its lists of terms must have."""

Sides = tuple[str, str]
"""Front and back in HTML."""


def is_fragment(text: str) -> bool:
    """Whether a text is XML, or a part of a page that lists terms and no table of cards with markup in its columns."""
    if is_xml(text):
        return True
    if _FRAGMENT.match(text) is None or _LISTING.search(text) is None:
        return False
    return not any("\t" in line.strip() for line in text.split("\n"))


def is_xml(text: str) -> bool:
    """Whether a text is XML, and no part of a web page."""
    first = _XML.match(text)
    name = first[1] if first else ""
    end = text.rstrip()
    end = end[: end.rfind("<!--")].rstrip() if end.endswith("-->") else end
    return first is not None and (not name or (name not in defs.tags and end.endswith(f"</{name}>")))


def has_listing(text: str) -> bool:
    """Whether a text has a list of definitions or a table of a web page in it, as Markdown may."""
    return _LISTED.search(text) is not None


def read_page(name: str, text: str, choice: LayoutFlags = DETECT_ALL) -> Outcome | None:
    """The deck of a page's lists of terms, or of XML's records; None where it has none.

    A table of three columns or more whose header is unknown is read as any other table is. Findings: as
    `rows.read_rows`; `unknown_purpose` (such lists are a small part of the page). By its `shape` in the `choice` a list
    is read whatever its share.
    """
    if is_xml(text) and (pairs := list(_read_xml(text))):
        return _gather(name, "records of XML", pairs)
    text = _BREAKS.sub("<p>", text)
    page = html.parse(text if _CLOSED.search(text) else _OPEN.sub("</dt></dd><", text))
    title = " ".join(page.xpath("string(//title)").get("").split())
    root = page.root
    etree.strip_elements(root, *_APART, with_tail=False)
    for link in root.xpath("//a[contains(@class, 'headerlink') or contains(@class, 'anchor-link')]"):
        link.text = ""  # Sphinx' and Jupyter's sign behind each term and heading
    is_table = bool(choice.fields or choice.columns)
    found = {} if is_table else _find_listings(root, choice.shape)
    if found:
        pairs = list(itertools.chain.from_iterable(pairs for _, pairs in found.values()))
        outcome = _gather(name, " and ".join(read_as for read_as, _ in found.values()), pairs, title)
        return _doubt_purpose(outcome, root, next(iter(found))) if outcome and not choice.shape else outcome
    if not choice.shape and (rows := _wide_rows(root)) and (table := tabulate(rows, choice)):
        outcome = read_rows(name, lay_out(table, choice), Deck(set_id=name, title=title or title_of(name), cards=()))
        if is_table or not outcome.decks or outcome.findings:
            return outcome
    outcome = read_plain(name, "\n\n".join(_lines(root)), choice)
    return outcome if outcome.decks or outcome.findings[0].kind != "unknown_format" else None


def _doubt_purpose(outcome: Outcome, root: etree._Element, shape: str) -> Outcome:
    """The outcome, or a finding where its cards are a small part of the page."""
    (deck,) = outcome.decks
    n_all = len(" ".join(" ".join(map(str, root.itertext("*"))).split()))
    n_told = sum(len(card.front) + len(card.back) for card in deck.cards)
    if n_told >= _SHARE * n_all:
        return outcome
    ways = f"{deck.read_as}, {len(deck.cards):,} entries such as «{deck.cards[0].front[:40]}»"
    row = OfferedRow(path=deck.set_id, cells={"shape": shape}, effect="reads these")
    detail = f"{deck.set_id}: much of the page is no entry; what may be entries: {ways}"
    return Outcome(findings=(Finding(kind="unknown_purpose", detail=detail, offers=(row, offer_skip(deck.set_id))),))


def _wide_rows(root: etree._Element) -> list[Row]:
    """The cells of the tables of three columns or more that have one first row, as plain text: those with most rows."""
    tables: defaultdict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for table in root.iter("table"):
        first, *rest = [[plain_text(_inner(cell))[0] for cell in row] for row in _cells(table)] or [[]]
        if len(first) > 2:
            tables[tuple(first)] += rest
    head, rows = max(tables.items(), key=lambda one: len(one[1]), default=((), []))
    return list(enumerate([list(head), *rows], 1)) if len(rows) >= MIN_PAIRS else []


def _cells(table: etree._Element) -> list[list[etree._Element]]:
    """The rows with cells of a table that holds no other one."""
    if next(table.iterdescendants("table"), None) is not None:
        return []
    rows = ([cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr"))
    return [row for row in rows if row]


def _find_listings(root: etree._Element, shape: str | None) -> dict[str, tuple[str, list[Sides]]]:
    """The name of the shape in which terms are listed, of all or of this one -> how it is read, and their pairs. What
    holds such a list, or lies in it, is no list itself.
    """
    found: dict[str, tuple[str, list[Sides]]] = {}
    related: set[etree._Element] = set()
    for name, read_as, tag, read in (
        ("indented", "a list of terms (dl)", "dl", _terms),
        ("columns", "a table of terms", "table", _rows),
        ("headings", "texts to unfold (details)", "details", _unfold),
        ("sections", "parts that are called like sides", "*", _called),
    ):
        listings = [each for each in root.iter(tag) if each not in related]
        pairs = _explained([list(read(each)) for each in listings]) if shape in (None, name) else []
        if pairs:
            found[name] = read_as, pairs
            for each in listings:
                if each not in related:
                    related.update(each.iterancestors(), each.iterdescendants())
    return found


def _gather(name: str, read_as: str, pairs: Iterable[Sides], title: str = "") -> Outcome | None:
    entries = ((f"entry {at}", _card(*pair)) for at, pair in enumerate(pairs, 1))
    cards, skipped = gather(entries)
    deck = Deck(set_id=name, title=title or title_of(name), cards=cards, read_as=read_as)
    return Outcome(decks=(deck,), skipped=skipped) if cards else None


def _card(front: str, back: str) -> Card | str:
    card = card_of(front, back, html=True)
    if isinstance(card, Card) and not card.front:
        return "empty_front"
    return card if isinstance(card, str) or card.back or card.media else "no_text"


def _explained(groups: Sequence[list[Sides]]) -> list[Sides]:
    """The pairs of all groups if they are terms and texts, else the pairs of the groups that are."""
    whole = [pair for group in groups for pair in group]
    chosen = [whole] if _are_terms(whole) else list(filter(_are_terms, groups))
    return [(_STOP.sub(r"\1\2", front), back) for group in chosen for front, back in group]


def _are_terms(pairs: Sequence[Sides]) -> bool:
    texts = [(plain_text(_STOP.sub(r"\1\2", front))[0], " ".join(plain_text(back)[0].split())) for front, back in pairs]
    filled = [pair for pair in texts if pair[0] and pair[1]]
    names = dict(filled)
    return min(len(filled), 2 * len(names)) >= max(MIN_PAIRS, len(pairs) / 2) and are_explained(list(names.items()))


def _terms(listing: etree._Element) -> Iterator[Sides]:
    """The pairs of a `dl`: every term above a text has it, and every text of several is one."""
    terms: list[str] = []
    is_told = False
    parts = [part for child in listing for part in (child if child.tag == "div" else [child])]
    for part in parts:
        if part.tag == "dt":
            terms, is_told = ([] if is_told else terms[-MAX_TERMS:]), False
            terms.append(_inner(part))
        elif part.tag == "dd":
            is_told = True
            yield from ((term, _inner(part)) for term in terms)


def _rows(table: etree._Element) -> list[Sides]:
    """The pairs of a table: by its header, or where it has two columns."""
    rows = _cells(table)
    names = [[plain_text(_inner(cell))[0] for cell in row] for row in rows[:1]]
    sides = find_sides(names[0]) if names else None
    if sides is None and 2 * sum(len(row) == 2 for row in rows) <= len(rows):
        return []
    is_header = sides is not None or (bool(rows) and all(cell.tag == "th" for cell in rows[0]))
    front, back = sides or (0, 1)
    return [(_inner(row[front]), _inner(row[back])) for row in rows[is_header:] if len(row) > max(front, back)]


def _unfold(details: etree._Element) -> list[Sides]:
    """The summary and what it unfolds, if there is one."""
    summary = details.find("summary")
    if summary is None:
        return []
    rest = "".join(etree.tostring(part, encoding="unicode") for part in details if part is not summary)
    return [(_inner(summary), f"{details.text or ''}{summary.tail or ''}{rest}")]


def _called(element: etree._Element) -> list[Sides]:
    """The parts of an element whose classes are called like the sides."""
    parts = [part for part in element if isinstance(part.tag, str) and part.get("class")]
    sides = find_parts([part.get("class", "").replace("-", " ") for part in parts]) if len(parts) > 1 else None
    return [(_inner(parts[sides[0]]), _inner(parts[sides[1]]))] if sides else []


def _lines(root: etree._Element) -> Iterator[str]:
    """The headings, paragraphs and items of lists of a page, with Markdown's marks."""
    for element in root.iter(*_MARKS):
        text = " ".join(plain_text(_inner(element))[0].split())
        first = next(iter(element), None)
        if first is not None and first.tag in ("b", "strong") and not (element.text or "").strip():
            bold = " ".join("".join(map(str, first.itertext())).split())
            text = f"**{bold}**{text.removeprefix(bold)}" if bold and text.startswith(bold) else text
        if text and next(element.iterdescendants(*_MARKS), None) is None:
            yield f"{_MARKS[str(element.tag)]}{text}"


def _inner(element: etree._Element) -> str:
    return str(etree.tostring(element, encoding="unicode", with_tail=False))


def _read_xml(text: str) -> Iterator[Sides]:
    """The sides of each element whose children are named like sides, as in the exports of Moodle and Mnemosyne."""
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, recover=True, remove_pis=True)
    root = etree.fromstring(_ENTITY.sub(_name_entity, text).encode(), parser)
    for record in root.iter("{*}*") if root is not None else ():
        parts = [part for part in record if isinstance(part.tag, str)]
        names = [etree.QName(part).localname for part in parts]
        pairs = _TITLED.get(etree.QName(record).localname, _XML_SIDES)
        front, back = find_named(names, pairs) or find_strong_sides(names)
        if front is not None and back is not None:
            yield _content(parts[front]), _content(parts[back])


def _name_entity(found: re.Match[str]) -> str:
    return found[0] if f"{found[1]};" in html5 else found[1]


def _content(element: etree._Element) -> str:
    return (element.text or "") + "".join(str(etree.tostring(part, encoding="unicode")) for part in element)
