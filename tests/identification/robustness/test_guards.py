"""What each guard leaves out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from data.texts.languages.en import ENGLISH
from identification.config import Guard
from identification.robustness.guards import GUARDS, Fluency, Guards, takes_an
from identification.robustness.parts_of_speech import is_past, tag_by_lists
from identification.robustness.positions import Slot
from identification.robustness.proposals import MASK, Proposer
from identification.robustness.search import Draft, WordProposal
from identification.robustness.texts import TaggedWords

WORDS = ["tree", "trees", "grow", "minimum", "unstable", "seven", "memory", "memories", "queue"]
PAIR = Draft(
    *tag_by_lists([TaggedWords.of("a stable memory of maximum size"), TaggedWords.of("size of the memory, maximum")])
)


def guards(*names: str, floor: float = 0.0) -> Guards:
    return Guards(names=frozenset(names), floor=floor, language=ENGLISH, tag=tag_by_lists, words=WORDS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "label", "barred"),
    [
        ((), 1, {"memory"}),
        (("opposites",), 1, {"memory", "minimum", "unstable", "seven"}),
        (("opposites",), 0, {"memory"}),
        (("stems",), 1, {"memory", "memories"}),
    ],
)
def test_words_that_may_not_come_in(names: tuple[str, ...], label: int, barred: set[str]) -> None:
    allowed = guards(*names).allow(PAIR, Slot((2,), (3,)), label)
    assert {word for word, good in zip(WORDS, allowed, strict=True) if not good} == barred


@pytest.mark.parametrize(
    ("names", "label", "clashing"),
    [
        ((), 1, {"minimum"}),
        (("opposites",), 1, {"minimum", "maximum"}),
        (("opposites",), 0, {"minimum"}),
        (("stems",), 0, {"minimum", "minimums"}),
    ],
)
def test_words_that_may_not_come_back_beside_others(names: tuple[str, ...], label: int, clashing: set[str]) -> None:
    others = ("minimum", "minimums", "maximum", "tree")
    assert {word for word in others if guards(*names).clash(label, "minimum", word)} == clashing


def test_a_substitute_keeps_the_part_of_speech_in_both_texts() -> None:
    slot = Slot((2,), (3,))
    kept = guards("speech").keep([(PAIR, slot)], [["tree", "trees", "grow"]])
    assert kept == [["tree"]]
    assert guards().keep([(PAIR, slot)], [["tree", "trees", "grow"]]) == [["tree", "trees", "grow"]]


def test_only_a_base_form_comes_in_for_a_base_form() -> None:
    joined = Draft(TaggedWords.of("plans to cut jobs").tagged(["NNS", "TO", "VB", "NNS"]), TaggedWords.of("they ran"))
    slot = Slot((2,), ())
    allowed = guards("speech").allow(joined, slot, 0)
    assert [word for word, good in zip(WORDS, allowed, strict=True) if good] == ["tree", "grow", "queue"]
    assert guards().allow(joined, slot, 0).all()


@pytest.mark.parametrize(
    ("tag", "fitting"),
    [("VBD", ["ran", "wrote", "announced", "won"]), ("VBN", ["ran", "written", "announced", "seen", "won"])],
)
def test_only_a_past_comes_in_for_a_past(tag: str, fitting: list[str]) -> None:
    words = ["run", "ran", "written", "wrote", "announced", "seen", "won", "running", "provide"]
    kicked = Draft(TaggedWords.of("who kicked off").tagged(["WP", tag, "RP"]), TaggedWords.of(""))
    allowed = replace(guards("speech"), words=words).allow(kicked, Slot((1,), ()), 0)
    assert [word for word, good in zip(words, allowed, strict=True) if good] == fitting


@pytest.mark.parametrize("word", ["said", "felt", "became", "fell", "met", "began", "grew", "went", "planned", "bore"])
def test_past_tenses(word: str) -> None:
    assert is_past(word, participle=False)


@pytest.mark.parametrize("word", ["say", "become", "fallen", "grown", "gone", "done", "born", "shown", "goes", "data"])
def test_what_is_no_past_tense(word: str) -> None:
    assert not is_past(word, participle=False)


@pytest.mark.parametrize("word", ["said", "felt", "fallen", "gone", "done", "born", "shown", "begun", "planned", "met"])
def test_participles(word: str) -> None:
    assert is_past(word, participle=True)


@pytest.mark.parametrize("word", ["say", "fell", "went", "did", "wrote", "grew", "doing", "goes", "data", "provide"])
def test_what_is_no_participle(word: str) -> None:
    assert not is_past(word, participle=True)


class Flat:
    """A masked model that likes every word less than the one before; it counts what it is asked."""

    words = WORDS
    asked: list[object]

    def __init__(self) -> None:
        self.asked = []

    def weigh(self, contexts):  # type: ignore[no-untyped-def]
        self.asked += contexts
        return np.array([[-float(n) for n in range(len(WORDS))] for _ in contexts], dtype=np.float32)


def test_words_are_ranked_by_their_joint_probability_and_contexts_are_asked_for_once() -> None:
    model = Flat()
    proposer = Proposer(model=model, guards=guards("speech"), window=2)
    proposal = WordProposal([(PAIR, Slot((2,), (3,)))], 1, 2)
    assert proposer.propose([proposal, proposal]) == [[["tree", "minimum"]]] * 2
    assert model.asked == [(("a", "stable"), ("of", "maximum")), (("of", "the"), ("maximum",))]
    assert proposer.propose([proposal]) == [[["tree", "minimum"]]]
    assert proposer.n_contexts == 2


def test_other_occurrences_are_masked_too_and_the_floor_holds() -> None:
    twice = Draft(*tag_by_lists([TaggedWords.of("memory or memory"), TaggedWords.of("no memory")]))
    model = Flat()
    proposer = Proposer(model=model, guards=guards(floor=float(np.exp(-1.5))), window=5)
    assert proposer.propose([WordProposal([(twice, Slot((0, 2), (1,)))], 1, 9)]) == [[["tree", "trees"]]]
    assert model.asked[0] == ((), ("or", MASK))


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("see a memory", "one memory", {"tree", "trees", "grow", "minimum", "seven", "memories", "queue"}),
        ("see an memory", "one memory", {"unstable"}),
        ("see an memory", "see A memory", set()),
    ],
)
def test_a_substitute_fits_the_article_before_it(first: str, second: str, allowed: set[str]) -> None:
    pair = Draft(TaggedWords.of(first), TaggedWords.of(second))
    slot = Slot((2,), (pair.second.lower.index("memory"),))
    flags = guards("articles").allow(pair, slot, 1)
    assert {word for word, good in zip(WORDS, flags, strict=True) if good} == allowed


@pytest.mark.parametrize("word", ["apple", "hour", "honest", "umbrella", "uninteresting", "xml", "usher", "sql"])
def test_words_that_follow_an(word: str) -> None:
    assert takes_an(word)


@pytest.mark.parametrize("word", ["user", "unit", "university", "one", "once", "house", "european", "utility", "yes"])
def test_words_that_follow_a(word: str) -> None:
    assert not takes_an(word)


def test_a_substitute_may_not_make_the_words_around_it_unlikely_and_the_likeliest_come_first() -> None:
    texts: list[str] = []

    def score(some: Sequence[str]) -> NDArray[np.float64]:
        texts.extend(some)
        return np.array([-9.0 * text.count("tree") - 2.0 * text.count("queue") for text in some])

    judge = replace(guards("speech"), fluency=Fluency(score=score, most_loss=5.0))
    request = (PAIR, Slot((2,), (3,)))
    words = ["tree", "queue", "seven", "trees"]
    assert judge.keep([request], [words]) == [["seven", "queue"]]
    assert "a stable queue of maximum size" in texts
    assert not any("trees" in text for text in texts)
    n = len(texts)
    judge.keep([request], [words])
    assert len(texts) == n


def test_every_guard_is_described() -> None:
    assert set(GUARDS) == set(get_args(Guard))
