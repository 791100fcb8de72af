"""The models that are attacked: a trained model's folder, any function, or a language model behind an address."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.models.scorers import TRAINED, Scorer, identify, open_scorer, read_format
from identification.config import Machine
from identification.endpoints.asking import ANSWERS, THRESHOLD, Asking

if TYPE_CHECKING:
    from identification.training.artefact import Model, Run


@dataclass(frozen=True, kw_only=True)
class AttackedModel:
    """A model that says paraphrase from a threshold on."""

    name: str
    score: Scorer
    """First texts, second texts -> P(paraphrase) of each; NaN where there is no answer."""
    threshold: float
    blank: str
    """The text of a blank in its texts: its tokenizer's padding token, or nothing."""
    rough: Scorer | None = None
    """The same in faster arithmetic, where the model has one; the search looks at all pairs with it first."""
    digest: str
    """Of the model's files; of a function, its name and file; of a language model, its address, name and question."""
    seed: int = 0
    """What it was trained with."""


@contextmanager
def open_target(spec: str, machine: Machine, asking: Asking | None, folder: Path) -> Iterator[AttackedModel]:
    """The model that `spec` names, a folder or `module:function`; or the one that is asked: `folder` keeps its answers.

    Every model's score is the mean of both orders of the texts. All that open a language model since `begin` share its
    budget. Raises InputError where there is no such model.
    """
    if asking is not None:
        with _asked(asking, folder) as target:
            yield target
    elif read_format(Path(spec)) == TRAINED:
        yield _trained(Path(spec), machine)
    else:
        score = _in_both_orders(open_scorer(spec))
        yield AttackedModel(name=spec, score=score, threshold=THRESHOLD, blank="", digest=identify(spec))


def begin(asking: Asking, folder: Path) -> None:
    """Count the requests to a language model from 0."""
    from identification.endpoints.answers import ReplyCache

    with ReplyCache(folder / ANSWERS, *asking.read()) as answers:
        answers.begin()


def _in_both_orders(score: Scorer) -> Scorer:
    """The mean over both orders of the texts: pairs are stored in the order of their ids, not as they were modified."""

    def mean(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        scores = np.asarray(score([*first, *second], [*second, *first]), dtype=np.float64)
        both: NDArray[np.float64] = scores.reshape(2, -1).mean(axis=0)
        return both

    return mean


def _trained(folder: Path, machine: Machine) -> AttackedModel:
    from identification.architectures.model import PairModel
    from identification.training import artefact
    from identification.training.epochs.machine import place_model

    run, model = artefact.open_model(folder)
    rough = replace(machine, precision="auto")
    is_faster = (
        isinstance(model, PairModel) and place_model(rough, model).bfloat16 and not place_model(machine, model).bfloat16
    )
    return AttackedModel(
        name=run.name,
        seed=run.config["seed"],
        score=_scorer(run, model, machine),
        threshold=run.threshold,
        blank=getattr(getattr(model, "tokenizer", None), "pad_token", None) or "",
        rough=_scorer(run, model, rough) if is_faster else None,
        digest=run.digest,
    )


def _scorer(run: "Run", model: "Model", machine: Machine) -> Scorer:
    """The model as a function; a transformer with its weights laid out for scoring."""
    import torch

    from identification.architectures.packing import pack
    from identification.architectures.transformers import Transformer
    from identification.training import artefact
    from identification.training.epochs.machine import place_model

    if isinstance(model, Transformer):
        model = pack(model, torch.bfloat16 if place_model(machine, model).bfloat16 else torch.float32)

    def score(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        return artefact.score_pairs((run, model), (list(first), list(second)), machine, silent).scores

    return score


def silent(items: Iterable[Any], **_: Any) -> Iterator[Any]:
    """The items: an attack shows its own progress."""
    yield from items


@contextmanager
def _asked(asking: Asking, folder: Path) -> Iterator[AttackedModel]:
    from identification.endpoints.answers import ReplyCache, identify
    from identification.endpoints.client import Connection
    from identification.endpoints.scoring import score_pairs

    endpoint, prompt = asking.read()
    with (
        ReplyCache(folder / ANSWERS, endpoint, prompt) as answers,
        Connection(endpoint, asking.budget, answers.count_request) as connection,
    ):

        def score(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
            frame = pd.DataFrame({"first": list(first), "second": list(second)})
            return score_pairs(frame, prompt, connection, answers)["score"].to_numpy(dtype=np.float64)

        yield AttackedModel(
            name=asking.name, score=score, threshold=THRESHOLD, blank="", digest=identify(endpoint, prompt)
        )
