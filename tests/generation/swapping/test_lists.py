"""Which rearrangements only change the order of a list."""

import pytest

from generation.config import SwapConfig
from generation.swapping.candidates import swap
from generation.swapping.lists import cycles, permutes_lists
from generation.swapping.units import units_of
from tests.generation.world import LastWord, tagged


def is_list(text, *exchanged: tuple[int, int]) -> bool:
    units = units_of(text, 0.95)
    order = list(range(len(units)))
    for first, second in exchanged:
        order[first], order[second] = order[second], order[first]
    return permutes_lists(text, units, order)


PETS = tagged("We/PRP like/VBP cats/NNS ,/, dogs/NNS and/CC mice/NNS ./.")
QUERIES = tagged(
    "compare/VB query/NN A/NN and/CC query/NN B/NN", heads=[0, 2, 0, 2, 5, 2],
    relations=["ROOT", "compound", "dobj", "cc", "compound", "conj"],
)  # fmt: skip
HATS = tagged(
    "cats/NNS with/IN hats/NNS and/CC dogs/NNS sleep/VBP", heads=[5, 0, 1, 0, 0, 5],
    relations=["nsubj", "prep", "pobj", "cc", "conj", "ROOT"],
)  # fmt: skip
PHRASES = tagged("improve/VB training/NN speed/NN ,/, memory/NN use/NN and/CC recall/NN")


def test_neighbours_and_ends_of_a_list():
    assert is_list(PETS, (2, 4))
    assert is_list(PETS, (2, 6))
    assert is_list(PETS, (2, 4), (4, 6))


def test_conjuncts_with_the_same_words_before_them():
    assert is_list(QUERIES, (2, 5))


def test_a_conjunct_with_a_modifier_behind_it_is_no_list():
    assert not is_list(HATS, (0, 4))


def test_whole_phrases_of_a_list():
    assert is_list(PHRASES, (1, 4), (2, 5))


def test_one_word_of_two_phrases_is_no_list():
    assert not is_list(PHRASES, (1, 4))


def test_what_explains_a_name_in_brackets_may_as_well_be_explained_by_it():
    assert is_list(tagged("run/VB PCR/NNP (/-LRB- Reaction/NNP )/-RRB- and/CC wait/VB"), (1, 3))
    assert not is_list(tagged("run/VB PCR/NNP (/-LRB- Reaction/NNP 2/CD )/-RRB- and/CC wait/VB"), (1, 3))


def test_every_cycle_must_be_a_list():
    text = tagged("cats/NNS and/CC dogs/NNS chase/VBP mice/NNS and/CC birds/NNS")
    assert is_list(text, (0, 2), (4, 6))
    assert not is_list(text, (0, 4))
    assert not is_list(text, (0, 2), (2, 4))


def test_subject_and_object_are_no_list():
    assert not is_list(tagged("dogs/NNS chase/VBP cats/NNS"), (0, 2))


def test_items_of_another_number_belong_to_the_list():
    assert is_list(tagged("knowledge/NN ,/, skills/NNS and/CC behaviour/NN matter/VBP"), (0, 4))


def test_function_words_that_moved_besides_count_for_nothing():
    text = tagged("cats/NNS and/CC dogs/NNS eat/VBP a/DT pie/NN or/CC the/DT cake/NN")
    assert is_list(text, (0, 2), (1, 6))
    assert not is_list(text, (1, 6))


def test_neighbouring_modifiers_are_one():
    assert is_list(tagged("a/DT large/JJ new/JJ house/NN"), (1, 2))


@pytest.mark.parametrize(
    ("order", "expected"), [((0, 1, 2), []), ((1, 0, 2), [[0, 1]]), ((1, 2, 0, 4, 3), [[0, 1, 2], [3, 4]])]
)
def test_cycles(order, expected):
    assert cycles(order) == expected


def test_where_the_best_reorders_a_list_the_next_best_takes_its_place_or_none():
    text = tagged("bees/NNS see/VBP ants/NNS and/CC dogs/NNS ./.")
    following, nothing = (swap(text, LastWord(), SwapConfig(lists=lists, n_best=1), None) for lists in ("next", "drop"))
    assert [candidate.text for candidate in following.candidates] == ["dogs see bees and ants ."]
    assert (nothing.candidates, nothing.reason, nothing.n_lists) == ((), "only_lists", 1)
