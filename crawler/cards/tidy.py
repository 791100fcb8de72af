"""What experts read of a deck: without marks of Markdown, labels before most texts, last lines of many texts, repeated
fronts, and other forms of these.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from crawler.cards.outcome import Card, Deck
from data.texts.marks import has_marks, without_marks

_MOST = 0.5
"""Share of the texts that begin with a label."""
_FEWEST = 3
"""Texts from which one shows a label that is not known."""
_SAMPLE = 500
_OFTEN, _SHARE = 10, 0.05
"""Texts, and their share, that end with a line which says nothing of what they define, such as `Click for citation`."""
_ENDING = re.compile(r"\w[^\n]{0,40} [^\n]{1,40}")
"""A last line of two words or more; one word may be the last of a list."""
_LABEL = re.compile(r"[\W_]{0,4}(?P<name>[^\W\d_][\w ./-]{0,28}?)[\s*_]{0,4}(?P<mark>[:：]|[-–—](?=\s)|\n)[\s*_]*")
_OTHER_NAME = re.compile(
    r"\((?:also(?:[,:]| known as| called)|plural|singular|abbr\.|abbreviat(?:ed|ion)|aka|a\.k\.a\.)(?=[ ,:=)])"
    r"[^()\n]{0,80}\)[\s,:;]{0,9}(?=\w)",
    re.IGNORECASE,
)
"""Before a text, another form of its name: `(also, IQ) a score`, `(plural = schemata) a construct`."""
_DASH = re.compile(r"[–—]\s{1,3}(?=\S)(?![^\0]*\n\s{0,9}[–—])")
"""Before a text, what joined it to its name; not where a further line has one."""
_STAR = re.compile(r"(?<=[^\W\d_]{3})\*$")
"""The sign of a remark behind a name; `A*` is one."""
_HEADING = re.compile(r"^#{1,6}[ \t]{1,9}", re.MULTILINE)
_DEEP_HEADING = re.compile(r"^#{2,6}[ \t]{1,9}\S", re.MULTILINE)
"""A heading within a text, which nothing else looks like: a deck that has one has them at each level."""
_KNOWN = re.compile(
    r"(?:(?:short |formal |simple )?(?:definitions?|meaning|explanation|answer|description)|def|ans|back)",
    re.IGNORECASE,
)

_OF_FRONTS = re.compile(r"q|question|front", re.IGNORECASE)


def tidy(deck: Deck) -> Deck:
    """The deck as experts read it; `unread` also says what was dropped from many texts."""
    cards = [_read(card) for card in deck.cards]
    if any("##" in side and _DEEP_HEADING.search(side) for card in cards for side in (card.front, card.back)):
        cards = [replace(card, front=_HEADING.sub("", card.front), back=_HEADING.sub("", card.back)) for card in cards]
    said = []
    ending = _find_ending([card.back for card in cards])
    if ending:
        cards = [replace(card, back=card.back.removesuffix(f"\n{ending}")) for card in cards]
        said.append(f"the last line «{ending}»")
    label = _find_label([card.back for card in cards])
    if label:
        cards = [replace(card, back=_without_label(card.back, label)) for card in cards]
        said.append(f"the label «{label}»")
    label = _find_label([card.front for card in cards])
    if label and _OF_FRONTS.fullmatch(label):
        cards = [replace(card, front=_without_label(card.front, label)) for card in cards]
    return replace(deck, cards=tuple(cards), unread=(*deck.unread, *said))


def _read(card: Card) -> Card:
    """The card without marks, and without its front, or another form of it, at the beginning of its back."""
    front = _STAR.sub("", card.front) if card.front.count("*") == 1 else card.front
    dash = _DASH.match(card.back)
    if dash or front is not card.front:
        card = replace(card, front=front, back=card.back[dash.end() :] if dash else card.back)
    if not (has_marks(card.front) or has_marks(card.back) or card.back.startswith((card.front, "("))):
        return card
    (front, front_pictured), (back, back_pictured) = without_marks(card.front), without_marks(card.back)
    if back.startswith(front) and front:
        rest = back[len(front) :]
        back = rest.lstrip("\n") if rest.startswith("\n") and rest.strip() else back
    other_name = _OTHER_NAME.match(back)
    back = back[other_name.end() :] if other_name else back
    if front is card.front and back is card.back:
        return card
    media = {*card.media, "image"} if front_pictured or back_pictured else card.media
    return replace(card, front=front.strip() or card.front, back=back.strip(), media=tuple(sorted(media)))


def _find_label(texts: Sequence[str]) -> str | None:
    """What most texts begin with, and has a colon, a dash or a line end behind it; None where there is nothing."""
    some = texts[:: max(1, len(texts) // _SAMPLE)]
    found = Counter(match["name"] for text in some if (match := _LABEL.match(text)))
    label, n = found.most_common(1)[0] if found else ("", 0)
    is_label = n > _MOST * len(some) and (len(some) >= _FEWEST or _KNOWN.fullmatch(label))
    return label if is_label else None


def _find_ending(texts: Sequence[str]) -> str | None:
    """The last line of many texts that have another before it; None where there is none."""
    lasts = (text.rpartition("\n") for text in texts if "\n" in text)
    found = Counter(last for before, _, last in lasts if before.strip() and _ENDING.fullmatch(last))
    ending, n = found.most_common(1)[0] if found else ("", 0)
    return ending if n >= max(_OFTEN, _SHARE * len(texts)) else None


def _without_label(text: str, label: str) -> str:
    match = _LABEL.match(text)
    rest = text[match.end() :] if match and match["name"] == label else ""
    return rest if rest.strip() else text
