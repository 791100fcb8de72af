"""The Jargon File's source (DocBook XML): one `glossentry` per term, one `glossdef` per sense."""

import html
import re
from collections.abc import Iterator, Mapping

from lxml import etree

from crawler.cards.outcome import Deck, Finding, Outcome
from crawler.glossaries.entries import Sense, read_senses

DECK = Deck(set_id="Jargon File", title="Jargon File", cards=(), licence_note="The Jargon File: public domain")
_MARKS = re.compile(r"^(?:\s*(?:\[[^\]]*\]|\d+\.(?=\s)|(?:n|v|adj|vt|vi|adv|interj)\.(?=\s)))+\s*")
"""What may precede the text of a sense: its number, how common it is, its part of speech."""
_MAX_DEPTH = 30


def read_jargon(content: bytes) -> Outcome:
    """The first paragraph of each sense; notes on etymology and history are skipped.

    Entities are resolved one level deep, by the file's declarations and HTML's names; nothing is loaded.
    Finding: `changed_markup` where there is no entry.
    """
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        return _changed(f"not XML ({error})")
    if root is None or root.find(".//glossentry") is None:
        return _changed("no glossentry")
    declared = root.getroottree().docinfo.internalDTD
    names = {entity.name: entity.content or "" for entity in declared.entities()} if declared is not None else {}
    return read_senses(DECK, _read_senses(root, names))


def _read_senses(root: etree._Element, names: Mapping[str, str]) -> Iterator[Sense]:
    for entry in root.iter("glossentry"):
        terms = [" ".join(_text(term, names).split()) for term in entry.findall("glossterm")]
        for sense in entry.findall("glossdef"):
            paragraph = sense.find("para")
            text = _MARKS.sub("", _text(paragraph, names)) if paragraph is not None else ""
            for term in filter(None, terms):
                yield Sense(term=term, text=text, skip=sense.get("role"))


def _text(element: etree._Element, names: Mapping[str, str], depth: int = 0) -> str:
    """The text of an element and everything in it; quotations keep their marks."""
    parts = [element.text or ""]
    for child in element if depth < _MAX_DEPTH else ():
        if isinstance(child, etree._Entity):
            parts.append(_resolve(str(child.name), names))
        elif isinstance(child.tag, str):
            inner = _text(child, names, depth + 1)
            parts.append(f"“{inner.strip()}”" if child.tag == "quote" else inner)
        parts.append(child.tail or "")
    return "".join(parts)


def _resolve(name: str, names: Mapping[str, str]) -> str:
    return html.unescape(names.get(name, f"&{name};"))


def _changed(detail: str) -> Outcome:
    return Outcome(findings=(Finding(kind="changed_markup", detail=f"not the Jargon File: {detail}"),))
