"""The word vectors behind docs/results.md: `python -m studies.results.word_vectors DATASET... --papers FILE --out DIR`.

Learned once from the texts of the data sets and the papers' abstracts, so that all networks read the same vectors.
Writes `vectors.txt.gz`, in word2vec's form, and `abstracts.txt.gz`, one abstract per line.
"""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import say
from data.files.sheets import read_lines
from data.labelled import corpora
from identification.training.vectors import TrainedVectors, distinct_words, learn


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Learn vectors of the data sets' words and write them with the abstracts."""

    datasets: Positional[tuple[Path, ...]]
    """Folders or files of pairs."""
    papers: Path
    """JSON lines with `abstract`, plain or .gz."""
    out: Path
    """The folder of both files."""
    size: int = 300
    """Dimensions."""
    seed: int = 1
    """Of word2vec."""


def main(arguments: Arguments) -> None:
    """Write both files."""
    frames = [corpora.load(path)[0] for path in arguments.datasets]
    texts = list(dict.fromkeys(str(text) for frame in frames for side in ("first", "second") for text in frame[side]))
    papers = (json.loads(line) for line in read_lines(arguments.papers, "a file of papers"))
    abstracts = [" ".join(paper["abstract"].split()) for paper in papers if paper.get("abstract")]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with gzip.open(arguments.out / "abstracts.txt.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{abstract}\n" for abstract in abstracts)
    known = learn([*texts, *abstracts], distinct_words(texts), arguments.size, arguments.seed)
    _write(known, arguments.out / "vectors.txt.gz")
    say(
        f"{len(known.words):,} vectors from {known.origin['words']:,} words of {len(texts):,} texts of the data sets "
        f"and {len(abstracts):,} abstracts, {known.origin['epochs']} passes"
    )


def _write(known: TrainedVectors, path: Path) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(f"{len(known.words)} {known.matrix.shape[1]}\n")
        for word, row in zip(known.words, known.matrix, strict=True):
            file.write(f"{word} {' '.join(f'{number:.6g}' for number in row)}\n")


if __name__ == "__main__":
    run(main, prog="python -m studies.results.word_vectors")
