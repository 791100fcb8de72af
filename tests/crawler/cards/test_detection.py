"""Which languages a pile of texts is in."""

import lingua

from crawler.cards.detection import SAMPLE, _any_language, say_languages, spread
from data.languages.known import ENGLISH, language

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
    assert say_languages(GERMAN, ENGLISH, "cards") == [expected]


def test_the_language_chosen_is_no_finding() -> None:
    assert say_languages(GERMAN, language("de"), "cards") == []
    assert say_languages(PLAIN, ENGLISH, "cards") == []
    assert say_languages([], ENGLISH, "cards") == []


def test_a_part_is_told_with_its_share() -> None:
    (line,) = say_languages([*PLAIN, *PLAIN, GERMAN[0]], ENGLISH, "papers")
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
    assert say_languages([*PLAIN, *latin], ENGLISH, "cards") == []


def test_short_texts_are_read_together() -> None:
    short = ["Hash table", "binary tree", "linked list of nodes", "the search for a shortest path"]
    assert say_languages(short, ENGLISH, "cards") == []
    assert say_languages(["tree"], ENGLISH, "cards") == []


def test_a_sample_is_evenly_spaced() -> None:
    texts = [str(number) for number in range(10 * SAMPLE)]
    assert spread(texts) == texts[::10]
