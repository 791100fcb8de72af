"""What is left of a training: a folder with the weights as safetensors, run.json and a model card."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from data.console.errors import InputError
from data.console.messages import progress
from data.files.whole import write_whole
from data.measures.agreement import Reals
from data.models.model_folders import check_files, opening, read_shapes, saving
from data.models.pretrained import require_numbers
from data.models.runs import ENSEMBLE, FROZEN, ModelName
from data.models.scorers import RUN, TRAINED, Scorer, read_run
from data.models.sizes import check_numbers, count_numbers, require_room
from data.texts.identity import file_digest
from identification.architectures import transformers
from identification.architectures.model import PairModel
from identification.architectures.words import WordModel, read_words
from identification.config import Machine
from identification.training import ensemble
from identification.training.ensemble import Ensemble, Member
from identification.training.epochs.calibration import scores_of
from identification.training.epochs.checkpoints import load_weights, save_weights
from identification.training.epochs.examples import index
from identification.training.epochs.inference import score
from identification.training.epochs.machine import place_model
from identification.training.frozen import NAMES, Frozen

WEIGHTS = "model.safetensors"
BESIDE = ("README.md", RUN)
"""Files that are not part of the model's digest, as no table of scores is."""
NOT_THE_MODEL = ("checkpoint/", ".", "alignments-")
"""What the names of other such files begin with: of an unfinished training or prediction, of pictures."""

EXPECTED = "a trained model as `identification train` wrote it"
REMEDY = "train it again, or copy the folder again"

Model = PairModel | Frozen | Ensemble
Watch = Callable[..., Iterator[Any]]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training that has ended, as `run.json` holds it."""

    model: str
    """The name that was trained: `esim`, `cross-encoder:minilm` …"""
    outcome: str
    """`trained`, or what went wrong: `constant_prediction`, `loss_did_not_fall`."""
    threshold: float
    """The score from which a pair counts as a paraphrase: the best F1 on validation, or most modified pairs
    right (`identification.robustness.hardening`)."""
    temperature: float
    asymmetry: float
    """The mean absolute difference of the scores of both orders, on validation."""
    validation: dict[str, dict[str, float]]
    """NLL, F1, accuracy and AUC on validation, at 0.5 and at the threshold."""
    history: list[dict[str, float]]
    best_epoch: int
    config: dict[str, Any]
    settings: dict[str, Any]
    form: dict[str, Any]
    """What the model is built from again."""
    data: dict[str, Any]
    """digest, n_train, n_validation, and where the pairs come from."""
    vectors: dict[str, Any] = field(default_factory=dict)
    """Where the word vectors come from."""
    n_parameters: int = 0
    seconds: float = 0.0
    """Of the processor, all threads together, resumed parts included."""
    memory: float = 0.0
    """The process's peak, MiB."""
    machine: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    """SHA-256 of the files that make the model."""
    format: str = TRAINED

    @property
    def name(self) -> str:
        """The model's name in tables; one that was hardened, or saw a part of the training pairs, is another model."""
        share = self.config.get("share", 1.0)
        marks = ["hardened"] * ("hardened" in self.data) + [f"{share:g} of the training pairs"] * (share < 1)
        return f"{self.model} ({', '.join(marks)})" if marks else self.model


NUMBER = int | float
KINDS_OF_FIELDS = {
    name: NUMBER if kind is float else get_origin(kind) or kind for name, kind in get_type_hints(Run).items()
}


def save_model_files(model: Model, folder: Path) -> dict[str, Any]:
    """Write the weights and what else the model needs; return its form."""
    folder.mkdir(parents=True, exist_ok=True)
    with saving(folder):
        form = model.save_form(folder)
        if isinstance(model, PairModel):
            save_weights(model, folder / WEIGHTS)
    return form


def write(run: Run, folder: Path) -> None:
    """Write `run.json`, which completes the artefact."""
    write_whole(folder / RUN, json.dumps(asdict(run), indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_predictions(pair_ids: list[str], scores: Reals, path: Path) -> None:
    """Write the scores as `python -m analysis.baselines --predictions` reads them.

    A pair that has two rows in the data set, as some of PAWS' have with either label, gets one line.
    """
    by_pair = dict(zip(pair_ids, scores.tolist(), strict=True))
    rows = pd.DataFrame({"pair_id": by_pair.keys(), "score": [f"{value:.8g}" for value in by_pair.values()]})
    write_whole(path, rows.to_csv(index=False, lineterminator="\n"))


def read(folder: Path) -> Run:
    """The run in the folder; raises InputError where there is none, or one of another format."""
    content = read_run(folder)
    try:
        run = Run(**content)
    except TypeError as fault:
        raise _spoiled(folder / RUN, str(fault)) from fault
    if run.format != TRAINED:
        raise _spoiled(folder / RUN, f"the format {run.format!r}")
    for name, kind in KINDS_OF_FIELDS.items():
        if not isinstance(value := getattr(run, name), kind) or (kind is NUMBER and not math.isfinite(value)):
            raise _spoiled(folder / RUN, f"{name} {str(value)[:60]!r}")
    if not isinstance(run.config.get("seed"), int):
        raise _spoiled(folder / RUN, "a config without a seed")
    return run


def model_digest(folder: Path) -> str:
    """The SHA-256 digest of the files that make the model, with their names."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in BESIDE and path.suffix != ".csv" and not name.startswith(NOT_THE_MODEL):
            state.update(f"{name}\0{file_digest(path)}\n".encode())
    return state.hexdigest()


def require_beside_the_model(path: Path) -> None:
    """Raise InputError where a file written there would count as one of a model's."""
    if (path.absolute().parent / RUN).is_file() and path.suffix != ".csv" and not path.name.startswith(NOT_THE_MODEL):
        raise InputError(f"--out {path}", expected="a place outside the model", found=path.name, remedy="name another")


def read_unchanged(folder: Path) -> Run:
    """The run in the folder; raises InputError where there is none, or files of its model were changed."""
    run = read(folder)
    if model_digest(folder) != run.digest:
        raise _spoiled(folder, "files that were changed since")
    return run


def open_model(folder: Path) -> tuple[Run, Model]:
    """The run and its model with the trained weights; raises InputError for a folder that is none, or was changed."""
    with opening(folder, EXPECTED, REMEDY):
        run = read_unchanged(folder)
        check_files(folder)
        model = _build(run, folder)
        _try(model)
        if model_digest(folder) != run.digest:
            raise _spoiled(folder, "files that were changed while they were read")
    return run, model


def _try(model: Model) -> None:
    """Let the model score a pair, which raises where its files do not fit together; its members have done so."""
    if isinstance(model, PairModel):
        require_numbers(model, "weights")
        model.prepare(training=False)
        with torch.inference_mode():
            model(model.read(["a", "b"]), np.array([0]), np.array([1]))
        return
    n = len(model.members) if isinstance(model, Ensemble) else len(NAMES)
    shift = model.shift if isinstance(model, Frozen) else 0.0
    if model.weights.shape != (n,) or not np.isfinite([*model.weights, shift]).all():
        raise _spoiled(Path(WEIGHTS), f"other weights than {n} numbers")


def _build(run: Run, folder: Path) -> Model:
    kind = ModelName.parse(run.model).kind
    if kind == FROZEN:
        return Frozen.from_form(run.form, folder)
    if kind == ENSEMBLE:
        members, weights = ensemble.read_weights(run.form, folder)
        return Ensemble(members, weights, [_open_member(member, folder) for member in members])
    return _build_network(kind, run.form, folder)


def _build_network(kind: str, form: dict[str, Any], folder: Path) -> PairModel:
    """The network with its weights, built only where it is as large as they are."""
    shapes = read_shapes([folder / WEIGHTS])
    check_numbers(folder / RUN, form, shapes)
    if kind in transformers.KINDS:
        build: Callable[..., PairModel] = partial(transformers.from_form, kind)
    else:
        build = WordModel.from_form
        if shapes.get("vectors.weight") != (len(read_words(folder)) + 1, form["width"]):
            raise _spoiled(folder / WEIGHTS, "vectors of other words")
    with torch.device("meta"):
        n = sum(part.numel() for part in build(form, folder).parameters())
    require_room(folder / RUN, n, count_numbers(shapes))
    model = build(form, folder)
    load_weights(model, folder / WEIGHTS)
    return model


def _open_member(member: Member, folder: Path) -> tuple[Run, Model]:
    """The run and model of a member; raises InputError where its folder holds another model, or an ensemble."""
    place = Path(member.folder)
    if ModelName.parse(read(place).model).kind == ENSEMBLE:
        raise _spoiled(folder, "an ensemble of ensembles")
    opened = open_model(place)
    if opened[0].digest != member.digest:
        raise InputError(
            folder,
            expected=f"the member {member.folder} as it was when the ensemble was made",
            found="another model",
            remedy="put it back, or train the ensemble again",
        )
    return opened


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Scores with what a reader should know about them."""

    scores: Reals
    asymmetry: float = 0.0
    """The mean absolute difference of the scores of both orders."""
    n_shortened: int = 0
    """Pairs that were not read whole."""
    n_words: int = 0
    """Words of the distinct texts."""
    n_unknown: int = 0
    """Those without a vector."""

    @property
    def unknown_share(self) -> float:
        """The share of words without a vector."""
        return self.n_unknown / max(1, self.n_words)


def join(parts: Sequence[Scored]) -> Scored:
    """The scores of several lots of pairs as one."""
    scores = np.concatenate([np.zeros(0), *(part.scores for part in parts)])
    sums = {name: sum(getattr(part, name) for part in parts) for name in ("n_shortened", "n_words", "n_unknown")}
    differences = sum(part.asymmetry * len(part.scores) for part in parts)
    return Scored(scores=scores, asymmetry=differences / max(1, len(scores)), **sums)


def score_pairs(
    opened: tuple[Run, Model], texts: tuple[list[str], list[str]], machine: Machine, watch: Watch = progress
) -> Scored:
    """The scores of pairs of texts, the mean of both orders; an ensemble's members score in turn."""
    run, model = opened
    if not texts[0]:
        return Scored(scores=np.zeros(0))
    if isinstance(model, Ensemble):
        return _join_members(run, model, [score_pairs(member, texts, machine, watch) for member in model.opened])
    if isinstance(model, Frozen):
        return Scored(scores=scores_of(model.logits(*texts, watch), run.temperature))
    place = place_model(machine, model)
    distinct, pairs = index(*texts)
    reading = model.read(distinct)
    there, back = score(model, reading, (pairs.first, pairs.second), place, watch)
    return Scored(
        scores=scores_of((there + back) / 2, run.temperature),
        asymmetry=float(np.abs(scores_of(there, run.temperature) - scores_of(back, run.temperature)).mean()),
        n_shortened=model.count_shortened(reading, pairs.first, pairs.second),
        n_words=reading.n_words,
        n_unknown=reading.n_unknown,
    )


def _join_members(run: Run, model: Ensemble, parts: Sequence[Scored]) -> Scored:
    """The ensemble's scores; what is lost is what the member that reads least loses."""
    logits = model.weigh([part.scores for part in parts])
    blind = max(parts, key=lambda part: part.unknown_share)
    return Scored(
        scores=scores_of(logits, run.temperature),
        asymmetry=float(np.average([part.asymmetry for part in parts], weights=model.weights)),
        n_shortened=max(part.n_shortened for part in parts),
        n_words=blind.n_words,
        n_unknown=blind.n_unknown,
    )


def load(folder: Path) -> Scorer:
    """The artefact as a function (see `data.models.scorers`)."""
    opened = open_model(folder)

    def scorer(first: Any, second: Any) -> NDArray[np.float64]:
        return score_pairs(opened, (list(first), list(second)), Machine()).scores

    return scorer


def _spoiled(where: Path, found: str) -> InputError:
    return InputError(where, expected=EXPECTED, found=found, remedy=REMEDY)
