"""A question: what annotators are shown and what they may answer; pure.

A question is declared in a file (`declarations.read`) and checked as a whole: whoever holds a `Question` can ask it.
"""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, TypeAdapter

from data.identity import digest
from data.tables.campaign import FLAGS
from data.vocabulary import SCORES

STRICT = ConfigDict(extra="forbid", strict=True)

_VERSION = re.compile(r"^Version (\S+)$", re.MULTILINE)


def named_version(text: str) -> str | None:
    """The version that a line `Version …` of the text names; None without such a line."""
    match = _VERSION.search(text)
    return match[1] if match else None


def _one_line(text: str) -> str:
    """The text, unless the page could not show it as it is."""
    if "$" in text or not text.isprintable() or text != text.strip():
        raise ValueError("one line without $, which would stand for a value of the task")
    return text


def _with_version(guide: str) -> str:
    if named_version(guide) is None:
        raise ValueError("a guide with a line `Version …`")
    return guide


Line = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_one_line)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,30}$")]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]$")]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Something that can be chosen."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    value: Name
    """What is stored."""
    text: Line
    """What the page says."""
    key: Key
    """What to press for it."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """One thing that is asked."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: Literal["score"]
    kind: Literal["scale"]
    """`scale`: one of several answers that have an order."""
    heading: Line
    reminder: Line
    """What the page says where it is not answered."""
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        """Raises ValueError where the table `ratings` cannot hold the answers."""
        if [answer.value for answer in self.answers] != list(map(str, SCORES)):
            raise ValueError("the answers 0, 1, 2 and 3, in this order: other scales cannot be collected yet")


@dataclass(frozen=True, kw_only=True)
class Flags:
    """What may be chosen instead of an answer."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    heading: Line
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        """Raises ValueError for a flag that has no meaning in the tables."""
        if not self.answers or not {answer.value for answer in self.answers} <= set(FLAGS):
            raise ValueError("flags among " + ", ".join(FLAGS))


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the page shows of a pair."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    captions: tuple[Line, Line]
    """What stands above the two texts."""


@dataclass(frozen=True, kw_only=True)
class Comment:
    """The field for the annotator's own words."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    prompt: Line


@dataclass(frozen=True, kw_only=True)
class Question:
    """A whole question; another wording of anything is another version."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    version: Annotated[str, StringConstraints(pattern=r"^\S{1,40}$")]
    raters: Annotated[int, Field(ge=1, le=100)]
    """How many annotators answer it per pair, unless the plan says another number."""
    shown: Shown
    asked: Annotated[tuple[Control, ...], Field(min_length=1, max_length=1)]
    flags: Flags
    comment: Comment
    guide: Annotated[str, AfterValidator(_with_version)]
    """The text of guide.md, which people accept before their first pair."""

    def __post_init__(self) -> None:
        """Raises ValueError where two answers have the same key or the same value."""
        for answers in self._answers():
            _require_different([answer.value for answer in answers], "a value of its own for each answer")
            _require_different([answer.text for answer in answers], "a text of its own for each answer")
        _require_different([answer.key for answers in self._answers() for answer in answers], "a key of its own")

    @property
    def content(self) -> str:
        """All of it as JSON, from which `from_content` makes it again."""
        return ADAPTER.dump_json(self, exclude_defaults=True).decode()

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that another wording of anything changes."""
        return digest("question", self.content)

    @property
    def identity(self) -> dict[str, str]:
        """What manifests and tables call it by: question (its name), question_version, question_digest."""
        return {"question": self.name, "question_version": self.version, "question_digest": self.digest}

    def _answers(self) -> list[tuple[Answer, ...]]:
        """The answers to each control, then the flags."""
        return [*(control.answers for control in self.asked), self.flags.answers]


ADAPTER: TypeAdapter[Question] = TypeAdapter(Question)


def from_content(content: str) -> Question:
    """The question that this JSON describes. Raises pydantic's ValidationError."""
    return ADAPTER.validate_json(content)


def _require_different(values: list[str], expected: str) -> None:
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{expected}: {twice[0]!r} is there twice")
