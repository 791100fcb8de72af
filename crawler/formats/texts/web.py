"""The Markdown that shows what a web page shows: headings, paragraphs, lists, tables and lists of definitions. So pages
are read as other texts are.
"""

import html
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lxml import etree

from crawler.formats.sides.headers import find_parts, find_sides, find_sure_sides
from crawler.formats.texts.names import MIN_PAIRS
from data.texts.markup import BLOCKS, CELLS, MEDIA, UNSEEN

_APART = ("noscript", "nav", "footer", "aside", "select", "button")
"""Elements of a page that are no part of its text."""
_SIGNS = "//a[contains(@class, 'headerlink') or contains(@class, 'anchor-link')]"
"""Sphinx' and Jupyter's links behind each term and heading."""
_UNFOLDING = "//button[contains(@class, 'accordion') or contains(@class, 'collaps')]"
"""The names of what a page unfolds."""
_BADGE = re.compile(r"(?:^|[\s_-])(?:badge|chip|pill|tag)(?:$|[\s_-])")
"""The class of a badge behind a name, which says its section, for example."""
_INITIAL = re.compile(r"(?:^|[\s_-])(?:letter|initial)(?:$|[\s_-])")
"""The class of a name's first letter, shown before the name."""
_NEXT_LISTS = "./dl | ./*[not(self::dl)]/dl"
"""The lists in the text of a term."""
_HEADS = {**{f"h{level}": "#" * level for level in range(1, 7)}, "summary": "######"}
_BOLD = frozenset({"b", "strong", "dfn"})
_BREAK = "\ue000"
"""The sign of a line break; other white space in the source only parts words."""
MAX_DEPTH = 80
"""Blocks within blocks; deeper ones are lines."""
_MAX_TERMS = 4
"""Terms that mean the same."""
_MIN_NAME = 3
"""Characters of a name that is no part of the word behind it."""
_STOP = re.compile(r"([^\W\d_]{3}|\))\.\Z")
"""A full stop at the end of a term."""
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What lxml reads from a page and refuses to write."""


def rewrite(root: etree._Element) -> str:
    """A page as Markdown, with its title above. The tree is changed."""
    title = " ".join(" ".join(each.itertext()) for each in root.iter("title"))
    for button in root.xpath(_UNFOLDING):
        button.tag = "span" if any(above.tag in _HEADS for above in button.iterancestors()) else "summary"
    etree.strip_elements(root, *UNSEEN, *_APART, etree.Comment, with_tail=False)
    for link in root.xpath(_SIGNS):
        link.text = ""
    for span in [each for each in root.iter("span") if _is_ornament(each)]:
        span.clear(keep_tail=True)
    for listing in root.iter("ul", "ol"):
        if _is_menu(listing):
            listing.clear(keep_tail=True)
        _gather_items(listing)
    for element in list(root.iter(*BLOCKS, *CELLS, *MEDIA)):
        if element.tag in MEDIA:
            element.clear(keep_tail=True)
            element.text = f"![]({MEDIA[str(element.tag)]})"
        mark = _BREAK if element.tag == "br" else " "
        text, tail = (_NO_XML.sub(" ", part or "") for part in (element.text, element.tail))
        element.text, element.tail = f" {text}", f"{mark}{tail}"
    return "\n".join(["---", " ".join(title.split()), "---", "", *_Page(root).walk(root)])


def _is_ornament(span: etree._Element) -> bool:
    """Whether a span is a badge behind all other text of its element, or the first letter of the name behind it."""
    named, text, tail = span.get("class", ""), _inner(span).strip(), span.tail or ""
    if _INITIAL.search(named):
        return len(text) == 1 and tail[:1].isspace() and tail.lstrip()[:1].lower() == text.lower()
    above = span.getparent()
    is_last = above is not None and span.getnext() is None and not tail.strip()
    return bool(is_last and _BADGE.search(named) and _inner(above).strip() != text)


def _is_menu(listing: etree._Element) -> bool:
    """Whether a list has several items, and nothing in them but links."""
    links = " ".join(_inner(link) for link in listing.iter("a"))
    return len(listing) > 1 and bool(links.strip()) and _inner(listing).split() == links.split()


def _gather_items(listing: etree._Element) -> None:
    """Move what is between the items of a list into the item before it."""
    item = None
    for child in list(listing):
        if child.tag == "li":
            item = child
            if (child.tail or "").strip():
                paragraph = etree.SubElement(child, "p")
                paragraph.text, child.tail = child.tail, None
        elif child.tag == "p" and item is not None:
            item.append(child)


class _Page:
    """A page whose elements are read in order."""

    def __init__(self, root: etree._Element) -> None:
        self._holders = _with_ancestors(root.iter(*BLOCKS - {"br"}))
        self._outer = _with_ancestors(each.getparent() for each in root.iter("table", "dl", "details"))
        called = {each: sides for each in root.iter("*") if (sides := _sides_of(each))}
        outer = _with_ancestors(each.getparent() for each in called)
        self._called = {each: called[each] for each in called.keys() - outer} if len(called) >= MIN_PAIRS else {}

    def walk(self, element: etree._Element, depth: int = MAX_DEPTH) -> Iterator[str]:
        """The lines of what is in an element, with a blank one below each block; without blocks below this depth."""
        run = [element.text or ""]
        for child in element:
            if depth and (child in self._holders or child in self._called):
                yield from _write_lines(run)
                yield from self._read(child, depth - 1)
                run = [child.tail or ""]
            else:
                before = run[-1].rstrip(" ")
                is_start = before.endswith(_BREAK) or not any(map(str.strip, run[-2:]))
                run += [_lead(child) if is_start else _inner(child), child.tail or ""]
        yield from _write_lines(run)

    def _read(self, element: etree._Element, depth: int) -> Iterator[str]:
        if element in self._called:
            front, back = self._called[element]
            yield from _define([front], [back])
        elif element.tag in _HEADS:
            text = _line(_inner(element))
            yield from (f"{_HEADS[str(element.tag)]} {text}", "") if text else ()
        elif element.tag == "li":
            for at, line in enumerate(self.walk(element, depth)):
                yield f"{'  ' if at else '- '}{line}" if line else ""
        elif element.tag == "pre":
            yield from ("```", *_inner(element).split("\n"), "```", "")
        elif element.tag == "dl":
            yield from self._define_all(element, depth)
        elif element.tag == "table" and element not in self._outer:
            yield from _tabulate(element)
        else:
            yield from self.walk(element, depth)

    def _define_all(self, listing: etree._Element, depth: int) -> Iterator[str]:
        """Each text of a `dl` below its terms, and the lists in it below both; terms without a text as lines.

        Where many terms are above one text, only the last one has it: the others' texts are still to be written.
        """
        parts = [part for child in listing for part in (child if child.tag == "div" else [child])]
        groups = [(is_term, list(some)) for is_term, some in itertools.groupby(parts, lambda part: part.tag == "dt")]
        is_unfinished = any(is_term and len(some) > _MAX_TERMS for is_term, some in groups)
        terms: list[str] = []
        for is_term, group in groups:
            if is_term:
                terms = [_inner(part) for part in group]
                continue
            if is_unfinished:
                yield from _write_lines(_BREAK.join(terms[:-1]))
                terms = terms[-1:]
            nested = [inner for part in group if part in self._outer for inner in part.xpath(_NEXT_LISTS)]
            for inner in nested:
                inner.getparent().replace(inner, etree.Element("br"))
            yield from _define(terms, [_inner(part) for part in group])
            terms = []
            for inner in nested if depth else ():
                yield from self._define_all(inner, depth - 1)
        yield from _write_lines(_BREAK.join(terms))


def _with_ancestors(elements: Iterable[etree._Element]) -> set[etree._Element]:
    found: set[etree._Element] = set()
    for element in elements:
        found.add(element)
        above = element.getparent()
        while above is not None and above not in found:
            found.add(above)
            above = above.getparent()
    return found


def _sides_of(element: etree._Element) -> tuple[str, str] | None:
    """The texts of an element whose parts are called like the sides by their classes, or whose data are (`data-term`);
    None where it has none.
    """
    parts = [part for part in element if part.get("class")]
    sides = find_parts([part.get("class", "").replace("-", " ") for part in parts]) if len(parts) > 1 else None
    if sides:
        return _inner(parts[sides[0]]), _inner(parts[sides[1]])
    data = {name[5:]: value for name, value in element.attrib.items() if str(name).startswith("data-")}
    sides = find_sure_sides([*data])
    return sides and ([*data.values()][sides[0]], [*data.values()][sides[1]])


def _inner(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def _lead(element: etree._Element) -> str:
    """The text of an element, whose beginning is marked where it is bold."""
    first = element
    while first.tag not in _BOLD and len(first) and not (first.text or "").strip():
        first = first[0]
    text, name = _inner(element), _inner(first).strip()
    is_bold = first.tag in _BOLD and bool(name) and _BREAK not in name and text.lstrip().startswith(name)
    if not is_bold:
        return text
    rest = text.lstrip().removeprefix(name)
    is_apart = (rest or element.tail or "")[:1].isalnum() and len(name) >= _MIN_NAME  # by the style of the page
    return f"**{name}**{': ' if is_apart else ''}{rest}"


def _line(text: str) -> str:
    return html.escape(" ".join(text.replace(_BREAK, " ").split()), quote=False)


def _write_lines(run: Iterable[str]) -> Iterator[str]:
    """A text between blocks: its lines, with a blank one where empty lines are and at the end."""
    lines = [_line(part) for part in "".join(run).split(_BREAK)]
    if any(lines):
        yield from (*lines, "")


def _define(terms: list[str], texts: Iterable[str]) -> Iterator[str]:
    names = [_STOP.sub(r"\1", line) for term in terms if (line := _line(term))]
    yield from names
    yield from (f"{': ' if names else ''}{line}" for text in texts if (line := _line(text)))
    yield ""


def _tabulate(table: etree._Element) -> Iterator[str]:
    """The rows with several cells; the first one is the header if it names the sides or its cells, or has over two."""
    rows = [[cell for cell in row if cell.tag in CELLS] for row in table.iter("tr")]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        return
    texts = [[_line(_inner(cell)).replace("|", "\\|") for cell in row] for row in rows]
    width = Counter(map(len, texts)).most_common(1)[0][0]
    is_header = find_sides(texts[0]) or all(cell.tag == "th" for cell in rows[0]) or width > 2
    head = [] if is_header else [[""] * width]
    first, *rest = [f"| {' | '.join(row)} |" for row in (*head, *texts)]
    yield from (first, f"|{' --- |' * len((*head, *texts)[0])}", *rest, "")
