"""Train a model on a labelled data set, and write what came of it."""

import dataclasses
import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from data.console.errors import InputError
from data.console.messages import progress, say
from data.files.sheets import read_lines
from data.files.whole import scratch_beside
from data.labelled.dataset import data_digest
from data.labelled.metrics import best_threshold
from data.measures.agreement import Reals
from data.models.runs import ENSEMBLE, FROZEN, TRANSFORMERS, ModelName
from data.models.scorers import PREDICTIONS
from data.storage.manifest import kernel, plain
from data.texts.identity import digest, file_digest
from identification.architectures import transformers
from identification.architectures.model import PairModel
from identification.architectures.networks.registry import NETWORKS
from identification.architectures.words import WordModel
from identification.config import Machine, TrainingConfig
from identification.training import artefact, ensemble, frozen, members, vectors
from identification.training.artefact import Model, Run
from identification.training.card import write_card
from identification.training.epochs import calibration
from identification.training.epochs.checkpoints import Checkpoints, stamp_digest
from identification.training.epochs.examples import Examples, prepare
from identification.training.epochs.inference import score
from identification.training.epochs.loop import TrainingWork
from identification.training.epochs.machine import place_model
from identification.training.epochs.settings import MAX_WORDS, Settings, is_transformer, settle

ADVICE = {
    "constant_prediction": ("all pairs get the same score", "a lower --learning-rate or another --seed"),
    "loss_did_not_fall": (
        "on validation it is no better than one answer to all pairs",
        "a lower --learning-rate, more --epochs or other --vectors",
    ),
}
"""What an outcome means, and what may help a model that is trained in epochs."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A training: which model, how, and on what."""

    model: str
    config: TrainingConfig
    frame: pd.DataFrame
    """The data set, in the form of `data.labelled.dataset`."""
    machine: Machine = dataclasses.field(default_factory=Machine)
    origin: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Where the pairs come from, for `run.json`: path, kind, scheme, campaign, method."""
    language: str = "en"
    """The code of the texts' language."""
    texts: Sequence[str] = ()
    """Texts without labels whose words get vectors, too: a store's other definitions."""
    only_validation: bool = False
    """Score the validation pairs alone, which a network is calibrated on; the others are in no file of scores."""

    def stamp(self) -> dict[str, Any]:
        """What tells one training from another; where and with how many threads it runs does not."""
        files = [path for path in (self.config.vectors, *self.config.texts) if path is not None]
        return (
            {
                "model": self.model,
                "config": plain(self.config),
                "precision": self.machine.precision,
                "files": {str(path): file_digest(path) for path in files if path.is_file()},
                "data": data_digest(self.frame),
                "texts": digest(*self.texts),
            }
            | ({"start": artefact.read(self.config.start).digest} if self.config.start else {})
            | self._members()
        )

    def _members(self) -> dict[str, Any]:
        """The digests of an ensemble's members; nothing for other models."""
        if ModelName.parse(self.model).kind != ENSEMBLE:
            return {}
        return {"members": [artefact.read(folder).digest for folder in ensemble.split_name(self.model)]}


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A trained model with its logits of all pairs."""

    model: Model
    examples: Examples
    there: Reals
    """The logit of each row of the frame, its texts in order; NaN where it was not scored."""
    back: Reals
    """The same with the texts swapped."""
    n_parameters: int
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    history: Sequence[dict[str, float]] = ()
    best_epoch: int = 0
    vectors: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    earlier_seconds: float = 0.0
    """Of the epochs that an interrupted process had done, and of the trainings of an ensemble's members."""
    differing: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """What the run says otherwise than others: an ensemble's name, asymmetry and memory follow its members."""


def advise(run: Run) -> str | None:
    """What the outcome means and what to try; None where something was learned."""
    if run.outcome not in ADVICE:
        return None
    meaning, remedy = ADVICE[run.outcome]
    in_one_step = ModelName.parse(run.model).kind in (FROZEN, ENSEMBLE)
    return f"{meaning}; try {'more pairs or another model' if in_one_step else remedy}"


def require_name(model: str) -> None:
    """Raise InputError for a name that is no model's."""
    name = ModelName.parse(model)
    if model not in NETWORKS and not (name.rest and name.kind in (*TRANSFORMERS, FROZEN, ENSEMBLE)):
        kinds = [str(ModelName(("FOLDER",), kind)) for kind in (*TRANSFORMERS, FROZEN)]
        kinds.append(str(ModelName(("FOLDER", "FOLDER"), ENSEMBLE)))
        raise InputError(
            "model",
            expected=f"one of {', '.join([*NETWORKS, *kinds])}",
            found=repr(model),
            remedy="see `python -m identification models`",
        )


def train(request: Request, folder: Path, report: Callable[[str], None] = say) -> Run:
    """Train the model and write its artefact to the folder; an unfinished run of the same request there goes on.

    A finished one is returned as it is. Raises InputError where the folder holds anything else, and TableError where
    the data set cannot be trained on. What went wrong in training is the run's `outcome`.
    """
    require_name(request.model)
    stamp = request.stamp()
    with scratch_beside(folder):
        checkpoints = Checkpoints(folder)
        if checkpoints.claim(stamp):
            report(f"{folder} holds this run already")
            return artefact.read(folder)
        started = time.process_time()
        kind = ModelName.parse(request.model).kind
        if kind == FROZEN:
            fitted = _fit_frozen(request)
        elif kind == ENSEMBLE:
            fitted = _fit_ensemble(request)
        else:
            fitted = _fit_network(request, checkpoints, report)
        seconds = time.process_time() - started + fitted.earlier_seconds
        run = _finish(request, fitted, folder, seconds)
        checkpoints.remove()
    return run


def _fit_frozen(request: Request) -> Fitted:
    name = ModelName.parse(request.model).rest
    soft = (request.config.labels or ("soft" if request.config.recipe == "recommended" else "hard")) == "soft"
    examples = prepare(request.frame, request.config, soft=soft)
    form = frozen.form_of(name, request.language)
    columns = frozen.features(form, request.frame["first"].tolist(), request.frame["second"].tolist(), progress)
    rows = examples.in_train
    model = frozen.Frozen.fit(form, columns[rows], examples.train.target, request.config.seed)
    logits = model.weigh(columns)
    settings = {"soft": soft, "features": list(frozen.NAMES)}
    return Fitted(
        model=model, examples=examples, there=logits, back=logits, n_parameters=model.n_parameters, settings=settings
    )


def _fit_ensemble(request: Request) -> Fitted:
    """Weigh the members' scores of the same data set on its validation pairs."""
    folders = ensemble.split_name(request.model)
    runs = [members.require(folder, request.frame, request.config) for folder in folders]
    examples = prepare(request.frame, request.config, soft=False)
    scores = [members.read_scores(folder, request.frame) for folder in folders]
    rows = examples.in_validation
    weights = ensemble.fit_weights([some[rows] for some in scores], examples.validation.label)
    joined = [
        ensemble.Member(folder=str(folder), model=run.model, seed=run.config["seed"], digest=run.digest)
        for folder, run in zip(folders, runs, strict=True)
    ]
    model = ensemble.Ensemble(joined, weights)
    logits = model.weigh(scores)
    return Fitted(
        model=model,
        examples=examples,
        there=logits,
        back=logits,
        n_parameters=sum(run.n_parameters for run in runs) + len(weights),
        settings={
            "soft": False,
            "weights": weights.tolist(),
            "longest": min(run.settings.get("longest", MAX_WORDS) for run in runs),
        },
        earlier_seconds=sum(run.seconds for run in runs),
        differing={
            "model": ensemble.name_ensemble(joined),
            "asymmetry": float(np.average([run.asymmetry for run in runs], weights=weights)) if weights.any() else 0.0,
            "memory": max(run.memory for run in runs),
        },
    )


def _fit_network(request: Request, checkpoints: Checkpoints, report: Callable[[str], None]) -> Fitted:
    model, settings, origin = _build(request, checkpoints)
    examples = prepare(request.frame, request.config, soft=settings.soft)
    if is_transformer(request.model) and not settings.train_words:
        model.freeze_words()
    place = place_model(request.machine, model)
    reading = model.read(examples.texts)
    pairs = examples.all
    _say_losses(report, model.count_shortened(reading, pairs.first, pairs.second), settings.longest, len(pairs))
    if reading.n_unknown:
        report(f"{reading.n_unknown / reading.n_words:.1%} of the words have no vector")
    training = TrainingWork(
        model=model,
        reading=reading,
        examples=examples,
        settings=settings,
        place=place,
        seed=request.config.seed,
        watch=progress,
        report=report,
    )
    with torch.random.fork_rng(devices=[]):
        done, earlier = training.fit(checkpoints)
    scored = examples.in_validation if request.only_validation else np.full(len(pairs), fill_value=True)
    there, back = np.full((2, len(pairs)), np.nan)
    there[scored], back[scored] = score(model, reading, (pairs.first[scored], pairs.second[scored]), place, progress)
    return Fitted(
        model=model,
        examples=examples,
        there=there,
        back=back,
        n_parameters=sum(weight.numel() for weight in model.parameters() if weight.requires_grad),
        settings=dataclasses.asdict(settings) | {"bfloat16": place.bfloat16, "device": place.device.type},
        history=done.history,
        best_epoch=done.best,
        vectors=origin,
        earlier_seconds=earlier,
    )


def _build(request: Request, checkpoints: Checkpoints) -> tuple[Any, Settings, dict[str, Any]]:
    """The model with fresh weights, its settings, and where its word vectors come from."""
    config = request.config
    if config.start is not None:
        return _build_on(config.start, request)
    if is_transformer(request.model):
        model = transformers.load(request.model, config.longest or transformers.MAX_TOKENS, config.seed)
        width = int(model.encoder.config.hidden_size)
        settings = settle(config, request.model, transformers.PAPER, trains_words=True, width=width)
        return model, dataclasses.replace(settings, longest=model.longest), {}
    network = NETWORKS[request.model]
    settings = settle(config, request.model, network.recipe, trains_words=network.trains_vectors)
    own = [str(text) for side in ("first", "second") for text in request.frame[side].unique()]
    known = checkpoints.read_vectors() or _find_vectors(request, list(dict.fromkeys([*own, *request.texts])))
    checkpoints.save_vectors(known)
    characters = "".join(sorted({char for word in known.words for char in word})) if network.needs_characters else ""
    form = {"longest": settings.longest, "characters": characters}
    built = WordModel(
        request.model, known.words, known.matrix, train_words=settings.train_words, seed=config.seed, **form
    )
    return built, settings, known.origin


def _build_on(start: Path, request: Request) -> tuple[Any, Settings, dict[str, Any]]:
    """A trained model to be trained on, the settings, and where its word vectors come from."""
    run, model = artefact.open_model(start)
    if not isinstance(model, PairModel) or run.model != request.model:
        raise InputError(start, expected=f"a {request.model}", found=f"a {run.model}", remedy="name another model")
    width = int(model.encoder.config.hidden_size) if isinstance(model, transformers.Transformer) else 0
    trains_words = isinstance(model, transformers.Transformer) or NETWORKS[request.model].trains_vectors
    settings = settle(request.config, request.model, model.recipe, trains_words=trains_words, width=width)
    return model, dataclasses.replace(settings, longest=run.settings["longest"]), dict(run.vectors)


def _find_vectors(request: Request, texts: list[str]) -> vectors.TrainedVectors:
    """The vectors of the words of the texts, by the configuration."""
    config, wanted = request.config, vectors.distinct_words(texts)
    if config.vectors is not None:
        return vectors.read(config.vectors, wanted)
    more = chain.from_iterable(read_lines(path, "a file of texts") for path in config.texts)
    return vectors.learn([*texts, *more], wanted, config.vector_size, config.seed)


def _say_losses(report: Callable[[str], None], n_shortened: int, longest: int, n: int) -> None:
    if n_shortened:
        report(f"{n_shortened:,} of {n:,} pairs are longer than {longest} and are not read to their end (--longest)")


def _finish(request: Request, fitted: Fitted, folder: Path, seconds: float) -> Run:
    """Calibrate on validation and write the artefact."""
    logits = (fitted.there + fitted.back) / 2
    rows, labels = fitted.examples.in_validation, fitted.examples.validation.label
    temperature = calibration.fit_temperature(logits[rows], labels)
    scores = calibration.scores_of(logits, temperature)
    threshold = best_threshold(scores[rows], labels)
    form = artefact.save_model_files(fitted.model, folder)
    orders = [calibration.scores_of(one[rows], temperature) for one in (fitted.there, fitted.back)]
    run = Run(
        model=request.model,
        outcome=calibration.name_outcome(scores[rows], labels),
        threshold=threshold,
        temperature=temperature,
        asymmetry=float(np.abs(orders[0] - orders[1]).mean()),
        validation={
            "at_half": calibration.measure(scores[rows], labels),
            "at_threshold": calibration.measure(scores[rows], labels, threshold),
        },
        history=list(fitted.history),
        best_epoch=fitted.best_epoch,
        config=plain(request.config),
        settings=dict(fitted.settings),
        form=form,
        data=_describe_data(request, fitted.examples),
        vectors=dict(fitted.vectors),
        n_parameters=fitted.n_parameters,
        seconds=seconds,
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        machine={"threads": torch.get_num_threads(), "cores": os.cpu_count(), "kernel": kernel()},
        digest=artefact.model_digest(folder),
    )
    run = dataclasses.replace(run, **fitted.differing)
    known = ~np.isnan(scores)
    artefact.write_predictions(request.frame["pair_id"][known].tolist(), scores[known], folder / PREDICTIONS)
    write_card(run, folder / "README.md")
    artefact.write(run, folder)
    return run


def _describe_data(request: Request, examples: Examples) -> dict[str, Any]:
    stamp = request.stamp()
    return {
        **plain(dict(request.origin)),
        "digest": stamp["data"],
        "request": stamp_digest(stamp),
        "n_pairs": len(request.frame),
        "n_train": int(examples.in_train.sum()),
        "n_validation": int(examples.in_validation.sum()),
    }
