"""Models and their runs: what they are called on command lines and in tables, and how a store records them.

Names are written and read here alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from data.console.errors import InputError, TableError
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.store import Store, next_instant
from data.texts.identity import digest

OTHERS = 4
"""Runs that a sentence names at most."""
OF_LABELS = ("campaigns", "method", "scheme")
"""The columns of `runs` that name the labels and the split."""
TRANSFORMERS = CROSS_ENCODER, BI_ENCODER = ("cross-encoder", "bi-encoder")
"""The kinds of models that bring their words."""
FROZEN, ENSEMBLE, ENDPOINT = "frozen", "ensemble", "endpoint"
BASELINE = "baseline"
"""The models of `analysis.baselines`."""
FUNCTION = "function"
PREFIXES = (*TRANSFORMERS, FROZEN, ENSEMBLE, ENDPOINT, BASELINE)
"""The kinds that a name begins with: `frozen:minilm`."""
JOIN = "+"
"""What joins the members of an ensemble."""
_FUNCTION = re.compile(r"[A-Za-z_][\w.]{0,200}:[A-Za-z_]\w{0,100}")
_SEED = re.compile(r"(.*), seed (0|[1-9][0-9]{0,18})", re.DOTALL)


@dataclass(frozen=True)
class ModelName:
    """The name of a model, or of its run with one of several seeds; `parse(str(name)) == name`."""

    parts: tuple[str, ...]
    """Of a function its module and name; of an ensemble its members; otherwise one: a network, a folder or a name."""
    kind: str = ""
    """One of PREFIXES, or FUNCTION; empty for a network's name or a folder."""
    seed: int | None = None
    """Of a run, where its model has several."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The name that the text is; any text is one, if only a folder's."""
        seeded = _SEED.fullmatch(text)
        bare, seed = (seeded[1], int(seeded[2])) if seeded else (text, None)
        kind, colon, rest = bare.partition(":")
        if colon and kind in PREFIXES:
            return cls(tuple(rest.split(JOIN)) if kind == ENSEMBLE else (rest,), kind, seed)
        if _FUNCTION.fullmatch(bare):
            return cls((kind, rest), FUNCTION, seed)
        return cls((bare,), "", seed)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        if self.kind == FUNCTION:
            return ":".join(self.parts) + seed
        return (f"{self.kind}:" if self.kind else "") + JOIN.join(self.parts) + seed

    @property
    def rest(self) -> str:
        """What comes after the kind: of `frozen:minilm` it is `minilm`."""
        return JOIN.join(self.parts)


def record(store: Store, run: Mapping[str, Any], scores: "pd.Series[float]", stage: str) -> str:
    """Add a run and its predictions to the store; return its `run_id`.

    Where the same run is the latest of its model and seed, only scores that it does not have yet are added to it; where
    it is the same artefact, its scores are read again and other pairs' scores stay. Raises TableError without splits.

    `run`: the columns of `runs` that the caller knows (model, seed, campaigns, method, scheme), and what else tells it
    from other runs; `scores`: by pair_id, null for none; `stage`: the command, for the manifest.
    """
    pairs = store.read(Pairs, ["generator", "pair_id"])
    run = {**run, "generators": sorted(pairs.loc[pairs["pair_id"].isin(scores.index), "generator"].unique())}
    inputs = store.inputs(Labels, Pairs, Splits)
    language = followed(store, Pairs).code
    manifest = Manifest(stage=stage, config=dict(run), language=language, seed=run["seed"], inputs=inputs)
    if inputs["splits"] is None:
        raise TableError(store.address, expected="splits", found="none", remedy="run `python -m analysis.splits` first")
    same = {name: run[name] for name in ("model", "seed", "method", "scheme")}
    latest = find_latest(learnt_from(store.read(Runs, **same), run["campaigns"]))
    previous = latest["run_id"].iloc[0] if len(latest) else ""
    is_current = bool(previous) and store.is_current(Predictions, manifest, run_id=previous)
    is_same = is_current or (bool(previous) and _is_made_of(latest.iloc[0], run, inputs["splits"]))
    run_id = str(previous) if is_same else digest("run", manifest.fingerprint(), previous)
    scores = scores.dropna()
    if is_same:
        if is_current:
            scores = scores.drop(store.read(Predictions, run_id=run_id)["pair_id"], errors="ignore")
        if len(scores):
            add_scores(store, run_id, scores, manifest)
        return run_id
    add_scores(store, run_id, scores, manifest)
    row = dict.fromkeys(Runs.columns()) | {name: run.get(name) for name in Runs.columns()}
    row |= {
        "run_id": run_id,
        "splits_version": inputs["splits"],
        "at": next_instant(store.read(Runs, columns=["at"])["at"]),
    }
    store.append(Runs, pd.DataFrame([row]), manifest)
    return run_id


def add_scores(store: Store, run_id: str, scores: "pd.Series[float]", manifest: Manifest) -> int:
    """Write the scores, by pair_id, of a run, whose other pairs keep theirs; return how many pairs have one now."""
    rows = scores.rename_axis("pair_id").rename("score").reset_index().assign(run_id=run_id)
    known = store.read(Predictions, run_id=run_id)
    rows = pd.concat([known[~known["pair_id"].isin(rows["pair_id"])], rows], ignore_index=True)
    store.replace(Predictions, rows, manifest, run_id=run_id)
    return len(rows)


def _is_made_of(row: "pd.Series[Any]", run: Mapping[str, Any], splits_version: int | str | None) -> bool:
    """Whether a row of `runs` is of the run's artefact on the splits as they are."""
    artefact = run.get("artefact_sha256")
    return artefact is not None and row["artefact_sha256"] == artefact and row["splits_version"] == splits_version


def learnt_from(runs: pd.DataFrame, campaigns: Sequence[str]) -> pd.DataFrame:
    """The runs that learnt from the labels of exactly these campaigns, in this order."""
    same = [list(some) == list(campaigns) for some in runs["campaigns"]]
    return runs[pd.Series(same, runs.index, dtype=bool)]


def find_latest(runs: pd.DataFrame, *, by_seed: bool = False) -> pd.DataFrame:
    """The latest run of each model; `by_seed`: the latest of each of its seeds."""
    one = ["model", "seed"] if by_seed else ["model"]
    return runs.sort_values(["at", "run_id"]).drop_duplicates(one, keep="last")


def name_run(model: str, seed: int, n_seeds: int) -> str:
    """What the latest run of a model and seed is called: as its model, with the seed where the model has several."""
    return str(replace(ModelName.parse(model), seed=seed)) if n_seeds > 1 else model


def name_runs(runs: pd.DataFrame) -> "pd.Series[str]":
    """What each run is called: the latest of its model and seed as `name_run` says, an earlier one by its `run_id`."""
    latest = find_latest(runs, by_seed=True)
    n_seeds = latest.groupby("model")["seed"].transform("size")
    columns = (latest["model"].tolist(), latest["seed"].tolist(), n_seeds.tolist())
    names = pd.Series([name_run(*row) for row in zip(*columns, strict=True)], latest.index, dtype="str")
    return names.reindex(runs.index).fillna(runs["run_id"])


def find_run(runs: pd.DataFrame, name: str | None, flag: str) -> "pd.Series[Any]":
    """The run that is called so, by `name_runs` or its `run_id`; a model's name means its latest run.

    Without a name, the latest run of the only model. The row has its `name` as well. Raises InputError, which names the
    flag, where no run is called so, or where there is no name and more than one model.
    """
    named = runs.assign(name=name_runs(runs))
    latest = find_latest(named)
    chosen = named[(named["name"] == name) | (named["run_id"] == name)] if name else latest
    chosen = latest[latest["model"] == name] if chosen.empty else chosen
    if len(chosen) != 1:
        known = sorted({*latest["model"], *find_latest(named, by_seed=True)["name"]})
        raise InputError(
            flag,
            expected=f"one of {'; '.join(known)}, or a run_id" if known else "a model with predictions in this store",
            found=repr(name) if name else "nothing",
            remedy="name one of them" if known else "train one, or run python -m analysis.baselines",
        )
    return chosen.iloc[0]


def name_others(runs: pd.DataFrame, run: "pd.Series[Any]", flag: str) -> str | None:
    """A sentence on which of several runs of a model was taken, and how the others are named; None: it has no other."""
    named = runs.assign(name=name_runs(runs))
    others = named.loc[(named["model"] == run["model"]) & (named["run_id"] != run["run_id"]), "name"]
    if others.empty:
        return None
    shown = "; ".join(repr(name) for name in others[::-1][:OTHERS]) + ("; …" if len(others) > OTHERS else "")
    taken = f"{run['name']}, of {run['at']:%Y-%m-%d %H:%M}"
    return f"{run['model']} has {len(others) + 1} runs; taken: {taken} ({flag} {shown})"
