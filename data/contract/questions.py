"""A question: what annotators are shown and what they may answer; pure.

A question is declared in a folder (`annotation.questions`) and checked as a whole: code that holds a `Question` can ask
it. Campaigns and releases hold it as JSON (`Question.content`, `from_content`).
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, TypeAdapter

from data.contract.vocabulary import FLAGS, PARAPHRASE_FROM, PUBLISHED, SCORES
from data.texts.identity import digest

STRICT = ConfigDict(extra="forbid", strict=True)

RESERVED = ("flag", "comment", "votes", "def1", "def2", "prediction", "label", "answer", "answer2", "answer3",
    "answer4", "assignment_id", "submitted_at", "flags", "seconds", "skipped", "guide_version")  # fmt: skip
"""What the page and a file of ratings call their other parts."""

MAX_ANSWERS = 11
"""The longest scale has eleven answers, 0 to 10."""

_VERSION = re.compile(r"^Version (\S+)$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_WHOLE = re.compile(r"0|[1-9][0-9]?|100")


def named_version(text: str) -> str | None:
    """The version that a line `Version …` of the text names; None without such a line."""
    match = _VERSION.search(text)
    return match[1] if match else None


def _one_line(text: str) -> str:
    """The text, unless the page could not show it as it is."""
    if "$" in text or not text.isprintable() or text != text.strip():
        raise ValueError("one line without $, which would stand for a value of the task")
    return text


def is_plain(text: str) -> bool:
    """Whether a page can show all of the text: it has no control characters but tabs and line ends."""
    return not _CONTROL.search(text.replace("\r\n", "\n"))


def _with_version(guide: str) -> str:
    if named_version(guide) is None:
        raise ValueError("a guide with a line `Version …`")
    if not is_plain(guide):
        raise ValueError("a guide without control characters")
    return guide


Level = Literal["nominal", "ordinal", "interval"]
"""A level of measurement: names, names with an order, or numbers whose differences mean something."""

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
class When:
    """The answer to an earlier control with which a later one is asked."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    control: Name
    answer: Name


@dataclass(frozen=True, kw_only=True)
class Control:
    """One thing that is asked."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,29}$")]
    kind: Literal["scale", "yes-no", "one-of", "several-of", "edited-text"]
    """`scale`: one of several whole numbers in their order; `yes-no`; `one-of` and `several-of`: names; `edited-text`:
    the first text that is shown, corrected."""
    heading: Line
    reminder: Line
    """What the page says where it is not answered."""
    answers: tuple[Answer, ...] = ()
    positive: tuple[Name, ...] = ()
    """The answers that are a vote for the item: the last ones."""
    level: Level | None = None
    """What agreement is measured by; by default a scale is ordinal and other answers are nominal."""
    alone: Name | None = None
    """Of several answers the one that excludes all others, such as `none`."""
    when: When | None = None
    """Every edited text has it, and nothing else: it is asked for with this answer to an earlier control."""
    keeps: tuple[Name, ...] = ()
    """The answers with which the item goes on as it is to what is asked next (`plan --items-from`)."""
    changes: tuple[Name, ...] = ()
    """Those with which it goes on with its corrected text."""
    drops: tuple[Name, ...] = ()
    """Those with which it does not go on."""

    @property
    def values(self) -> list[str]:
        """The values of its answers, in the declared order."""
        return [answer.value for answer in self.answers]

    @property
    def codes(self) -> dict[str, int]:
        """Value -> number: of a scale the value itself, otherwise its place in the declared order, from 0."""
        return {value: int(value) if self.kind == "scale" else place for place, value in enumerate(self.values)}

    @property
    def measured(self) -> Level:
        """The level of measurement of its answers."""
        return self.level or ("ordinal" if self.kind == "scale" else "nominal")

    @property
    def negative(self) -> list[str]:
        """The answers that are a vote against the item."""
        return [value for value in self.values if value not in self.positive]

    @property
    def is_vote(self) -> bool:
        """Whether its answers are votes that agreement and labels can be computed from."""
        return self.is_single and bool(self.positive)

    @property
    def is_single(self) -> bool:
        """Whether one of its declared answers is given."""
        return self.kind in ("scale", "yes-no", "one-of")

    def __post_init__(self) -> None:
        """Raises ValueError for answers that its kind cannot have."""
        _require(self.name not in RESERVED, "another name than " + ", ".join(RESERVED))
        if self.kind == "edited-text":
            _require(not (self.answers or self.positive), "an edited text without answers")
        else:
            _require(2 <= len(self.answers) <= MAX_ANSWERS, f"2 to {MAX_ANSWERS} answers")
        if self.kind == "scale":
            whole = all(_WHOLE.fullmatch(value) for value in self.values)
            _require(whole, "whole numbers from 0 to 100 as values of a scale")
            steps = pairwise(map(int, self.values))
            _require(all(low < high for low, high in steps), "the values of a scale from the lowest to the highest")
        _require(self.kind != "yes-no" or self.values == ["no", "yes"], "the answers no and yes, in this order")
        _require((self.alone is None) or (self.kind == "several-of" and self.alone in self.values),
                 "alone only for several-of, and one of its answers")  # fmt: skip
        if self.kind == "edited-text":
            _require(self.when is not None, "when for an edited text: the answer with which it is asked for")
        _require(self.when is None or self.kind == "edited-text", "when only for an edited text")
        ordered = self.kind in ("scale", "one-of")
        _require(self.level in (None, "nominal") or ordered, "a level only for scale and one-of")
        _require(self.level != "interval" or self.kind == "scale", "the level interval only for a scale")
        fates = [*self.keeps, *self.changes, *self.drops]
        one_each = self.kind != "several-of" and sorted(fates) == sorted(self.values)
        _require(not fates or (one_each and bool(self.answers)), "each of the answers once in keeps, changes or drops")
        last = tuple(self.values[len(self.values) - len(self.positive) :])
        _require(self.positive == last and len(last) < max(len(self.values), 1), "as positive the last of the answers")


@dataclass(frozen=True, kw_only=True)
class Flags:
    """What may be chosen instead of an answer."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    heading: Line
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        """Raises ValueError for a flag that has no meaning in the tables."""
        known = {answer.value for answer in self.answers} <= set(FLAGS)
        _require(bool(self.answers) and known, "flags among " + ", ".join(FLAGS))


@dataclass(frozen=True, kw_only=True)
class Part:
    """A kind of parts of the texts that are highlighted."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: Name
    """What the file of parts calls it."""
    text: Line
    """What the page calls it."""
    computed: Literal["words-apart"] | None = None
    """How the parts follow from the texts: the words that only one of them has. By default they are given
    (`plan --parts`)."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A prediction or label that the page shows."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    caption: Line
    """Whose it is."""
    yes: Line
    no: Line


@dataclass(frozen=True, kw_only=True)
class ShownParts:
    """What the page shows of a pair."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    captions: Annotated[tuple[Line, ...], Field(min_length=1, max_length=2)]
    """The captions above the texts. With one caption only the pair's second text is shown: the first, its source, never
    reaches the browser."""
    in_order: bool = False
    """Show a pair as the generator wrote it, because the question tells its texts apart; otherwise each annotator sees
    either text first."""
    parts: Annotated[tuple[Part, ...], Field(max_length=3)] = ()
    """What is highlighted in the texts; where parts meet, the first declared is seen."""
    prediction: Known | None = None
    """How a model's prediction is shown; by default none is."""
    label: Known | None = None
    """How the pair's label is shown; by default it is not."""

    @property
    def beside(self) -> dict[str, Known]:
        """What is shown beside the texts, by the task's field."""
        return {name: known for name, known in (("prediction", self.prediction), ("label", self.label)) if known}

    def __post_init__(self) -> None:
        """Raises ValueError for parts that cannot be told apart or computed."""
        _require_different([part.name for part in self.parts], "a name of its own for each part")
        apart = self.is_pair or not any(part.computed for part in self.parts)
        _require(apart, "two captions where the words that only one text has are highlighted")

    @property
    def is_pair(self) -> bool:
        """Whether both texts are shown."""
        return len(self.captions) == 2


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
    double: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of the pairs that one annotator more answers, which shows how far two agree where one is asked."""
    rule: Annotated[str, StringConstraints(pattern=r"^(majority|mean|at-least [1-9][0-9]?)$")] = "majority"
    """How votes become a label, unless `adjudicate --rule` says otherwise."""
    shown: ShownParts
    asked: Annotated[tuple[Control, ...], Field(min_length=1, max_length=4)]
    flags: Flags
    comment: Comment
    guide: Annotated[str, AfterValidator(_with_version)]
    """The text of guide.md, which people accept before their first pair."""

    def __post_init__(self) -> None:
        """Raises ValueError where parts do not fit one another."""
        for answers in self._answers():
            _require_different([answer.value for answer in answers], "a value of its own for each answer")
            _require_different([answer.text for answer in answers], "a text of its own for each answer")
        _require_different([answer.key for answers in self._answers() for answer in answers], "a key of its own")
        _require_different([control.name for control in self.asked], "a name of its own for each control")
        earlier: dict[str, list[str]] = {}
        for control in self.asked:
            if control.when:
                known = control.when.answer in earlier.get(control.when.control, [])
                _require(known, f"as when of {control.name} an answer to an earlier control")
            earlier[control.name] = control.values
        self._require_screening()

    def _require_screening(self) -> None:
        screens = [control for control in self.asked if control.keeps or control.changes or control.drops]
        _require(len(screens) < 2, "keeps, changes and drops in one control alone")
        edits = {(control.when.control, control.when.answer) for control in self.asked if control.when}
        for control in screens:
            corrected = all((control.name, answer) in edits for answer in control.changes)
            _require(corrected, "an edited text for each answer that changes the item")
            _require(not (control.changes and self.shown.is_pair), "one caption where an answer changes the text")

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

    @property
    def scale(self) -> Control | None:
        """The scale that is all it asks, whose answers are the ratings' column `score`; None for other questions."""
        only = self.asked[0]
        return only if len(self.asked) == 1 and only.kind == "scale" else None

    @property
    def is_paraphrase_scale(self) -> bool:
        """Whether it asks for nothing but the scores of PARADE, in whatever language."""
        codes = list(self.scale.codes.values()) if self.scale else []
        is_so = self.first.positive == tuple(map(str, SCORES[PARAPHRASE_FROM:])) and self.first.measured == "interval"
        return is_so and codes == list(SCORES)

    @property
    def is_asked(self) -> bool:
        """Whether annotators are asked it; not the question of labels that come with their pairs."""
        return self.name != PUBLISHED

    @property
    def has_paraphrases(self) -> bool:
        """Whether a label of 1 means a paraphrase, and 0 none, and no other label is made."""
        return self.is_paraphrase_scale or not self.is_asked

    @property
    def is_about_pairs(self) -> bool:
        """Whether its vote is about two texts that are both shown."""
        return self.vote is not None and self.shown.is_pair

    @property
    def table(self) -> str:
        """The table that holds the answers."""
        return "ratings" if self.scale else "answers"

    @property
    def vote(self) -> Control | None:
        """The first control whose answers are votes; None where there is none."""
        return next((control for control in self.asked if control.is_vote), None)

    @property
    def screening(self) -> Control | None:
        """The control whose answers say which items go on to a later question; None where none does."""
        return next((control for control in self.asked if control.keeps or control.changes), None)

    @property
    def first(self) -> Control:
        """The control that a pair's label is about: the vote, else the first one."""
        return self.vote or self.asked[0]

    @property
    def yes(self) -> str:
        """What items are called that most votes are for."""
        if self.has_paraphrases:
            return "paraphrases"
        positive = " or ".join(self.vote.positive if self.vote else ())
        return f"rated {positive}" if self.vote and self.vote.kind == "scale" else positive

    @property
    def sides(self) -> tuple[str, str]:
        """What an item is called that most votes are against, and for."""
        if self.has_paraphrases:
            return "no paraphrase", "paraphrase"
        return " or ".join(self.first.negative), " or ".join(self.first.positive)

    def _answers(self) -> list[tuple[Answer, ...]]:
        """The answers to each control, then the flags."""
        return [*(control.answers for control in self.asked), self.flags.answers]


ADAPTER: TypeAdapter[Question] = TypeAdapter(Question)


def from_content(content: str) -> Question:
    """The question that this JSON describes. Raises pydantic's ValidationError."""
    return ADAPTER.validate_json(content)


def _require(holds: bool, expected: str) -> None:
    if not holds:
        raise ValueError(expected)


def _require_different(values: list[str], expected: str) -> None:
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{expected}: {twice[0]!r} is there twice")


PUBLISHED_QUESTION = Question(
    name=PUBLISHED,
    version="1",
    raters=1,
    shown=ShownParts(captions=("First text", "Second text")),
    asked=(
        Control(
            name="paraphrase",
            kind="yes-no",
            heading="Do the two texts mean the same?",
            reminder="Choose yes or no.",
            answers=(Answer(value="no", text="No", key="n"), Answer(value="yes", text="Yes", key="y")),
            positive=("yes",),
        ),
    ),
    flags=Flags(heading="Flags", answers=(Answer(value="cannot_judge", text="I cannot judge it", key="j"),)),
    comment=Comment(prompt="Comment"),
    guide="Version 1\n\nThese labels came with their pairs: no annotator of ours was asked.\n",
)
"""What the labels of published sets and of generated pairs answer, for which no campaign was planned here."""
