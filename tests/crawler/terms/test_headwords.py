"""Headwords from the papers' capitals and from a file."""

from pathlib import Path

import pytest

from crawler.config import TermConfig
from crawler.terms import extraction
from crawler.terms.headwords import adapt, read_headwords
from data.console.errors import InputError
from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH
from tests.crawler.tools.counting import tokens_of

PAPERS = [("On GADS", "Our robots with GADS use WOMS and a womb. The Quirks of it: gads. Some quirks and rovers.")] * 6


@pytest.mark.parametrize(
    ("word", "headword"),
    [("gads", "gad"), ("woms", "woms"), ("quirks", "quirk"), ("rovers", "rover"), ("robots", "robot")],
)
def test_words_in_capitals_keep_their_form_where_they_mostly_have_them(word: str, headword: str) -> None:
    assert adapt(ENGLISH, tokens_of(PAPERS)).headword(word) == headword


def test_plurals_of_acronyms_are_the_acronym() -> None:
    papers = [("", f"We train QRNs, and a QRN of kind {kind}.") for kind in "abcdefg"]
    adapted = adapt(ENGLISH, tokens_of(papers))
    found = extraction.find_terms(tokens_of(papers), 7, TermConfig(min_words=1, above=1), adapted).set_index("term")
    assert list(found.loc["qrn", "variants"]) == ["qrn", "qrns"]


@pytest.mark.sweep
def test_german_nouns_are_no_names() -> None:
    papers = [("", f"Die Bäume {kind} wachsen, und Bäume fallen.") for kind in "abcdefg"]
    assert adapt(language("de"), tokens_of(papers)).headword("bäume") == "baum"


def test_names_keep_their_form() -> None:
    papers = [("The flow", f"A flow {kind} by Gorgons and the gorgon.") for kind in "abcdefg"]
    assert adapt(ENGLISH, tokens_of(papers)).headword("gorgons") == "gorgons"


def terms_of(text: str, config: TermConfig) -> dict[str, list[str]]:
    papers = [("", text)] * 20
    tokens = tokens_of(papers)
    found = extraction.find_terms(tokens, len(papers), config, adapt(ENGLISH, tokens))
    return {row.term: list(row.variants) for row in found.itertuples()}


def test_rare_plurals_of_adjectives_are_other_words_alone_but_plurals_within_names() -> None:
    text = "smart, " * 30 + "smarts, false negative, false negatives, " + "negative, " * 30 + "key, " * 30 + "keys"
    found = terms_of(text, TermConfig(min_words=1, max_words=2, above=1))
    assert found["smart"] == ["smart"]
    assert found["smarts"] == ["smarts"]
    assert found["key"] == ["key", "keys"]
    assert found["false negative"] == ["false negative", "false negatives"]


def test_a_frequent_plural_of_an_adjective_is_one() -> None:
    found = terms_of("chemical, chemicals", TermConfig(min_words=1, above=1))
    assert found == {"chemical": ["chemical", "chemicals"]}


def test_genitives_without_their_apostrophe_are_no_plurals() -> None:
    found = terms_of("today, today's, today's, todays, user's, users, users", TermConfig(min_words=1, above=1))
    assert found["today"] == ["today"]
    assert found["users"] == ["users"]


@pytest.mark.parametrize("word", ["leds", "vasa"])
def test_an_acronym_is_no_other_word(word: str) -> None:
    text = "We led them. They led us by LEDs. The VAS shows pain; the VAS and vasa."
    assert adapt(ENGLISH, tokens_of([("", text)] * 9)).headword(word) == word


def test_a_frequent_word_without_a_singular_is_no_plural() -> None:
    papers = [("", "it is fast and uses roommates")] * 20 + [("", "we use giraffes")] * 19
    adapted = adapt(ENGLISH, tokens_of(papers))
    assert [adapted.headword(word) for word in ("roommates", "giraffes", "pandas")] == [
        "roommates",
        "giraffe",
        "pandas",
    ]
    assert adapt(ENGLISH, tokens_of([*papers, ("", "a roommate")])).headword("roommates") == "roommate"


def test_headwords_of_a_file_go_before_the_capitals() -> None:
    tokens = tokens_of([("", f"We use Kalmans here, and Kalmans {kind} too.") for kind in "abcdefg"])
    assert adapt(ENGLISH, tokens, {"kalmans": "kalman"}).headword("kalmans") == "kalman"


def test_headwords_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "lemmas.txt"
    path.write_text("# ours\n\nFoci  focus\nshingles\tshingles\nC# C#\n", encoding="utf-16")
    assert read_headwords(path) == {"foci": "focus", "shingles": "shingles", "c#": "c#"}


def test_every_faulty_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lemmas.txt"
    path.write_text("foci focus\nfoci\nfoci focal\n", encoding="utf-8")
    with pytest.raises(InputError, match="found 2 others"):
        read_headwords(path)
    assert capsys.readouterr().out.splitlines() == [
        f"{path}, line 2: expected a new word and its headword, found 'foci'",
        f"{path}, line 3: expected a new word and its headword, found 'foci focal'",
    ]
