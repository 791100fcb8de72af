"""The two-stage beam finds the known optimum of toy models, and leaves everything else as it was."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identification.robustness.search import Original, SearchLimits
from identification.robustness.texts import TaggedWords
from tests.identification.robustness.toys import BLANK, SLOTS, WEIGHTS, run, shared, tagged, toy

NEGATIVE = Original(tagged("go apple river"), tagged("up stone cloud"), 0)
POSITIVE = Original(tagged("apple river stone"), tagged("apple river cloud"), 1)
EXHAUSTIVE = 1_000


def falling(pair: tuple[str, str]) -> float:
    """A model that says paraphrase the less, the more colours the two texts share."""
    return 1 - toy(pair)


@pytest.mark.parametrize(
    ("steps", "beam", "words", "outcome", "score"),
    [
        (1, 1, 3, "limit", 0.3775),  # green alone
        (2, 2, 2, "fooled", 0.5987),  # blue and green: the optimum of two steps
        (2, 1, 1, "limit", 0.2891),  # red, then blue: green is never among the first
        (3, 1, 3, "fooled", 0.5987),
    ],
)
def test_the_beam_finds_what_a_person_works_out(steps: int, beam: int, words: int, outcome: str, score: float) -> None:
    result = run(NEGATIVE, SearchLimits(steps=steps, beam=beam, words=words))
    assert (result.outcome, round(result.score_after, 4)) == (outcome, score)
    assert result.score_before == pytest.approx(0.1192, abs=1e-4)


def blanks_mislead(pair: tuple[str, str]) -> float:
    """A model that a blank in the first place moves more than in the second, and a word less."""
    first, second = (text.split() for text in pair)
    weight = 1.0 * (first[1] == BLANK) + 0.5 * (first[2] == BLANK)
    for place, gain in ((1, 0.1), (2, 3.0)):
        weight += gain * (first[place] in WEIGHTS and first[place] in second)
    return float(1 / (1 + np.exp(2 - weight)))


@pytest.mark.parametrize(("beam", "outcome", "score"), [(1, "limit", 0.1301), (4, "fooled", 0.7311)])
def test_a_wider_beam_survives_a_misleading_first_stage(beam: int, outcome: str, score: float) -> None:
    result = run(NEGATIVE, SearchLimits(steps=1, beam=beam, words=4, places=4), blanks_mislead)
    assert (result.outcome, round(result.score_after, 4)) == (outcome, score)


@given(st.lists(st.integers(-20, 20), min_size=3, max_size=3), st.integers(1, 2))
def test_an_exhaustive_beam_is_as_good_as_trying_everything(tenths: list[int], steps: int) -> None:
    weights = dict(zip(WEIGHTS, tenths, strict=True))

    def score(pair: tuple[str, str]) -> float:
        return float(1 / (1 + np.exp(8 - sum(weights.get(word, 0) for word in shared(pair)) / 10)))

    best = max(score(pair) for pair in every_draft(steps))
    result = run(NEGATIVE, SearchLimits(steps=steps, beam=EXHAUSTIVE, words=EXHAUSTIVE), score)
    assert result.score_after == pytest.approx(max(best, score(("go apple river", "up stone cloud"))))
    for beam in (1, 2, 5):
        narrow = run(NEGATIVE, SearchLimits(steps=steps, beam=beam, words=EXHAUSTIVE), score)
        assert narrow.score_after <= result.score_after + 1e-9


@given(st.floats(0.05, 0.95), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0, 1]))
def test_a_search_to_its_end_tells_what_any_threshold_comes_to(
    threshold: float, steps: int, beam: int, label: int
) -> None:
    original, limits = (POSITIVE if label else NEGATIVE), SearchLimits(steps=steps, beam=beam, words=3, places=3)
    score = falling if label else toy
    stopped = run(original, limits, score, threshold=threshold)
    to_the_end = run(original, limits, score, threshold=float("nan"))
    assert to_the_end.draft.edits
    assert to_the_end.outcome in ("limit", "stuck")
    wrong = stopped.outcome in ("fooled", "wrong_at_start")
    assert wrong is ((to_the_end.score_after >= threshold) is not bool(label))


def every_draft(steps: int) -> list[tuple[str, str]]:
    """Every pair that this many replacements can make of the toy's."""
    drafts = [("go apple river", "up stone cloud")]
    for _ in range(steps):
        drafts = [
            (" ".join([*a[:i], word, *a[i + 1 :]]), " ".join([*b[:j], word, *b[j + 1 :]]))
            for first, second in drafts
            for a, b in [(first.split(), second.split())]
            for i, j, word in product((1, 2), (1, 2), WEIGHTS)
            if word not in (*a, *b)
        ]
    return drafts


@given(
    st.lists(st.sampled_from(["go", "apple", "river", "stone", "up"]), min_size=2, max_size=6),
    st.lists(st.sampled_from(["up", "apple", "cloud", "stone", "go"]), min_size=2, max_size=6),
    st.integers(0, 1),
)
def test_only_the_places_of_the_edits_change(first: list[str], second: list[str], label: int) -> None:
    original = Original(tagged(",  ".join(first) + "."), tagged(" ".join(second)), label)
    result = run(original, SearchLimits(steps=3, beam=2, words=3), falling if label else lambda pair: toy(pair) / 2)
    draft = result.draft
    assert len(draft.edits) <= 3
    if label and (shared((" ".join(first), " ".join(second))) - {"go", "up"}):
        assert draft.edits
    for before, after, name in ((original.first, draft.first, "first"), (original.second, draft.second, "second")):
        places = {place for edit in draft.edits for place in getattr(edit.slot, name)}
        assert after.gaps == before.gaps
        assert [w for n, w in enumerate(after.words) if n not in places] == [
            w for n, w in enumerate(before.words) if n not in places
        ]
    for edit in draft.edits:
        if label:
            assert edit.old[0] == edit.old[1]


def test_a_positive_pair_never_gains_or_loses_shared_words_so_a_model_of_overlap_is_never_moved() -> None:
    asked = []

    def score(pair: tuple[str, str]) -> float:
        asked.append(pair)
        return len(shared(pair)) / 3

    result = run(POSITIVE, SearchLimits(steps=3, beam=3, words=3, places=3), score)
    assert (result.outcome, result.score_after) == ("limit", result.score_before)
    modified = {pair for pair in asked[1:] if "PAD" not in "".join(pair)}
    assert len(modified) > 5
    assert {len(shared(pair)) for pair in modified} == {2}


def test_all_occurrences_are_replaced_in_both_texts() -> None:
    original = Original(tagged("memory segments of memory"), tagged("blocks of Memory"), 1)
    result = run(original, SearchLimits(steps=1, beam=1, words=1), lambda pair: 0.4 if "red" in pair[0] else 0.6)
    assert result.draft.pair == ("red segments of red", "blocks of Red")
    assert [edit.row for edit in result.draft.edits] == [
        {"first": [0, 3], "second": [2], "old_first": "memory", "old_second": "memory", "word": "red"}
    ]
    one = run(
        original, SearchLimits(steps=1, beam=1, words=1), lambda pair: 0.4 if "red" in pair[0] else 0.6,
        slots=type(SLOTS)(language=SLOTS.language, blank=BLANK, occurrences="one"),
    )  # fmt: skip
    assert one.draft.pair == ("red segments of memory", "blocks of Red")


def test_what_is_wrong_at_the_start_is_not_modified() -> None:
    result = run(NEGATIVE, SearchLimits(steps=1, beam=1, words=1, places=1), lambda _: 0.5)
    assert (result.outcome, result.queries, result.draft.edits) == ("wrong_at_start", 1, ())
    positive = Original(NEGATIVE.first, NEGATIVE.second, 1)
    assert run(positive, SearchLimits(steps=1, beam=1, words=1, places=1), lambda _: 0.5).outcome == "stuck"


def test_searches_end_where_nothing_is_left_to_replace_or_to_ask() -> None:
    limits = SearchLimits(steps=3, beam=2, words=3, places=3)
    assert run(Original(tagged("go up"), tagged("up go"), 1), limits, lambda _: 0.9).outcome == "stuck"
    assert run(NEGATIVE, limits, words=()).outcome == "stuck"
    spent = run(NEGATIVE, SearchLimits(steps=3, beam=2, words=3, places=3, queries=6))
    assert (spent.outcome, spent.queries, spent.draft.edits) == ("budget", 4, ())
    assert run(NEGATIVE, limits, lambda _: float("nan")).outcome == "budget"


def test_the_number_of_queries_is_that_worked_out_by_hand() -> None:
    result = run(NEGATIVE, SearchLimits(steps=1, beam=2, words=2, places=2))
    assert result.queries == 1 + 2 + 2 * 2  # the original; two of the four places, blanked; two words for each
    every = run(NEGATIVE, SearchLimits(steps=1, beam=2, words=2))
    assert every.queries == 1 + 4 + 2 * 2  # without a limit, all four places


def test_a_text_is_put_together_again_as_it_was() -> None:
    for text in ("", "  a  b. ", "don't — “it's” state-of-the-art, x²!\n"):
        assert TaggedWords.of(text).text == text


def test_a_part_of_a_text_keeps_what_is_between_its_words() -> None:
    text = TaggedWords.of("one, two - three; four.")
    assert text.part(1, 3).text == "two - three"
    assert text.part(0, 9).text == "one, two - three; four"
    assert text.part(3, 4).text == "four"


def test_refining_takes_the_likeliest_word_that_still_misleads() -> None:
    def score(pair: tuple[str, str]) -> float:
        return {"red": 0.45, "blue": 0.6, "green": 0.9}.get(next(iter(shared(pair)), ""), 0.1)

    plain = run(NEGATIVE, SearchLimits(steps=1, beam=1, words=3, places=3), score)
    refined = run(NEGATIVE, SearchLimits(steps=1, beam=1, words=3, places=3, refine=True), score)
    assert [edit.word for edit in (*plain.draft.edits, *refined.draft.edits)] == ["green", "blue"]
    assert (plain.score_after, refined.score_after) == (0.9, 0.6)
    assert refined.queries == plain.queries + 2  # red and blue, which are likelier than green


def only(word: str) -> Callable[[tuple[str, str]], float]:
    """A model that one shared word misleads, and none of the steps before."""
    return lambda pair: 0.9 if word in shared(pair) else 0.1


def test_refining_undoes_what_is_not_needed() -> None:
    limits = SearchLimits(steps=3, beam=1, words=1, places=1)
    plain = run(NEGATIVE, limits, only("green"))
    refined = run(NEGATIVE, replace(limits, refine=True), only("green"))
    assert [edit.word for edit in plain.draft.edits] == ["red", "blue", "green"]
    assert [edit.word for edit in refined.draft.edits] == ["green"]
    assert (plain.outcome, refined.outcome, refined.score_after) == ("fooled", "fooled", 0.9)


@pytest.mark.parametrize(("word", "n_edits"), [("green", 1), ("rivers", 2)])
def test_a_word_does_not_come_back_beside_its_kin(word: str, n_edits: int) -> None:
    def score(pair: tuple[str, str]) -> float:
        first, second = (text.split() for text in pair)
        if first[1] == second[1] == BLANK:
            return 0.4 if "red" in first else 0.1
        if first[1] == second[1]:
            return 0.9
        return {BLANK: 0.2, "red": 0.3}.get(first[2], 0.1) if first[2] == second[2] else 0.1

    limits = SearchLimits(steps=2, beam=1, words=9, places=9)
    assert [edit.word for edit in run(NEGATIVE, limits, score, ["red", word]).draft.edits] == ["red", word]
    refined = run(NEGATIVE, replace(limits, refine=True), score, ["red", word])
    assert len(refined.draft.edits) == n_edits


@given(st.lists(st.integers(-5, 30), min_size=3, max_size=3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_refining_never_changes_who_is_misled(tenths: list[int], steps: int, beam: int, words: int) -> None:
    weights = dict(zip(WEIGHTS, tenths, strict=True))

    def score(pair: tuple[str, str]) -> float:
        return float(1 / (1 + np.exp(2 - sum(weights.get(word, 0) for word in shared(pair)) / 10)))

    limits = SearchLimits(steps=steps, beam=beam, words=words)
    plain, refined = run(NEGATIVE, limits, score), run(NEGATIVE, replace(limits, refine=True), score)
    assert refined.outcome == plain.outcome
    assert len(refined.draft.edits) <= len(plain.draft.edits)
    assert refined.score_after == pytest.approx(score(refined.draft.pair))
    assert (refined.score_after >= 0.5) == (plain.outcome == "fooled")
    assert {edit.slot for edit in refined.draft.edits} <= {edit.slot for edit in plain.draft.edits}


def test_a_spent_budget_ends_refining_and_keeps_what_misled() -> None:
    limits = SearchLimits(steps=3, beam=1, words=1, places=1)
    plain = run(NEGATIVE, limits, only("green"))
    spent = run(NEGATIVE, replace(limits, refine=True, queries=plain.queries), only("green"))
    assert (spent.outcome, spent.draft) == ("fooled", plain.draft)
