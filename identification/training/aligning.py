"""How a model reads pairs: the attention of networks that align words, and what leaving out a word does to others."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from data.models.alignments import Alignment
from data.models.scorers import TRAINED, Scorer, open_scorer, read_format
from identification.architectures.words import WordModel
from identification.training import artefact

Watch = Callable[..., Iterator[Any]]
Pair = tuple[str, str, str]
"""pair_id, first, second."""


def align(spec: str, pairs: Sequence[Pair], watch: Watch) -> list[Alignment]:
    """The pairs as the model reads them that `spec` names (see `data.models.scorers`)."""
    scorer, network = open_scorer(spec), _open_network(Path(spec))
    scores = scorer([pair[1] for pair in pairs], [pair[2] for pair in pairs]).tolist()
    named = watch(list(zip(pairs, scores, strict=True)), label="pairs", unit="pairs", total=len(pairs))
    if network is not None:
        return [_attend(network, pair, score) for pair, score in named]
    return [_leave_out(scorer, pair, score) for pair, score in named]


def _open_network(folder: Path) -> WordModel | None:
    """The model in the folder if it is a network that aligns words."""
    if read_format(folder) != TRAINED:
        return None
    _, model = artefact.open_model(folder)
    return model if isinstance(model, WordModel) and model.aligns else None


def _attend(network: WordModel, pair: Pair, score: float) -> Alignment:
    first, second, cells = network.align(*pair[1:])
    return Alignment(pair_id=pair[0], score=score, first=first, second=second, cells=cells.round(4).tolist())


def _leave_out(scorer: Scorer, pair: Pair, score: float) -> Alignment:
    """The score less the score of the pair without the word, for each word between spaces."""
    first, second = (text.split() for text in pair[1:])
    shorter = [(" ".join(rest), pair[2]) for rest in _without_each(first)]
    shorter += [(pair[1], " ".join(rest)) for rest in _without_each(second)]
    scores = iter(scorer([one for one, _ in shorter], [other for _, other in shorter]) if shorter else ())
    effects = [
        [round(score - float(next(scores)), 4) if len(words) > 1 else None for _ in words] for words in (first, second)
    ]
    return Alignment(pair_id=pair[0], score=score, first=first, second=second, effects=effects)


def _without_each(words: list[str]) -> Iterator[list[str]]:
    """The words without the first, without the second and so on; nothing for a lone word, which leaves no text."""
    if len(words) > 1:
        for place in range(len(words)):
            yield words[:place] + words[place + 1 :]
