"""The search finds the likeliest sentences of a template, each once; and the known answers of a hand-written model."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.engines.ngrams import LN10, NGrams
from generation.swapping.search import Template, order_of, search
from tests.generation.world import LastWord

MODEL = LastWord()
FLIGHTS = [
    ("NNS", "flights"),
    ("IN", "from"),
    ("LOCATION", "new york"),
    ("IN", "to"),
    ("LOCATION", "florida"),
]
KEYS = st.lists(st.tuples(st.sampled_from(["N", "V", "D"]), st.sampled_from("abc")), min_size=1, max_size=7)


def template(keys, model=MODEL) -> Template:
    return Template.of(keys, [tuple(surface.split()) for _, surface in keys], model)


def all_sentences(keys) -> dict[tuple[str, ...], float]:
    """Every distinct sentence that fits, with its score: by trying all orders of the units."""
    fitting = (order for order in permutations(keys) if [kind for kind, _ in order] == [kind for kind, _ in keys])
    return {words: MODEL.of_words(words) for words in {tuple(surface for _, surface in order) for order in fitting}}


def sentence(keys, arrangement) -> tuple[str, ...]:
    return tuple(keys[place][1] for place in arrangement.order)


@given(KEYS)
def test_a_wide_beam_finds_all_sentences_but_the_source_in_order(keys):
    expected = all_sentences(keys)
    del expected[tuple(surface for _, surface in keys)]
    found = search(template(keys), beam=5_000)
    assert [sentence(keys, arrangement) for arrangement in found] == sorted(
        expected, key=lambda words: (-expected[words], words)
    )
    assert [arrangement.score for arrangement in found] == pytest.approx(sorted(expected.values(), reverse=True))


@given(KEYS, st.integers(1, 6), st.booleans())
def test_sentences_of_a_narrow_beam_are_distinct_and_fit_the_template(keys, beam, exchanges):
    found = search(template(keys), beam, exchanges=exchanges)
    sentences = [sentence(keys, arrangement) for arrangement in found]
    assert len(set(sentences)) == len(sentences)
    scores = all_sentences(keys)
    for arrangement, words in zip(found, sentences, strict=True):
        assert sorted(arrangement.order) == list(range(len(keys)))
        assert arrangement.score == pytest.approx(scores[words])


@given(KEYS, st.integers(1, 3))
def test_exchanges_never_lose_a_better_sentence(keys, beam):
    alone = search(template(keys), beam, exchanges=False)
    both = search(template(keys), beam)
    assert not alone or both[0].score >= alone[0].score - 1e-9
    assert bool(both) == (len(all_sentences(keys)) > 1)


@given(KEYS)
def test_units_of_the_same_surface_stay_where_they_are(keys):
    for arrangement in search(template(keys), 100):
        moved = [place for place, source in enumerate(arrangement.order) if source != place]
        assert all(keys[place] != keys[arrangement.order[place]] for place in moved)


def test_the_template_of_the_papers_example_has_four_sentences(toy_arpa):
    keys = FLIGHTS
    model = NGrams(toy_arpa)
    places = template(keys, model)
    found = search(places, beam=100)
    margins = {" ".join(sentence(keys, a)): a.score - places.score(places.choices) for a in found}
    assert margins == pytest.approx(
        {
            "flights from florida to new york": -0.921,
            "flights to florida from new york": -3.454,
            "flights to new york from florida": -3.684,
        },
        abs=5e-4,
    )
    assert places.score(places.choices) == pytest.approx(-1.8 * LN10, abs=1e-5)
    assert [sum(margin >= -t for margin in margins.values()) for t in (3.0, 3.5)] == [1, 2]


def test_the_same_words_in_the_same_state_are_asked_once():
    keys = [("N", word) for word in "abcabc"]
    places = template(keys)
    search(places, 100)
    assert places.n_asked <= 4 * 3 + 2_000
    assert len(places._steps) <= 4 * 3


def test_a_sentence_without_two_units_of_a_kind_is_fixed():
    assert template([("D", "the"), ("N", "dog"), ("D", "the")]).is_fixed
    assert not template([("D", "the"), ("N", "dog"), ("D", "a")]).is_fixed


def test_the_first_unit_left_fills_each_place():
    assert order_of([0, 1, 0, 2], [2, 0, 0, 1]) == (3, 0, 2, 1)
