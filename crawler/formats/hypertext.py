"""Web pages of no known site, read as the Markdown that shows the same; and XML whose records name their sides, as
Mnemosyne, Moodle and DocBook write it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.entities import html5

from lxml import etree
from lxml.html import defs

from crawler.cards.outcome import Deck, Outcome
from crawler.formats.layout_flags import DETECT_ALL, LayoutFlags
from crawler.formats.sides.cards import NamedColumns, build_deck, title_of
from crawler.formats.sides.headers import Named, find_named, find_sides, find_sure_sides, is_back_name
from crawler.formats.texts.blocks import explains_terms
from crawler.formats.texts.blocks import read_page as read_markdown
from crawler.formats.texts.names import MIN_PAIRS
from crawler.formats.texts.plain import read_plain
from crawler.formats.texts.rows import read_table
from crawler.formats.texts.shapes.tables import find_main_table
from crawler.formats.texts.web import rewrite
from crawler.pages import html

_FRAGMENT = re.compile(r"\s*<[a-zA-Z!]")
_LISTING = re.compile(r"^[ \t]*<(?:dl|table|details)\b|</(?:dd|details)>", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(r"^[ \t]{0,20}<(?:dl|table|h[2-6])\b", re.IGNORECASE | re.MULTILINE)
_XML = re.compile(r"\s*(?:<!DOCTYPE\s{1,9}(?!html)[^<>]{1,500}>\s*)?<(?:\?xml\b|([A-Za-z][\w:.-]{0,60})[^<>]{0,1000}>)")
_ENTITY = re.compile(r"&([A-Za-z][\w.-]{0,60});")
"""Of these, HTML knows some, which stay; a file's own ones, whose text is elsewhere, leave their name."""
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n){0,200}?---[ \t]*\n")
"""What page generators have above a page."""
_XML_SIDES = (("q", "a"), ("f", "b"), ("glossterm", "glossdef"))
"""Elements that are the sides in Mnemosyne's exports, from version 2 on in the second form, and in DocBook."""
_TITLED = {"definition": (("title", "statement"),), "li": (("title", "p"),), "gi": (("title", "p"),)}
"""The sides of PreTeXt's definitions, and of the items of its lists and glossaries, by the element around them."""
_OF_GLOSSARY = {"section": (("title", "para"),), "sect1": (("title", "para"),), "sect2": (("title", "para"),)}
"""The same of the sections of a text in DocBook that explains terms."""
_OPEN, _CLOSED = re.compile(r"<(?=d[td]\b)", re.IGNORECASE), re.compile(r"</d[td]\b", re.IGNORECASE)
"""Where there are no end tags, libxml2 takes a second term for a part of the first."""


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
    """The deck of a page's terms, or of XML's records; None where it has none.

    A page is read as the Markdown that shows the same, by `plain.read_plain`; a table of three columns or more whose
    header is unknown, as any other table is, by `rows.read_rows`. Findings: as theirs.
    """
    if is_xml(text):
        deck = Deck(set_id=name, title=title_of(name), cards=(), read_as="records of XML")
        found = list(_read_xml(text, choice.fields, _TITLED))
        if not found and explains_terms(name.rpartition("/")[2]):
            found = list(_read_xml(text, choice.fields, _OF_GLOSSARY))
        outcome = build_deck(deck, ((f"entry {at}", *row) for at, row in enumerate(found, 1)))
        if outcome.decks[0].cards:
            return outcome
    text = _FRONT_MATTER.sub("", text)
    page = html.parse(text if _CLOSED.search(text) else _OPEN.sub("</dt></dd><", text))
    title = " ".join(page.xpath("string(//title)").get("").split())
    rewritten = rewrite(page.root)
    deck = Deck(set_id=name, title=title or title_of(name), cards=())
    names, rows = find_main_table(read_markdown(rewritten))
    is_wide = len(names) > 2 and len(rows) >= MIN_PAIRS and not choice.shape
    of_table = read_table(name, enumerate([names, *rows], 1), choice, deck) if is_wide else None
    if of_table and (choice.columns or choice.fields):
        return of_table
    outcome = read_plain(name, rewritten, choice, is_web=True)
    if outcome.decks or outcome.findings[0].kind != "unknown_format":
        return replace(outcome, decks=tuple(replace(one, title=deck.title) for one in outcome.decks))
    return of_table or (outcome if any(finding.offers for finding in outcome.findings) else None)


def _read_xml(text: str, named: Named, titled: Mapping[str, Named]) -> Iterator[tuple[NamedColumns, list[str]]]:
    """Each element whose children are named like sides, as in the exports of Moodle and Mnemosyne, or as `titled` has
    them for its own name.
    """
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, recover=True, remove_pis=True)
    root = etree.fromstring(_ENTITY.sub(_name_entity, text).encode(), parser)
    for record in root.iter("{*}*") if root is not None else ():
        parts = [part for part in record if isinstance(part.tag, str)]
        names = [etree.QName(part).localname for part in parts]
        pairs = titled.get(etree.QName(record).localname, _XML_SIDES)
        if sides := find_sure_sides(names, (*named, *pairs)):
            yield NamedColumns(names=tuple(names), sides=sides, html=True), list(map(_content, parts))
        else:
            yield from _read_attributes(dict(record.attrib), named)


def _read_attributes(record: Mapping[str, str], named: Named) -> Iterator[tuple[NamedColumns, list[str]]]:
    """An element whose attributes are named like sides, as `title` and `description`; but `value` may be anything."""
    sides = find_sides([*record], named)
    if sides and (find_named([*record], named) or is_back_name([*record][sides[1]])):
        yield NamedColumns(names=tuple(record), sides=sides), [*record.values()]


def _name_entity(found: re.Match[str]) -> str:
    return found[0] if f"{found[1]};" in html5 else found[1]


def _content(element: etree._Element) -> str:
    return (element.text or "") + "".join(str(etree.tostring(part, encoding="unicode")) for part in element)
