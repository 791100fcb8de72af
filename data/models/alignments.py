"""How a model reads chosen pairs, as a file that `identification align` writes and a report draws."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from data.console.errors import InputError
from data.files.values import read_json
from data.files.whole import write_json

FORMAT = "parade-alignments/1"


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """One pair as a model reads it; either `cells` or `effects` has a value."""

    pair_id: str
    score: float
    """P(paraphrase), 0 to 1."""
    first: list[str]
    """The words of the first text."""
    second: list[str]
    cells: list[list[float]] | None = None
    """How much each word of the first text belongs to each of the second, 0 to 1."""
    effects: list[list[float | None]] | None = None
    """Of the words of both texts: how much higher the score is with the word than without; None for a lone word."""

    def is_whole(self) -> bool:
        """Whether there is a number for each word, or for each two."""
        sizes = len(self.first), len(self.second)
        if self.cells is not None:
            return [len(row) for row in self.cells] == [sizes[1]] * sizes[0]
        return self.effects is not None and tuple(map(len, self.effects)) == sizes


def write(path: Path, model: str, alignments: Sequence[Alignment]) -> None:
    """Write the file."""
    content = {"format": FORMAT, "model": model, "pairs": [asdict(alignment) for alignment in alignments]}
    write_json(path, content)


def read(path: Path) -> tuple[str, list[Alignment]]:
    """The model's name and its alignments; raises InputError for any other file."""
    expected, remedy = "what `python -m identification align` writes", "write it again"
    content = read_json(path, expected, remedy)
    try:
        model, alignments = str(content["model"]), [Alignment(**pair) for pair in content["pairs"]]
        if content["format"] != FORMAT or not all(alignment.is_whole() for alignment in alignments):
            raise ValueError("another format")
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        found = " ".join(f"{type(fault).__name__}: {fault}".split())[:120]
        raise InputError(path, expected=expected, found=found, remedy=remedy) from fault
    return model, alignments
