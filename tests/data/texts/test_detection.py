"""How likely texts are in a language."""

import lingua

from data.texts.languages.detection import SURE, confidence, detectors

LEAST = 0.1


def test_texts_that_look_english_to_the_fast_detector_are_foreign() -> None:
    """It is sure of the first, which is short, and nearly sure of the others: the accurate one is asked about each."""
    foreign = [
        "Neoplasia intraepitelial cervical uterina",
        "Když existuje hodně plánů a jenom pár má přípustný rozvrh.",
        "Antagonist folne kiseline. Koristi se u terapiji neoplazmi.",
    ]
    fast = detectors("en")[0].compute_language_confidence_in_parallel(foreign, lingua.Language.ENGLISH)
    assert fast[0] > SURE > max(fast[1:]) > min(fast[1:]) > 0.9
    assert max(confidence(foreign, "en")) < LEAST
    assert confidence(["A tree whose nodes have at most two successors each, with one root."], "en") > LEAST


def test_stop_words_show_a_language_that_both_detectors_miss() -> None:
    english = "What is the Ansatz?"
    for detector in detectors("en"):
        assert detector.compute_language_confidence(english, lingua.Language.ENGLISH) < LEAST
    assert confidence([english], "en") == [1]


def test_a_text_beside_its_translation_is_not_shown_by_stop_words() -> None:
    both = "Hva er den viktigste funksjonen av hormonet? / What is the most important function of the hormone?"
    assert 0 < confidence([both], "en") < 1
    assert list(confidence([], "en")) == []
