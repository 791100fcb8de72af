"""What a store has beside its campaigns, as plain values that pages show: games, models, attacks, generated texts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from data.contract.base import Table
from data.contract.stages import GENERATION
from data.contract.tables.attacks import Attacks
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.labelled.label_set import LabelSet
from data.measures.rules import ScoringRule
from data.models.runs import BASELINE, ModelName
from data.recorded import played
from data.storage.store import Store

Values = dict[str, Any]


def describe_games(store: Store) -> list[Values]:
    """Each game, the one played last first: what `played.count` says in all, by round, player and sentence."""
    attempts = played.latest_attempts(store.read(Attempts))
    sentences = store.read(Prompts, ["prompt_id", "text"]).drop_duplicates("prompt_id")
    texts = dict(zip(sentences["prompt_id"], sentences["text"], strict=True))
    games = [
        {
            "name": name,
            "last": rows["asked_at"].max().isoformat(),
            **played.count(rows),
            "rounds": _count_by(rows, "round"),
            "by_player": _count_by(rows, "player"),
            "by_sentence": [row | {"text": texts.get(row["prompt_id"])} for row in _count_by(rows, "prompt_id")],
            "refusals": {str(why): int(n) for why, n in rows["refused"].value_counts().items()},
        }
        for name, rows in attempts.groupby("campaign")
    ]
    return sorted(games, key=lambda game: str(game["last"]), reverse=True)


def _count_by(attempts: pd.DataFrame, column: str) -> list[Values]:
    """Each value of the column with its counts, its best reward in cents and how much of it was practice."""
    return [
        {column: value, **played.count(rows), "practice": int(rows["practice"].sum()), "best": _most(rows["reward"])}
        for value, rows in attempts.groupby(column)
    ]


def _most(values: "pd.Series[Any]") -> int | None:
    known = values.dropna()
    return int(known.max()) if len(known) else None


def describe_models(store: Store) -> Values:
    """The runs, each model on the test split, and on every set of pairs (see `data.guidance.scored`)."""
    from data.guidance.scored import judge_every_set, judge_models

    rule, runs = ScoringRule(), store.read(Runs).sort_values("at", ascending=False)
    n_scored = store.read(Predictions, ["run_id"])["run_id"].value_counts()
    sets: list[Values] = []
    for campaign, method in sorted({(one["campaigns"][-1], one["method"]) for one in runs.to_dict("records")}):
        rows = judge_every_set(store, LabelSet(campaigns=(campaign,), method=method), rule)
        sets += [row | {"campaign": campaign, "model": _show(row["model"]), "of": _bare(row["model"])} for row in rows]
    return {
        "runs": [
            {
                "run_id": row["run_id"],
                "model": _bare(row["model"]),
                "seed": int(row["seed"]),
                "campaigns": list(row["campaigns"]),
                "scheme": row["scheme"],
                "n_train": None if pd.isna(row["n_train"]) else int(row["n_train"]),
                "at": row["at"].isoformat(),
                "scored": int(n_scored.get(row["run_id"], 0)),
            }
            for row in runs.to_dict("records")
        ],
        "test": judge_models(store, rule),
        "sets": sets,
    }


def _show(name: str) -> str:
    """What a run is called in the report: a baseline without its kind."""
    parsed = ModelName.parse(name)
    return str(replace(parsed, kind="")) if parsed.kind == BASELINE else name


def _bare(name: str) -> str:
    """The same without the seed: its model."""
    return str(replace(ModelName.parse(_show(name)), seed=None))


def describe_attacks(store: Store) -> list[Values]:
    """Each attack as the page of robustness describes it, without examples."""
    from data.labelled import robustness

    return [robustness.describe(rows, 0, 0) for _, rows in store.read(Attacks).groupby("attack")]


def describe_generated(store: Store) -> list[Values]:
    """Each generator of texts: how many it made, by which methods, its pairs, their labels and its rejects."""
    texts = store.read(GeneratedTexts, ["generator", "text_id", "method"])
    pairs = store.read(Pairs, ["generator", "pair_id"])
    dropped = store.read(Rejects, ["stage", "part", "reason"])
    dropped = dropped[dropped["stage"].isin(GENERATION)]
    labels = store.read(Labels, ["pair_id", "binary", "further"])
    decided = labels[~labels["further"].astype("bool")].drop_duplicates("pair_id").set_index("pair_id")["binary"]
    return [
        {
            "generator": name,
            "texts": int((texts["generator"] == name).sum()),
            "methods": sorted(texts.loc[texts["generator"] == name, "method"].unique()),
            "pairs": int((pairs["generator"] == name).sum()),
            "labels": _count_labels(pairs.loc[pairs["generator"] == name, "pair_id"].map(decided)),
            "rejects": [
                {"stage": stage, "part": part, "reason": reason, "rows": int(n)}
                for (stage, part, reason), n in dropped[dropped["part"] == name].value_counts().items()
            ],
        }
        for name in sorted({*texts["generator"], *dropped["part"]})
    ]


def _count_labels(labels: "pd.Series[Any]") -> dict[str, int]:
    return {"yes": int((labels == 1).sum()), "no": int((labels == 0).sum())}


PARTS: Mapping[str, tuple[Callable[[Store], Any], tuple[type[Table], ...]]] = {
    "game": (describe_games, (Attempts, Prompts)),
    "models": (describe_models, (Runs, Predictions, Labels, Splits, Pairs)),
    "attacks": (describe_attacks, (Attacks,)),
    "generated": (describe_generated, (GeneratedTexts, Pairs, Labels, Rejects)),
}
"""Each page: what describes it, and the tables that it is made of; without a row of the first there is none."""
