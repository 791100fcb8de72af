"""Unlabelled pairs with the models' scores of them, from the tables."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.console.errors import InputError, TableError
from data.contract.tables.campaign import Assignments
from data.contract.tables.labels import Labels
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.models.runs import find_latest, learnt_from, name_runs
from data.recorded.plans import read_plans
from data.storage.store import Store

PREDICT = "python -m identification predict"


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """What a model may choose from."""

    pairs: pd.DataFrame
    """One row of the table `pairs` per pair without a label, by pair_id."""
    settled: list[str]
    """The pairs that are left out: they have labels, or annotators are asked for them."""
    runs: pd.DataFrame
    """The latest run of each model and seed that scored a candidate: rows of `runs`, each with its name."""
    scores: NDArray[np.float64]
    """One row per pair, one column per run; NaN where it has no score."""

    @property
    def names(self) -> list[str]:
        """What each run is called."""
        return [str(name) for name in self.runs["name"]]

    @property
    def thresholds(self) -> NDArray[np.float64]:
        """The threshold of each run; 0.5 where it has none."""
        return np.asarray(self.runs["threshold"].astype("Float64").fillna(0.5), dtype=np.float64)


def read(
    store: Store, campaigns: tuple[str, ...], among: tuple[str, ...], models: tuple[str, ...], writes: str
) -> Candidates:
    """The candidates among the pairs of these generators (none named: of all but `writes`), with the models' scores.

    A pair is settled if a campaign, or another one that asks the same question, has labelled or assigned it. Only
    models that learned from the campaigns' labels are asked; none named: all. Raises InputError or TableError where
    there are no pairs, no run, or no run that scored a candidate.
    """
    pairs = _read_pairs(store, among, writes)
    settled = _settled(store, campaigns)
    open_ = pairs[~pairs["pair_id"].isin(settled)].reset_index(drop=True)
    if open_.empty:
        raise TableError(
            f"{store.address}, table pairs",
            expected="unlabelled pairs",
            found=f"{len(pairs)} that are labelled or assigned already",
            remedy="propose more: python -m clustering propose --generator more",
        )
    runs = _read_runs(store, campaigns, models)
    rows = store.read(Predictions)
    rows = rows[rows["run_id"].isin(runs["run_id"]) & rows["pair_id"].isin(open_["pair_id"])]
    scored = runs[runs["run_id"].isin(rows["run_id"])].reset_index(drop=True)
    if scored.empty:
        raise _no_prediction(store, runs)
    table = rows.pivot(index="pair_id", columns="run_id", values="score")
    scores = table.reindex(index=open_["pair_id"], columns=scored["run_id"]).to_numpy("float64", na_value=np.nan)
    _require_probabilities(scored, scores)
    return Candidates(pairs=open_, settled=sorted(set(pairs["pair_id"]) & settled), runs=scored, scores=scores)


def require_unplanned(store: Store, generator: str) -> None:
    """Raise InputError where a campaign labels the generator's pairs: why they were chosen must stay known."""
    plans = store.read(Campaigns, ["campaign", "generator"])
    names = sorted(plans.loc[plans["generator"] == generator, "campaign"].unique())
    if names:
        raise InputError(
            "--generator",
            expected="a name whose pairs no campaign labels",
            found=f"{generator}, labelled by {', '.join(names)}",
            remedy=f"give another: --generator {generator}-2",
        )


def _read_pairs(store: Store, among: tuple[str, ...], writes: str) -> pd.DataFrame:
    pairs = store.read(Pairs)
    known = sorted(set(pairs["generator"]) - {writes})
    missing = [name for name in among if name not in known]
    if missing or not known:
        raise InputError(
            "--among" if missing else f"{store.address}, table pairs",
            expected=f"generators of the table pairs: {', '.join(known)}" if missing else "pairs to choose from",
            found=", ".join(missing) or "none",
            remedy="give one of those" if known else "run `python -m clustering propose` first",
        )
    return pairs[pairs["generator"].isin(among or known)].drop_duplicates("pair_id").sort_values("pair_id")


def _settled(store: Store, campaigns: tuple[str, ...]) -> set[str]:
    """The pairs that are labelled or assigned in any campaign, pilot or control arm that asks the same question."""
    rows = pd.concat([store.read(table, ["campaign", "pair_id"]) for table in (Assignments, Labels)])
    plans = read_plans(store)
    asked = {name: plans.question(plans.study(name)).name for name in {*rows["campaign"], *campaigns}}
    own = {asked[name] for name in campaigns}
    same = [name for name, question in asked.items() if question in own]
    return set(rows.loc[rows["campaign"].isin(same), "pair_id"])


def _read_runs(store: Store, campaigns: tuple[str, ...], models: tuple[str, ...]) -> pd.DataFrame:
    """The latest run of each model and seed, or of those that are named; with its name (see `data.models.runs`)."""
    runs = find_latest(learnt_from(store.read(Runs), campaigns), by_seed=True)
    runs = runs.assign(name=name_runs(runs))
    known = sorted({*runs["model"], *runs["name"]})
    missing = [name for name in models if name not in known]
    if runs.empty or missing:
        learnt = f"models trained on the campaign {' and '.join(map(repr, campaigns))}"
        raise InputError(
            "--scored-by" if missing else f"{store.address}, table runs",
            expected=learnt + (f": {'; '.join(known)}" if known else ""),
            found="; ".join(missing) or "none",
            remedy=f"train one: python -m identification train frozen:minilm --store {store.address}",
        )
    return runs[runs["model"].isin(models or known) | runs["name"].isin(models)]


def _no_prediction(store: Store, runs: pd.DataFrame) -> InputError:
    trained = runs[runs["artefact"].notna()]
    remedy = (
        f"{PREDICT} {trained['artefact'].iloc[-1]} --store {store.address} --unlabelled"
        if len(trained)
        else (f"python -m identification train frozen:minilm --store {store.address}, and then predict --unlabelled")
    )
    return InputError(
        f"{store.address}, table predictions",
        expected="scores of unlabelled pairs",
        found=f"none by {', '.join(sorted(runs['model'].unique()))}",
        remedy=f"run {remedy}",
    )


def _require_probabilities(runs: pd.DataFrame, scores: NDArray[np.float64]) -> None:
    outside = (np.nan_to_num(scores, nan=0.5) < 0) | (np.nan_to_num(scores, nan=0.5) > 1)
    if outside.any():
        column = int(np.flatnonzero(outside.any(axis=0))[0])
        raise InputError(
            f"run of {runs['model'].iloc[column]}",
            expected="scores from 0 to 1",
            found=f"{scores[outside[:, column], column][0]:g}",
            remedy="name other models: --scored-by",
        )
