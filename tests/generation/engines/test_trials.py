"""Language models of strangers: what would crash KenLM, or keep it for ever, is one line."""

from pathlib import Path

import pytest

from data.errors import InputError
from generation.engines.ngrams import NGrams
from generation.engines.trials import MAGIC
from tests.generation.world import arpa


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("ngram 1=-10", "the line 'ngram 1=-10' where n-grams are counted"),
        ("ngram 1=99999999999999999999", "where n-grams are counted"),
        ("ngram 1=999999999999", "counts of 1,000,000,000,0.. n-grams above"),
        ("ngram 1=0", "counts of"),
        ("ngram 2=3", "the line 'ngram 2=3'"),
        ("ngram 1=x", "the line 'ngram 1=x'"),
    ],
)
def test_counts_that_a_file_cannot_hold_are_refused(engines, tmp_path: Path, written: str, found: str) -> None:
    lines = arpa().split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("ngram 1="))
    lines[place] = written
    path = tmp_path / "counts.arpa"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=rf"counts.arpa: expected a language model of KenLM.*found .*{found}"):
        NGrams(path)


def test_a_crash_is_that_of_another_process(engines, tmp_path: Path) -> None:
    """A file of 60 bytes that ended the process before, and binary files of every length of header."""
    for number, content in enumerate(
        [
            b"\\data\\\nngram 1=-10\n\n\\1-grams:\n-1\t<unk>\n\n\\end\\\n",
            *(MAGIC + b"\xff" * n for n in (40, 400, 4000)),
        ]
    ):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"{number}.bin: expected a language model of KenLM"):
            NGrams(path)
