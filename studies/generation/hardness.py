"""How hard silver pairs are, and what they teach:
`python -m studies.generation.hardness STORE --lm FILE --ordinary FILE ...`.

Writes, below --out, a folder to train on for each of four sets: the ordinary pairs alone (such as MRPC's), and with
silver pairs of the store, matched as `recombine` matches, as many unmatched, and all unmatched; and `asked.csv`, the
pairs to score: pairs of another corpus (such as PAWS-Wiki's test), and held-out silver pairs. A tenth of the groups is
held out, a twenty-fifth tunes.

Prints AUCs, and by how much each set leads the ordinary pairs, with intervals over groups: of eight features of overlap
and length, learned from the ordinary or the silver pairs alone, and of two signals that were not learned; and of
models, once `identification train` and `predict` have written `asked-SET.csv` beside `asked.csv`.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from analysis.evaluation.comparing import Samples, lead, summarise
from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import figure, quantity, say, say_next
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.grouping.groups import group
from data.labelled import corpora, features
from data.measures.rules import ScoringRule
from data.storage.store import Store
from data.texts.identity import digest
from data.texts.languages.en import ENGLISH
from generation.back_translation.measures import inversion_rate
from generation.balancing.label_sets import TEXTS, measure
from generation.balancing.matching import describe_signals, draw_lots, match
from generation.engines.ngrams import NGrams

ORDINARY = "ordinary"
TUNING, ASKED = 200, 600
"""Silver pairs of each label that tune, and that are asked of either kind, at most."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write sets to train on and pairs to ask; print what models say of these."""

    store: Positional[Path]
    """A store with silver labels (`generation silver`)."""
    lm: Path
    """The n-gram model whose scores are among what is matched."""
    ordinary: Path
    """Labelled pairs of another kind."""
    foreign: Path
    """Labelled pairs to ask, of which nothing is learned."""
    out: Path = Path("hardness")


def read_silver(store: Store, lm: Path) -> pd.DataFrame:
    """The silver pairs with their label, `group`, `part` (train, validation, test), and whether it is `matched`."""
    labels = store.read(Labels, ["pair_id", "binary"], campaign="silver", method="silver")
    pairs = store.read(Pairs, [*TEXTS, "parents"]).drop_duplicates("pair_id")
    silver = labels.merge(pairs, on="pair_id").reset_index(drop=True)
    silver["group"] = group(silver)
    lots = silver["group"].map(lambda name: draw_lot(1, name))
    silver["part"] = np.select([lots < 0.1, lots < 0.14], ["test", "validation"], "train")
    model = NGrams(lm, "en")
    margin = model.score(silver["second"].tolist()) - model.score(silver["first"].tolist())
    measures = measure(silver, ENGLISH).assign(lm_margin=margin)
    matched = []
    for _, rows in silver.groupby("part"):
        signals = describe_signals(rows.reset_index(drop=True), measures.iloc[rows.index], ENGLISH)
        stays = match(rows["binary"].reset_index(drop=True), signals, draw_lots(rows["pair_id"], 1))
        matched.append(pd.Series(stays.to_numpy(), index=rows.index))
    return silver.assign(matched=pd.concat(matched))


def draw_lot(seed: int, name: str) -> float:
    """A number from 0 to 1 that depends on both alone."""
    return int(digest(seed, name)[:8], 16) / 16**8


def draw(pairs: pd.DataFrame, n: int) -> pd.DataFrame:
    """This many of each label, or fewer where there are no more."""
    order = pairs["pair_id"].map(lambda pair: digest(7, pair)).sort_values().index
    return pairs.loc[order].groupby("binary", sort=True).head(n)


def write_sets(silver: pd.DataFrame, arguments: Arguments) -> dict[str, pd.DataFrame]:
    """Write the folders to train on; return the ordinary pairs among them, and the silver ones of each other set."""
    ordinary = corpora.read([arguments.ordinary])
    tunes = ordinary["pair_id"].map(lambda pair: draw_lot(1, pair)) < 0.1
    train, validation = (silver[silver["part"] == part] for part in ("train", "validation"))
    matched = train[train["matched"]]
    sets = {
        ORDINARY: (train[:0], validation[:0]),
        "matched": (matched, draw(validation[validation["matched"]], TUNING)),
        "unmatched": (draw(train, len(matched) // 2), draw(validation, TUNING)),
        "all": (draw(train, int(train["binary"].sum())), draw(validation, TUNING)),
    }
    for name, (learned, tuning) in sets.items():
        write_pairs(pd.concat([ordinary[~tunes], learned]), arguments.out / name / "train.tsv")
        write_pairs(pd.concat([ordinary[tunes], tuning]), arguments.out / name / "validation.tsv")
        say(f"{name}: {quantity(int((~tunes).sum()), 'ordinary pair')} and {len(learned):,} silver ones to train on")
    return {name: learned if len(learned) else ordinary[~tunes] for name, (learned, _) in sets.items()}


def write_pairs(pairs: pd.DataFrame, path: Path) -> None:
    """Write first, second and binary with tabs between them, without quotes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pairs[["first", "second", "binary"]].to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_NONE)


def gather_asked(silver: pd.DataFrame, foreign: Path) -> pd.DataFrame:
    """The pairs to ask with their `set` and `group`; a pair may be in more than one."""
    test = silver[silver["part"] == "test"]
    others = corpora.read([foreign])
    parts = {
        "foreign": others.assign(group=group(others)),
        "silver, matched": draw(test[test["matched"]], ASKED),
        "silver": draw(test, ASKED),
    }
    return pd.concat([pairs.assign(set=name) for name, pairs in parts.items()], ignore_index=True)


def ask_features(asked: pd.DataFrame, sets: dict[str, pd.DataFrame]) -> dict[str, "pd.Series[float]"]:
    """What eight features say of each pair, learned from each set; and the edit similarity and inversions alone."""
    columns = _describe(asked)
    scores = {
        name: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        .fit(_describe(pairs), pairs["binary"].astype("int64"))
        .decision_function(columns)
        for name, pairs in sets.items()
    }
    inverted = inversion_rate(asked["first"].tolist(), asked["second"].tolist()).astype("Float64").fillna(0.0)
    alone = {"edit": columns["edit"].to_numpy(), "inversions": -inverted.to_numpy("float64")}
    return {name: pd.Series(values, index=asked["pair_id"]) for name, values in (scores | alone).items()}


def _describe(pairs: pd.DataFrame) -> pd.DataFrame:
    return features.describe(pairs["first"].tolist(), pairs["second"].tolist(), ENGLISH)


def judge(asked: pd.DataFrame, scores: dict[str, "pd.Series[float]"]) -> None:
    """Print the AUC of each model on each set, on the pairs that all have scored."""
    columns = {name: asked["pair_id"].map(values) for name, values in scores.items()}
    known = asked[pd.DataFrame(columns).notna().all(axis=1)]
    for part, rows in known.groupby("set"):
        samples = Samples(rows["group"], ScoringRule())
        label = rows["binary"].to_numpy("int64") == 1
        aucs = {name: samples.auc(label, values[rows.index].to_numpy(np.float64)) for name, values in columns.items()}
        say(f"{part}: {len(rows):,} pairs in {samples.n_groups:,} groups")
        for name, drawn in aucs.items():
            beside = lead(drawn - aucs[ORDINARY], samples.effective)
            more = "" if name == ORDINARY else f"; lead {_show(beside)}"
            say(f"  {name:10} {_show(summarise('auc', drawn, samples.effective))}{more}")


def _show(measured: dict[str, float | None]) -> str:
    value, low, high = (measured[name] for name in ("value", "low", "high"))
    return f"{figure(value, 3)} [{figure(low, 3)}, {figure(high, 3)}]"


def main(arguments: Arguments) -> None:
    """Write the sets and the pairs to score; judge the features, and the models that have scored them."""
    silver = read_silver(Store(arguments.store), arguments.lm)
    sets = write_sets(silver, arguments)
    asked = gather_asked(silver, arguments.foreign)
    once = asked.drop_duplicates("pair_id")
    once[["pair_id", "first", "second"]].to_csv(arguments.out / "asked.csv", index=False)
    say("eight features, and two signals alone")
    judge(asked, ask_features(once, sets))
    paths = {name: arguments.out / f"asked-{name}.csv" for name in sets}
    scores = {name: pd.read_csv(path).set_index("pair_id")["score"] for name, path in paths.items() if path.is_file()}
    if ORDINARY in scores:
        say("models")
        judge(asked, scores)
    for name in sets.keys() - scores.keys():
        folder, model = arguments.out / name, arguments.out / f"model-{name}"
        say_next("python -m identification train cross-encoder:minilm --dataset", folder, "--out", model)
        say_next(f"python -m identification predict {model} --file", arguments.out / "asked.csv", "--out", paths[name])


if __name__ == "__main__":
    run(main, prog="python -m studies.generation.hardness")
