"""The words of the papers that stay in the store, and the language that they speak."""

from crawler.config import TermConfig
from crawler.terms.kept_words import PaperWords
from tests.crawler.counting import tokens_of


def test_headwords_of_a_file_go_before_those_of_the_capitals() -> None:
    tokens = tokens_of([("", f"We use Kalmans here, and Kalmans {kind} too.") for kind in "abcdefg"])
    words = PaperWords(tokens=tokens, n_papers=7, config=TermConfig(), headwords={"kalmans": "kalman"})
    assert words.language.headword("kalmans") == "kalman"
