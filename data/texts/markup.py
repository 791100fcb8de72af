"""The plain text of a card's HTML field, and the kinds of media in it."""

import re
from collections.abc import Iterator
from html.entities import html5

from lxml import etree

from data.files.characters import without_controls

BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "center", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    )
)
"""Elements that start and end a line."""

CELLS = frozenset(("td", "th"))
"""Elements with a space around them."""

UNSEEN = frozenset(("script", "style", "head", "template", "rt", "rp"))
"""Elements whose text is not shown, or says how another one is read aloud."""

MEDIA = {
    "img": "image", "svg": "image", "canvas": "image", "picture": "image",
    "audio": "audio", "video": "video", "object": "image", "embed": "image", "iframe": "video",
}  # fmt: skip
"""Elements that show something other than text."""

_SOUND = re.compile(r"\[(?:sound|anki:play):[^\]]{0,300}\]")
_SPEECH, _END_OF_SPEECH = "[anki:tts", "[/anki:tts]"
_ANSWER = re.compile(r"<hr\b[^<>]{0,80}\bid\s{0,9}=\s{0,9}[\"']?answer\b[^<>]{0,80}>", re.IGNORECASE)
_BROKEN_BREAK = re.compile(r"</br\s{0,9}>", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_TAG = re.compile(
    r"</(?:a|b|blockquote|code|div|em|font|h[1-6]|i|li|ol|p|pre|s|span|strong|sub|sup|table|td|tr|tt|u|ul)\s{0,9}>"
    r"|</?br\s{0,9}/?>|<hr\b[^<>]{0,80}>|<img\s[^>]{0,300}\bsrc\s{0,9}=|\[sound:[^\]]{1,300}\]",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


def has_tags(text: str) -> bool:
    """True where a text holds tags that format it: a closing tag, a line break, a picture, a sound.

    A lone `<b>` or `List<String>` is text about markup or code, not markup.
    """
    return _TAG.search(text) is not None


def looks_like_html(text: str) -> bool:
    """True where a plain-text field holds HTML after all: tags that format it, or entities."""
    names = (match[1] for match in _ENTITY.finditer(text))
    return has_tags(text) or any(name[0] == "#" or f"{name};" in html5 for name in names)


def plain_text(html: str) -> tuple[str, tuple[str, ...]]:
    """The text that a person would see, one line per block, and the sorted kinds of media with it.

    Resolves entities, drops scripts and comments, leaves LaTeX as text; a recorded sound counts as `audio` (synthetic
    speech does not). Elements nested deeper than libxml2's limit (256) are cut off.
    """
    spoken = _without_speech(_behind_answer(_BROKEN_BREAK.sub("<br>", html)))
    text = _SOUND.sub(" ", spoken)
    media = {"audio"} if text != spoken else set()
    if "<" in text or "&" in text:
        root = _parse(text)
        media |= {MEDIA[tag] for element in root.iter(*MEDIA) if isinstance(tag := element.tag, str)}
        text = "".join(_pieces(root))
    lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line), tuple(sorted(media))


def _behind_answer(html: str) -> str:
    """What Anki's plain-text cards have behind the line that parts the question, which they repeat, from the answer."""
    *_, answer = _ANSWER.split(html) if "<hr" in html else [html]
    return answer if answer.strip() else html


def _without_speech(html: str) -> str:
    """The text without the parts that a machine reads aloud."""
    parts, at = [], 0
    while (start := html.find(_SPEECH, at)) >= 0 and (end := html.find(_END_OF_SPEECH, start)) >= 0:
        parts.append(html[at:start])
        at = end + len(_END_OF_SPEECH)
    return " ".join([*parts, html[at:]])


def _parse(html: str) -> etree._Element:
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    text = without_controls(html).content.replace("\v", " ").replace("\f", " ")
    return etree.fromstring(b"<div>" + text.encode("utf-8", "replace") + b"</div>", parser)


def _pieces(root: etree._Element) -> Iterator[str]:
    """The texts in order; white space of the source becomes one space, blocks start new lines."""
    unseen: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start" and unseen is None:
            if element.tag in UNSEEN:
                unseen = element
            else:
                yield _gap(element)
                yield _SPACES.sub(" ", element.text or "")
        elif event == "end":
            unseen = None if unseen is element else unseen
            if unseen is None:
                yield _gap(element)
                yield _SPACES.sub(" ", element.tail or "")


def _gap(element: etree._Element) -> str:
    if element.tag in BLOCKS:
        return "\n"
    return " " if element.tag in CELLS else ""
