"""What a way of proposing pairs would have found among the published, judged ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import roc_auc_score

from clustering.pairs import pair_within
from data import words
from data.identity import definition_id, pair_id
from data.labelled.parade import SPLITS

SIDES = ("first", "second")
BORDER = 0.2
FAR = 0.1, 0.3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Released:
    """The published definitions and verdicts.

    `definitions`: definition_id, entity, text, split, sorted by id. `judged`: pair_id, split, binary (1 paraphrase),
    overlap (see `measure`).
    """

    definitions: pd.DataFrame
    judged: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a set of proposed pairs holds of the judged ones; counts but for `auc` and `judged_share`."""

    proposed: int
    judged: int
    paraphrases: int
    low: int
    """Paraphrases that overlap less than 0.2."""
    high: int
    """Non-paraphrases that overlap 0.2 or more."""
    hard: int
    """Both."""
    far: int
    """Those of them that overlap less than 0.1, or 0.3 and more: how much of `hard` does not hang on the border."""
    auc: float | None
    """Area under the curve of overlap alone, on the judged ones; lower is harder. None where all are of one kind."""


def prepare(published: pd.DataFrame) -> Released:
    """From the rows of `data.labelled.parade.read`."""
    sides = [published[["entity", side, "split"]].set_axis(["entity", "text", "split"], axis=1) for side in SIDES]
    definitions = pd.concat(sides).drop_duplicates(["entity", "text"])
    definitions["definition_id"] = _ids(definitions["entity"], definitions["text"])
    ids = [_ids(published["entity"], published[side]) for side in SIDES]
    judged = published[["split", "binary"]].assign(
        pair_id=list(map(pair_id, *ids)), overlap=measure(published["first"].tolist(), published["second"].tolist())
    )
    return Released(
        definitions=definitions.sort_values("definition_id", ignore_index=True),
        judged=judged.drop_duplicates("pair_id", ignore_index=True),
    )


def measure(first: Sequence[str], second: Sequence[str]) -> list[float]:
    r"""The Jaccard index of the stems of `\w+` words without scikit-learn's stop words; 0 where neither text has one.

    Another overlap than the one that selections see (`data.similarity`), so that none is its own judge. Over all
    judged pairs its AUC is 0.763.
    """
    bags = {
        text: frozenset(words.stem(word) for word in _WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS)
        for text in {*first, *second}
    }
    couples = [(bags[one], bags[other]) for one, other in zip(first, second, strict=True)]
    return [len(a & b) / max(1, len(a | b)) for a, b in couples]


def score(proposed: Sequence[str] | pd.Series, released: Released, split: str | None = None) -> Found:
    """What the proposed pairs (ids) found among the judged ones of the split, or of all.

    `proposed` then counts all that were handed in: the caller takes those of the split's entities.
    """
    judged = released.judged if split is None else released.judged[released.judged["split"] == split]
    found = judged[judged["pair_id"].isin(proposed)]
    yes, overlap = found["binary"] == 1, found["overlap"]
    low, high = yes & (overlap < BORDER), ~yes & (overlap >= BORDER)
    far = (yes & (overlap < FAR[0])) | (~yes & (overlap >= FAR[1]))
    return Found(
        proposed=len(proposed),
        judged=len(found),
        paraphrases=int(yes.sum()),
        low=int(low.sum()),
        high=int(high.sum()),
        hard=int(low.sum() + high.sum()),
        far=int(far.sum()),
        auc=float(roc_auc_score(yes, overlap)) if yes.nunique() == 2 else None,
    )


def score_by_split(pairs: pd.DataFrame, released: Released) -> dict[str, Found]:
    """`score` of proposed pairs (columns pair_id, entity), for `all` and for the entities of each split."""
    split_of = dict(zip(released.definitions["entity"], released.definitions["split"], strict=True))
    split = pairs["entity"].map(split_of)
    apart = {name: score(pairs.loc[split == name, "pair_id"], released, name) for name in SPLITS}
    return {"all": score(pairs["pair_id"], released)} | apart


def mean(founds: Sequence[Found]) -> dict[str, float | None]:
    """The mean of each figure; None where one is not defined."""
    rows = pd.DataFrame([asdict(found) for found in founds])
    return {str(name): None if rows[name].isna().any() else float(rows[name].mean()) for name in rows}


def agreement(chosen: Sequence[Sequence[str]]) -> float | None:
    """The mean Jaccard index of every two of the sets of pairs; None for fewer than two sets."""
    sets = [frozenset(one) for one in chosen]
    shares = [len(one & other) / max(1, len(one | other)) for one, other in combinations(sets, 2)]
    return float(np.mean(shares)) if shares else None


def frontier(rows: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names whose pair of figures (more is better) no other name reaches or passes in both, by the first figure."""
    ordered = sorted(rows, key=lambda name: (-rows[name][0], -rows[name][1], name))
    best, kept = -np.inf, []
    for name in ordered:
        if rows[name][1] > best:
            best = rows[name][1]
            kept.append(name)
    return kept


def sample(definitions: pd.DataFrame, n_pairs: int, seed: int) -> pd.DataFrame:
    """So many of all pairs within an entity, at random: columns pair_id, entity."""
    codes = pd.factorize(definitions["entity"], sort=True)[0].astype(np.int64)
    first, second = pair_within(codes)
    some = np.random.default_rng(seed).permutation(len(first))[:n_pairs]
    ids = definitions["definition_id"].to_numpy(dtype=object)
    return pd.DataFrame(
        {
            "pair_id": list(map(pair_id, ids[first[some]], ids[second[some]])),
            "entity": definitions["entity"].to_numpy(dtype=object)[first[some]],
        }
    )


def _ids(entities: pd.Series, texts: pd.Series) -> list[str]:
    return list(map(definition_id, entities, texts))
