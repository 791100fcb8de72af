"""The guards: what each refuses, and what a rewording may keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrase_game.game.guards import REASONS, Earlier, GuardRule, refuse

NOTHING = Earlier()
RULE = GuardRule()
SENTENCE = "The three priests were careful to go through church channels first."


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("the three priests were careful to go through church channels first!", "copy"),
        ("Were careful to go through church channels first", "copy"),
        ("Before that: the three priests were careful to go through church channels first, indeed.", "copy"),
        ("First, through church channels, the three priests were careful to go.", "reordering"),
        ("The three priest was careful to going through churches channel first.", "reordering"),
        ("The thre preists were carefull to go thru church chanels first.", "typos"),
        ("Priests", "too_short"),
        ("The clergymen went by the institution " * 9, "too_long"),
        ("word " * 2000, "too_long"),
        ("The <b>clergymen</b> made sure to use official routes of the church before others.", "marks"),
        ("The clergymen made sure to use\u202e official routes of the church.", "marks"),
        ("Qwrt zxcv plmk jhgf dsaq wert yuio bnmv", "gibberish"),
        ("Die drei Priester achteten darauf, zuerst den Weg über die Kirche zu gehen.", "language"),
        ("", "too_short"),
        ("The trio of clergymen made sure to use the official routes of their institution before others.", ""),
    ],
)
def test_each_guard_refuses_its_trick(text: str, guard: str) -> None:
    found = refuse(text, SENTENCE, NOTHING, RULE)
    assert found == guard or (guard == "language" and found == "gibberish")
    assert found in {"", *REASONS}


def test_earlier_and_others_texts_are_recognised() -> None:
    text = "The clergymen made sure to use official routes of the church before others."
    own = Earlier(own=[text])
    assert refuse(text.upper(), SENTENCE, own, RULE) == "earlier"
    moved = "Before others, the clergymen made sure to use official routes of the church"
    assert refuse(moved, SENTENCE, own, RULE) == "earlier"
    assert refuse(text.replace("others", "other ones"), SENTENCE, Earlier(others=[text]), RULE) == "others"
    better = "The clergymen made sure to try all official routes of their own institution before others."
    assert refuse(better, SENTENCE, own, RULE) == ""


def test_one_text_serves_one_sentence() -> None:
    text = "Bananas are yellow and grow in warm countries near the sea, number 4."
    before = Earlier(elsewhere=[text.replace("4", "3")])
    assert refuse(text, SENTENCE, before, RULE) == "elsewhere"
    assert refuse(text, SENTENCE, Earlier(own=before.elsewhere), RULE) == "", "a draft of the same sentence may be near"


def test_words_with_the_same_letters_are_no_typos() -> None:
    assert refuse("Sit on that sack next to the cat now", "The cat sat on the mat next to this", NOTHING, RULE) == ""


@given(st.text(max_size=300))
def test_no_text_breaks_a_guard(text: str) -> None:
    assert refuse(text, SENTENCE, Earlier(own=[text[::2]], elsewhere=[text[::5]], others=[text[::3]]), RULE) in {
        "",
        *REASONS,
    }


@given(st.permutations(SENTENCE.split()), st.sampled_from(["", "!", " ...", "?!"]))
def test_no_order_of_the_sentences_words_is_paid(order: list[str], end: str) -> None:
    assert refuse(" ".join(order) + end, SENTENCE, NOTHING, RULE) in {"copy", "reordering"}
