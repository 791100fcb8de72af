"""Which languages a pile of texts is in."""

import lingua

from crawler.cards.survey import SAMPLE, _any_language, remedy, spread, survey
from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH

GERMAN = [
    "Eine Datenstruktur ordnet jedem Schlüssel höchstens einen Wert zu und findet ihn schnell wieder.",
    "Der Baum besteht aus Knoten, von denen jeder höchstens zwei Nachfolger hat.",
    "Ein Verfahren, das eine Liste durch wiederholtes Vertauschen benachbarter Werte ordnet.",
]
PLAIN = [
    "A structure that maps each key to at most one value and finds it again quickly.",
    "A tree whose nodes have at most two successors each, with one root.",
]


def test_german_texts_are_not_english() -> None:
    flags = "(the flag for these: --language de, of a crawl -a language=de)"
    expected = f"100% of the cards are not in English, most of these in German {flags}"
    assert survey(GERMAN, ENGLISH).describe("cards") == [expected]


def test_the_language_chosen_is_no_finding() -> None:
    assert survey(GERMAN, language("de")).describe("cards") == []
    assert survey(PLAIN, ENGLISH).describe("cards") == []
    assert survey([], ENGLISH).describe("cards") == []


def test_a_part_is_told_with_its_share() -> None:
    (line,) = survey([*PLAIN, *PLAIN, GERMAN[0]], ENGLISH).describe("papers")
    assert line.startswith("20% of the papers are not in English")


def test_english_with_latin_names_is_english() -> None:
    latin = [
        "gland in human males that secretes an alkaline component of semen",
        "membrane that closes the end of the scala tympani",
        "the part of the descending aorta superior to the aortic hiatus",
        "producers, primary consumers, secondary consumers, tertiary consumers",
    ]
    fast = _any_language().detect_languages_in_parallel_of(latin)
    assert lingua.Language.ENGLISH not in fast
    assert survey([*PLAIN, *latin], ENGLISH).describe("cards") == []


def test_short_texts_are_read_together() -> None:
    short = ["Hash table", "binary tree", "linked list of nodes", "the search for a shortest path"]
    assert survey(short, ENGLISH).describe("cards") == []
    assert survey(["tree"], ENGLISH).describe("cards") == []


def test_a_sample_is_evenly_spaced() -> None:
    texts = [str(number) for number in range(10 * SAMPLE)]
    assert spread(texts) == texts[::10]


def test_half_of_the_texts_in_other_languages_are_doubted() -> None:
    kept = survey([*PLAIN, *GERMAN[:2]], ENGLISH)
    assert kept.mostly_in() == "de"
    share = "50% of the cards are not in English, most of these in German"
    way = "read them with -a language=de, or with -a language=en if that is meant"
    assert kept.doubt("cards", "read them") == f"{share}: {way}"
    assert survey([*PLAIN, GERMAN[0]], ENGLISH).doubt("cards", "read them") is None
    assert survey(GERMAN, language("de")).doubt("cards", "read them") is None
    assert survey([], ENGLISH).mostly_in() is None


def test_a_language_without_a_module_is_named_without_a_flag() -> None:
    way = "data/texts/languages has no module for Spanish (de, en): read them without these"
    assert remedy(ENGLISH, "es", "read them", "--language ") == f"{way}, or with --language en if that is meant"
