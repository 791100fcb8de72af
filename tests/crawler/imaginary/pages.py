"""The page module of a card site that does not exist: a set is a page with a line `front = back` per card."""

import re

from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.pages import html

LICENCE_NOTE = "imaginary.example: anybody may use the texts"
_SET_PATH = re.compile(r"(?:https://imaginary\.example)?/deck/(\d{1,9})")


def set_of(address):
    match = _SET_PATH.fullmatch(address)
    return match[1] if match else None


def set_page(name):
    return f"/deck/{set_id}" if (set_id := set_of(name)) else None


def read_set(content, set_id):
    lines = html.parse(html.decode(content)).css("pre.imaginary::text").get("").splitlines()
    cards = [Card(front=front, back=back, position=at) for at, (front, _, back) in enumerate(map(_cut, lines))]
    if not cards:
        return Outcome(findings=(Finding(kind="changed_markup", detail="no lines"),))
    return Outcome(decks=(Deck(set_id=set_id, title="", cards=tuple(cards), licence_note=LICENCE_NOTE),))


def read_saved(content, address):
    return read_set(content, set_of(address) or "")


def _cut(line):
    return line.partition(" = ")
