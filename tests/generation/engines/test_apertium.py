"""The real Apertium."""

import shutil
import subprocess

import pytest

from data.console.errors import InputError
from generation.engines import apertium
from generation.engines.apertium import Apertium, directions

pytestmark = pytest.mark.skipif(
    shutil.which("apertium") is None, reason="Apertium is not installed (Debian's apertium, apertium-eng-spa)"
)

TEXTS = [
    "the process of converting plaintext into ciphertext",
    "This lexical selection approach has two advantages .",
    "Is it good?",
    "a  line\nbroken [here] ^and$ {there} / \\ <b> @ *x",
    "",
    "It stores data.",
]


@pytest.mark.sweep
def test_every_text_comes_back_alone_with_its_own_ending_and_capitals() -> None:
    found = Apertium("es").there_and_back(TEXTS)
    assert [len(results) for results in found] == [1, 1, 1, 1, 0, 1]
    texts = [results[0].text if results else "" for results in found]
    assert texts[0] == "the process to convert plaintext to ciphertext"
    assert texts[1].startswith("This ")
    assert texts[1].endswith(" .")
    assert texts[2].endswith("?")
    assert "\n" not in texts[3]
    assert texts[5].endswith("data.")
    assert found[0][0].via.casefold() == "el proceso de convertir plaintext a ciphertext"
    assert found == Apertium("es").there_and_back(TEXTS)
    assert Apertium("es").there_and_back([]) == []


def test_no_text_begins_in_capitals_that_its_source_has_not() -> None:
    [[result]] = Apertium("es").there_and_back(["Because of its importance, there are libraries."])
    assert result.text.startswith("Because of ")
    assert apertium._clean("IBM AND we wait", "IBM and us wait").startswith("IBM AND ")


def test_words_of_the_other_language_that_stay_are_named_and_unknown_names_and_terms_are_not() -> None:
    texts = [
        "An automaton is unambiguous if the non-deterministic automaton runs.",
        "Kalman and the CPU need an optimal throughput of 3 graphs.",
        "The *cual* of the K-Means solver.",
    ]
    found = [results[0] for results in Apertium("es").there_and_back(texts)]
    assert [result.untranslated for result in found] == [("autómatanodeterminista",), (), ()]
    assert "autómatanodeterminista" in found[0].text
    assert "throughput" in found[1].text


@pytest.mark.sweep
def test_no_word_of_a_text_moves_into_another() -> None:
    texts = [
        "Dynamic typing is an important feature of dynamic programming languages",
        "Organization is defined as a structure with a function",
    ]
    engine = Apertium("es")
    assert engine.there_and_back(texts) == [engine.there_and_back([text])[0] for text in texts]


def test_a_line_that_comes_back_in_two_is_joined_and_takes_no_other_out_of_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def call(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, text.replace("breaks ", "breaks\n\n"), "")

    engine = Apertium("es")
    monkeypatch.setattr(apertium, "_call", call)
    found = engine.there_and_back(["one", "it breaks here", "two", "three", "it breaks there too"])
    assert [results[0].text for results in found] == ["one", "it breaks here", "two", "three", "it breaks there too"]


def test_the_name_holds_directions_and_a_digest() -> None:
    engine, there, back, digest = Apertium("es").name.split()
    assert (engine, there, back, len(digest)) == ("apertium", "eng-spa", "spa-eng", 32)
    assert {there, back} <= set(directions())


def test_a_pivot_without_a_way_there_or_back_is_named_with_those_that_have_one() -> None:
    with pytest.raises(InputError, match=r"--pivots fr: expected .*spa.*, found no such pair"):
        Apertium("fr")
