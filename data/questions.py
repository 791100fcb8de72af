"""A campaign's question, as far as other rooms than annotation need it; pure.

The room `annotation` declares and checks questions, and records each as JSON in the table `campaigns`.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from data.vocabulary import PARAPHRASE_FROM, SCORES


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Something that can be chosen."""

    value: str
    text: str
    """What the annotators' page says."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """One thing that is asked."""

    name: str
    kind: str
    """scale, yes-no, one-of, several-of or edited-text."""
    heading: str
    answers: tuple[Answer, ...] = ()
    positive: tuple[str, ...] = ()
    """The answers that are a vote for the item."""
    level: str | None = None

    @property
    def values(self) -> list[str]:
        """The values of its answers, in the declared order."""
        return [answer.value for answer in self.answers]

    @property
    def codes(self) -> dict[str, int]:
        """Value -> number: of a scale the value itself, otherwise its place in the declared order, from 0."""
        return {value: int(value) if self.kind == "scale" else place for place, value in enumerate(self.values)}

    @property
    def measured(self) -> str:
        """The level of measurement of its answers."""
        return self.level or ("ordinal" if self.kind == "scale" else "nominal")

    @property
    def negative(self) -> list[str]:
        """The answers that are a vote against the item."""
        return [value for value in self.values if value not in self.positive]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the page shows."""

    captions: tuple[str, ...]
    """What stands above each text: two for a pair."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What annotators were shown and asked."""

    name: str
    version: str
    shown: Shown
    asked: tuple[Control, ...]
    guide: str
    """The text that annotators read before they begin."""
    digest: str = ""

    @property
    def vote(self) -> Control | None:
        """The control whose answers are votes; None where there is none."""
        return next((control for control in self.asked if control.positive and control.kind != "several-of"), None)

    @property
    def first(self) -> Control:
        """The control that a label is of where nothing else is said."""
        return self.vote or self.asked[0]

    @property
    def scale(self) -> Control | None:
        """The scale that is all it asks, whose answers are the ratings' column `score`; None for other questions."""
        only = self.asked[0]
        return only if len(self.asked) == 1 and only.kind == "scale" else None

    @property
    def is_paraphrase_scale(self) -> bool:
        """Whether it asks for nothing but the scores of PARADE, in whatever language."""
        codes = list(self.scale.codes.values()) if self.scale else []
        return codes == list(SCORES) and self.first.positive == tuple(map(str, SCORES[PARAPHRASE_FROM:]))

    @property
    def is_about_pairs(self) -> bool:
        """Whether its vote is about two texts that are both shown."""
        return self.vote is not None and len(self.shown.captions) == 2


_ADAPTER: TypeAdapter[Question] = TypeAdapter(Question)


def parse(content: str, digest: str = "") -> Question:
    """The question that this JSON describes. Raises ValueError for any other JSON."""
    try:
        question = _ADAPTER.validate_json(content)
        numbers = [control.codes for control in question.asked]
    except ValidationError as fault:
        raise ValueError(f"{fault.error_count()} faults, such as {fault.errors()[0]['msg']}") from fault
    if not numbers:
        raise ValueError("nothing is asked")
    return replace(question, digest=digest or question.digest)


def plain(question: Question) -> dict[str, Any]:
    """The question in terms of JSON, which `parse` reads."""
    fields: dict[str, Any] = json.loads(_ADAPTER.dump_json(question))
    return fields
