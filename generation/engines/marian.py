"""Neural translators of the Marian family: two folders of CTranslate2, for the way there and the way back."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from data.console.errors import InputError
from data.console.optional_packages import require_generation
from data.models.model_folders import check_files, opening
from data.models.trials import TEXTS, try_first
from data.texts.identity import files_digest
from generation.engines.protocols import Translation

NEEDED = ("model.bin", "source.spm", "target.spm")
EXPECTED = "a folder of CTranslate2 with " + ", ".join(NEEDED)
CONVERT = (
    "convert a Marian model: ct2-transformers-converter --model MODEL --output_dir FOLDER "
    "--copy_files source.spm target.spm"
)
BATCH_TEXTS = 32
TRIAL_PIECES = 32
"""Word pieces that a model is tried with; few models read fewer."""
END = "</s>"


class Marian:
    """Translates there with k results, and each of them back with k."""

    def __init__(self, there: Path, back: Path, k: int = 5, threads: int = 0) -> None:
        """The folders' models; `threads` 0: as many as there are cores. Raises InputError where a file is missing."""
        self.k = k
        self._there, self._back = (_Direction(folder, k, threads) for folder in (there, back))
        files = [folder / name for folder in (there, back) for name in NEEDED]
        self.name = f"marian {there.name} {back.name} {files_digest(files)}"

    def there_and_back(self, texts: Sequence[str]) -> list[list[Translation]]:
        """At most k times k different translations of each text, best first."""
        there = self._there.translate([" ".join(text.split()) for text in texts])
        back = iter(self._back.translate([via for results in there for via, _ in results]))
        return [_best(results, [next(back) for _ in results]) for results in there]


def _best(there: list[tuple[str, float]], back: list[list[tuple[str, float]]]) -> list[Translation]:
    """The results of one text by the sum of both logarithms of probability; of equal texts the best."""
    every = [
        Translation(text=text, via=via, score=score_there + score, rank_there=i, rank_back=j)
        for i, ((via, score_there), results) in enumerate(zip(there, back, strict=True))
        for j, (text, score) in enumerate(results)
        if text
    ]
    ordered = sorted(every, key=lambda result: (-(result.score or 0.0), result.text))
    return list({result.text: result for result in reversed(ordered)}.values())[::-1]


class _Direction:
    """One way: a model with its two vocabularies of word pieces."""

    def __init__(self, folder: Path, k: int, threads: int, *, tried: bool = True) -> None:
        """`tried`: only after another process has used the model."""
        require_generation("--marian")
        import ctranslate2
        import sentencepiece

        missing = [name for name in NEEDED if not (folder / name).is_file()]
        if missing:
            raise InputError(
                f"--marian {folder}",
                expected=EXPECTED,
                found=f"no {missing[0]}" if folder.is_dir() else "no folder",
                remedy=CONVERT,
            )
        self._k, self._where = k, f"--marian {folder}"
        with opening(self._where, EXPECTED, CONVERT):
            if tried:
                check_files(folder)
                try_first(use, folder, expected=EXPECTED, remedy=CONVERT)
            self._source, self._target = (
                sentencepiece.SentencePieceProcessor(model_file=str(folder / name)) for name in NEEDED[1:]
            )
            self._model: Any = ctranslate2.Translator(str(folder), inter_threads=1, intra_threads=threads)

    def translate(self, texts: Sequence[str], **options: int) -> list[list[tuple[str, float]]]:
        """The k best translations of each text with the natural logarithm of their probability per word piece.

        `options` go to CTranslate2. Raises InputError where the model cannot translate a text.
        """
        with opening(self._where, "a model that can translate the texts", "give another, or leave out long texts"):
            results = self._translate(texts, **options)
            if not all(math.isfinite(score) for some in results for _, score in some):
                raise ValueError("scores that are no numbers")
        return results

    def _translate(self, texts: Sequence[str], **options: int) -> list[list[tuple[str, float]]]:
        pieces = [[*self._source.encode(text, out_type=str), END] for text in texts]
        results = self._model.translate_batch(
            pieces, beam_size=self._k, num_hypotheses=self._k, return_scores=True, max_batch_size=BATCH_TEXTS, **options
        )
        return [
            [
                (" ".join(self._target.decode(hypothesis).split()), float(score))
                for hypothesis, score in zip(result.hypotheses, result.scores, strict=True)
            ]
            for result in results
        ]


def use(place: str) -> None:
    """Translate texts with the model in a folder. Raises InputError where it cannot."""
    _Direction(Path(place), k=2, threads=1, tried=False).translate(TEXTS, max_decoding_length=TRIAL_PIECES)
