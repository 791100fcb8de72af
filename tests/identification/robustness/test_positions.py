"""Which words are replaced together."""

from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH
from identification.robustness.parts_of_speech import tag_by_lists
from identification.robustness.positions import Slot, Slots
from identification.robustness.search import Draft
from identification.robustness.texts import TaggedWords, is_content, list_words

SLOTS = Slots(language=ENGLISH)


def draft(first: str, second: str) -> Draft:
    return Draft(*tag_by_lists([TaggedWords.of(first), TaggedWords.of(second)]))


def test_positive_pairs_share_their_words_whatever_the_case() -> None:
    slots = SLOTS.find(draft("The tree holds 2 nodes", "A node is in a Tree of 2"), 1)
    assert slots == [Slot((1,), (5,))]


def test_negative_pairs_match_nouns_with_nouns_and_verbs_with_verbs() -> None:
    pair = draft("cheap trees grow", "birds digest quickly")
    words = {(pair.first.lower[slot.first[0]], pair.second.lower[slot.second[0]]) for slot in SLOTS.find(pair, 0)}
    assert ("trees", "birds") in words
    assert ("cheap", "birds") not in words


def test_stop_words_negations_numbers_and_single_letters_stay() -> None:
    assert [word for word in ("not", "without", "the", "7", "x", "b2b", "tree") if is_content(word, ENGLISH)] == [
        "tree"
    ]


def test_without_open_classes_any_shared_content_word_is_replaceable() -> None:
    pair = draft("runs swiftly qwert", "swiftly qwert")
    loose = Slots(language=ENGLISH, open_classes=False)
    assert len(loose.find(pair, 1)) == 2
    assert len(SLOTS.find(pair, 1)) < 2


def test_proper_nouns_stay_by_their_tags_and_by_their_capitals() -> None:
    text = "Memory of Java. Memory: the virus in memory hit toronto"
    pair = Draft(*(TaggedWords.of(text).tagged(["NN"] * 9 + ["NNP"]) for _ in range(2)))
    spared = Slots(language=ENGLISH, names=False).find(pair, 1)
    words = {pair.first.lower[slot.first[0]] for slot in spared}
    assert words == {"memory", "virus", "hit"}
    assert {pair.first.lower[slot.first[0]] for slot in Slots(language=ENGLISH).find(pair, 1)} == {
        *words,
        "java",
        "toronto",
    }


def test_a_word_that_is_a_name_elsewhere_in_the_pair_is_not_replaced() -> None:
    pair = Draft(
        TaggedWords.of("an apple fell near the Apple shop").tagged(["DT", "NN", "VBD", "IN", "DT", "NNP", "NN"]),
        TaggedWords.of("the apple and the shop").tagged(["DT", "NN", "CC", "DT", "NN"]),
    )
    found = {names: Slots(language=ENGLISH, names=names).find(pair, 1) for names in (True, False)}
    assert found[True] == [Slot((1, 5), (1,)), Slot((6,), (4,))]
    assert found[False] == [Slot((6,), (4,))]


def test_a_word_stays_of_which_another_form_would_be_left_behind() -> None:
    pair = draft("a process over one concentration", "the process of concentrations and concentration")
    loose, strict = (Slots(language=ENGLISH, other_forms=other).find(pair, 1) for other in (True, False))
    assert [pair.first.lower[slot.first[0]] for slot in loose] == ["process", "concentration"]
    assert [pair.first.lower[slot.first[0]] for slot in strict] == ["process"]


def test_without_parts_of_speech_any_content_word_goes_with_any_other() -> None:
    pair = Draft(TaggedWords.of("rot haus"), TaggedWords.of("laufen haus"))
    assert Slots(language=ENGLISH).find(pair, 0) == []
    untagged = Slots(language=ENGLISH, has_tags=False)
    assert len(untagged.find(pair, 0)) == 4
    assert untagged.find(pair, 1) == [Slot((1,), (1,))]


def test_words_that_are_always_written_with_a_capital_are_names() -> None:
    texts = ["Java has queues", "Queues in Java", "Toronto"]
    assert list_words(texts, ENGLISH, ()) == ["java", "queues", "toronto"]
    assert list_words(texts, ENGLISH, {"names"}) == ["queues"]
    assert list_words(["Ein Baum wächst", "Der Baum"], language("de"), {"names"}) == ["baum", "wächst"]


def test_without_the_guard_only_stop_words_stay() -> None:
    text = "no node holds 7 well-known keys not one"
    pair = Draft(*(TaggedWords.of(text) for _ in range(2)))
    found = {
        plain: {
            pair.first.lower[slot.first[0]]
            for slot in Slots(language=ENGLISH, plain=plain, has_tags=False).find(pair, 1)
        }
        for plain in (True, False)
    }
    assert found[True] == {"node", "holds", "keys", "one"}
    assert found[False] == found[True] | {"7", "well-known"}
