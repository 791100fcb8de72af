"""What all glossaries share: cards from the senses of an entry, and cleaning the text of a sense."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from crawler.cards.outcome import Card, Deck, Finding, Outcome, gather
from crawler.cards.texts import is_reference, is_too_long, only_refers, without_references
from data.texts.words import normalise

_SEE = re.compile(r"(?i)\W*(?:see|compare)\b")
"""How texts begin that may be more than a reference; `Synonym for …` and the like are none."""


@dataclass(frozen=True, kw_only=True)
class Sense:
    """One meaning of a term."""

    term: str
    text: str
    skip: str | None = None
    """Why it is not a definition, where the source says so."""


def read_senses(deck: Deck, senses: Iterable[Sense]) -> Outcome:
    """The deck with one card per sense; the others are skipped, by term and number among the term's senses.

    Reasons: the source's, `no_text`, `cross_reference` (the text only refers to another entry).
    """
    cards, skipped = gather(_entries(list(senses)))
    whole = Deck(set_id=deck.set_id, title=deck.title, cards=cards, licence_note=deck.licence_note)
    if cards:
        return Outcome(decks=(whole,), skipped=skipped)
    finding = Finding(kind="changed_markup", detail=f"no definition among {len(skipped)} senses of {deck.title}")
    return Outcome(findings=(finding,), skipped=skipped)


def _entries(senses: list[Sense]) -> Iterator[tuple[str, Card | str]]:
    counts: dict[str, int] = {}
    terms = {normalise(sense.term) for sense in senses}
    for sense in senses:
        counts[sense.term] = counts.get(sense.term, 0) + 1
        text = "" if is_too_long(sense.text) else without_references(" ".join(sense.text.split()))
        reason = sense.skip or _fault(sense.text, text, terms)
        card = Card(front=sense.term, back=text, position=0, language="en")
        yield f"{sense.term} {counts[sense.term]}", reason or card


def _fault(source: str, text: str, terms: Collection[str]) -> str | None:
    """Why the text of a sense is not a definition; `terms` are the glossary's terms, normalised."""
    if is_too_long(source):
        return "too_long"
    if not text:
        return "no_text"
    refers = is_reference(text, terms) or only_refers(text) or (is_reference(text) and not _SEE.match(text))
    return "cross_reference" if refers else None
