"""Units are words, entities and terms; a rearranged text keeps its white space and the case of its beginning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.swapping.units import Units, rearranged, units_of
from tests.generation.world import tagged

FLIGHTS = tagged(
    "Flights/NNS from/IN New/NNP York/NNP to/IN Florida/NNP",
    entities=[(2, 4, "GPE", 0.99), (5, 6, "LOC", 0.96)],
)


def kinds(text, probability=0.95, terms=None) -> list[tuple[str, str]]:
    return [(unit.surface, unit.kind) for unit in units_of(text, probability, terms)]


def test_places_are_one_unit_of_one_kind():
    assert kinds(FLIGHTS)[2:] == [("New York", "LOCATION"), ("to", "IN"), ("Florida", "LOCATION")]


def test_an_entity_counts_only_above_the_probability():
    assert ("Florida", "NNP") in kinds(FLIGHTS, 0.96)
    assert ("New York", "LOCATION") in kinds(FLIGHTS, 0.96)


def test_dates_are_no_units():
    assert kinds(tagged("April/NNP 2/CD", entities=[(0, 2, "DATE", 1.0)])) == [("April", "NNP"), ("2", "CD")]


def test_terms_are_units_with_the_tag_of_their_last_word_and_go_before_entities():
    text = tagged("A/DT Turing/NNP machine/NN reads/VBZ tapes/NNS", entities=[(1, 2, "PERSON", 1.0)])
    terms = Units.of(["turing machine", "tapes"], str.split)
    assert kinds(text, terms=terms) == [
        ("A", "DT"), ("Turing machine", "TERM/NN"), ("reads", "VBZ"), ("tapes", "NNS")
    ]  # fmt: skip


def test_auxiliaries_change_places_with_auxiliaries_alone():
    text = tagged("They/PRP said/VBD so/RB and/CC were/VBD fired/VBN ,/,")
    own = [kind for _, kind in kinds(text, terms=Units.of([], str.split))]
    assert own == ["PRP", "VBD", "RB", "CC", "AUXILIARY/VBD", "VBN", "MARK ,"]
    assert kinds(text)[4] == ("were", "VBD"), "as in the paper"


def test_numbers_change_places_with_numbers_that_say_the_same_alone():
    text = tagged(
        "In/IN 1996/CD it/PRP fell/VBD 1.2/CD points/NNS or/CC 0.5/CD %/NN to/TO 986.6/CD on/IN June/NNP 18/CD "
        "for/IN $/$ 5/CD in/IN 12/CD old/JJ cases/NNS of/IN two/CD"
    )
    numbers = [(word, kind) for word, kind in kinds(text, terms=Units()) if kind.endswith("/CD")]
    assert numbers == [
        ("1996", "YEAR/CD"), ("1.2", "DECIMAL-COUNT/CD"), ("0.5", "SHARE/CD"), ("986.6", "DECIMAL/CD"),
        ("18", "DAY/CD"), ("5", "MONEY/CD"), ("12", "DIGITS-COUNT/CD"), ("two", "WORD/CD"),
    ]  # fmt: skip
    assert {kind for word, kind in kinds(text) if word in dict(numbers)} == {"CD"}, "as in the paper"


def test_compound_nouns_are_whole_without_a_list_of_terms():
    text = tagged(
        "The/DT hair/NN cell/NN loss/NN hurt/VBD guinea/NN pigs/NNS",
        heads=[3, 2, 3, 4, 4, 6, 4],
        relations=["det", "compound", "compound", "nsubj", "ROOT", "compound", "dobj"],
    )
    whole = [("The", "DT"), ("hair cell loss", "NN"), ("hurt", "VBD"), ("guinea pigs", "NNS")]
    assert kinds(text, terms=Units()) == whole
    assert len(kinds(text)) == 7, "as in the paper"


def test_the_longest_term_that_begins_at_a_word_counts():
    terms = Units.of(["neural network", "deep neural network", "network layer"], str.split)
    assert terms.find(["a", "deep", "neural", "network", "layer"]) == [(1, 4), (2, 4), (3, 5)]


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        (tagged("Dogs/NNS like/VBP cats/NNS"), (2, 1, 0), "Cats like dogs"),
        (tagged("NASA/NNP likes/VBZ Bob/NNP"), (2, 1, 0), "Bob likes NASA"),
        (tagged("I/PRP like/VBP you/PRP"), (2, 1, 0), "You like I"),
        (tagged("Paris/NNP likes/VBZ Rome/NNP"), (2, 1, 0), "Rome likes Paris"),
        (tagged("dogs/NNS like/VBP Cats/NNS"), (2, 1, 0), "Cats like dogs"),
        (tagged("DNA/NN codes/NNS cells/NNS"), (0, 2, 1), "DNA cells codes"),
        (tagged("BLAST/NN and/CC dust/NN"), (2, 1, 0), "Dust and BLAST"),
    ],
)
def test_the_first_word_has_the_capital(text, order, expected):
    assert rearranged(text, units_of(text, 0.95), order) == expected


def test_white_space_and_what_is_joined_stay():
    text = tagged("one_/CD ,/, two/CD  three_/CD ./.".replace("  ", " /_SP ").replace(" /_SP ", " "))
    assert rearranged(text, units_of(text, 0.95), (2, 1, 0, 3, 4)) == "two, one three."


@given(st.permutations(range(5)), st.sampled_from([" ", "  ", "\N{NO-BREAK SPACE}"]))
def test_the_words_and_the_gaps_of_the_text_are_kept(order, gap):
    from dataclasses import replace

    text = tagged("ab/N cd/N ef/N gh/N ij/N")
    wide = text.text.replace(" ", gap)
    starts = tuple(wide.index(token) for token in text.tokens)
    text = replace(text, text=wide, starts=starts, ends=tuple(start + 2 for start in starts))
    moved = rearranged(text, units_of(text, 0.95), order)
    assert moved.split(gap) == [text.tokens[source] for source in order]


@pytest.mark.parametrize(
    ("marked", "content"), [("dog/NN", True), ("the/DT", False), ("is/VBZ", False), ("./.", False), ("7/CD", True)]
)
def test_content_is_no_function_word(marked, content):
    assert units_of(tagged(marked), 0.95)[0].has_content is content


def test_with_terms_names_joined_words_and_marks_stay_whole():
    text = tagged("The/DT Affinity/NNP Network/NNP is/VBZ self_/NN -_/HYPH made/VBN ,/, not/RB ;/:")
    assert kinds(text, terms=Units()) == [
        ("The", "DT"), ("Affinity Network", "NAME/NNP"), ("is", "AUXILIARY/VBZ"), ("self-made", "JOINED/VBN"),
        (",", "MARK ,"), ("not", "RB"), (";", "MARK ;")
    ]  # fmt: skip
    assert ("Network", "NNP") in kinds(text)


def test_a_dash_between_spaces_joins_nothing():
    assert kinds(tagged("fast/JJ -/: cheap/JJ"), terms=Units()) == [("fast", "JJ"), ("-", "MARK -"), ("cheap", "JJ")]


def test_wholes_that_overlap_are_one():
    terms = Units.of(["turing machine", "machine models"], str.split)
    assert kinds(tagged("turing/NN machine/NN models/NNS"), terms=terms) == [("turing machine models", "NNS")]
    name = tagged("a/DT Turing/NNP Machine/NNP Model/NNP")
    assert kinds(name, terms=terms)[1:] == [("Turing Machine Model", "NAME/NNP")]
    style = tagged(
        "a/DT poem_/NN -_/HYPH style/NN judge/NN",
        heads=[4, 3, 3, 4, 4],
        relations=["det", "compound", "punct", "compound", "ROOT"],
    )
    assert kinds(style, terms=Units())[1:] == [("poem-style judge", "NN")]


def test_an_entity_inside_a_compound_is_no_unit_of_its_own():
    text = tagged("CAD/NNP problem/NN", entities=[(0, 1, "ORG", 1.0)], heads=[1, 1], relations=["compound", "ROOT"])
    assert kinds(text, terms=Units()) == [("CAD problem", "NN")]
    assert kinds(text) == [("CAD", "ORGANIZATION"), ("problem", "NN")], "as in the paper"
