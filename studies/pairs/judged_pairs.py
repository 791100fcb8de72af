"""What a way of proposing pairs finds among the published, labelled pairs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import roc_auc_score

from clustering.candidates.pairs import pair_within
from data.contract.vocabulary import SPLITS
from data.texts.identity import definition_id, pair_id
from data.texts.languages.en import ENGLISH

SIDES = ("first", "second")
BORDER = 0.2
FAR = 0.1, 0.3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """The published definitions and labels.

    `definitions`: definition_id, entity, text, split, sorted by id. `judged`: pair_id, split, binary (1 paraphrase),
    overlap (see `measure`).
    """

    definitions: pd.DataFrame
    judged: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a set of proposed pairs contains of the judged ones: counts, except for `auc`."""

    proposed: int
    judged: int
    paraphrases: int
    low: int
    """Paraphrases that overlap less than 0.2."""
    high: int
    """Non-paraphrases that overlap 0.2 or more."""
    hard: int
    """`low` and `high` together."""
    far: int
    """The hard ones with an overlap below 0.1, or of at least 0.3: how much of `hard` does not depend on the border."""
    auc: float | None
    """Area under the ROC curve of overlap alone, on the judged pairs; lower is harder. None if they have one label."""


def prepare(published: pd.DataFrame) -> Labelled:
    """The definitions and labels of the rows of `data.labelled.parade.read`."""
    sides = [published[["entity", side, "split"]].set_axis(["entity", "text", "split"], axis=1) for side in SIDES]
    definitions = pd.concat(sides).drop_duplicates(["entity", "text"])
    definitions["definition_id"] = _ids(definitions["entity"], definitions["text"])
    ids = [_ids(published["entity"], published[side]) for side in SIDES]
    judged = published[["split", "binary"]].assign(
        pair_id=list(map(pair_id, *ids)), overlap=measure(published["first"].tolist(), published["second"].tolist())
    )
    return Labelled(
        definitions=definitions.sort_values("definition_id", ignore_index=True),
        judged=judged.drop_duplicates("pair_id", ignore_index=True),
    )


def measure(first: Sequence[str], second: Sequence[str]) -> list[float]:
    r"""The Jaccard index of the stems of `\w+` words without scikit-learn's stop words; 0 where neither text has one.

    Not the overlap that selections use (`data.texts.similarity`), so that none judges itself. Over all judged pairs its
    AUC is 0.763.
    """
    bags = {
        text: frozenset(ENGLISH.stem(word) for word in _WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS)
        for text in {*first, *second}
    }
    couples = [(bags[one], bags[other]) for one, other in zip(first, second, strict=True)]
    return [len(a & b) / max(1, len(a | b)) for a, b in couples]


def score(proposed: Sequence[str] | pd.Series, labelled: Labelled, split: str | None = None) -> Found:
    """What the proposed pairs (ids) contain of the judged ones of the split, or of all splits.

    The count `proposed` covers all ids given: for a split, give the ids of its entities.
    """
    judged = labelled.judged if split is None else labelled.judged[labelled.judged["split"] == split]
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


def score_by_split(pairs: pd.DataFrame, labelled: Labelled) -> dict[str, Found]:
    """`score` of proposed pairs (columns pair_id, entity), for `all` and for the entities of each split."""
    split_of = dict(zip(labelled.definitions["entity"], labelled.definitions["split"], strict=True))
    split = pairs["entity"].map(split_of)
    apart = {name: score(pairs.loc[split == name, "pair_id"], labelled, name) for name in SPLITS}
    return {"all": score(pairs["pair_id"], labelled)} | apart


def mean(founds: Sequence[Found]) -> dict[str, float | None]:
    """The mean of each figure; None where one is not defined."""
    rows = pd.DataFrame([asdict(found) for found in founds])
    return {str(name): None if rows[name].isna().any() else float(rows[name].mean()) for name in rows}


def agreement(chosen: Sequence[Sequence[str]]) -> float | None:
    """The mean Jaccard index over all two sets of pairs; None for fewer than two sets."""
    sets = [frozenset(pairs) for pairs in chosen]
    shares = [len(a & b) / max(1, len(a | b)) for a, b in combinations(sets, 2)]
    return float(np.mean(shares)) if shares else None


def frontier(rows: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names whose two figures (more is better) no other name equals or exceeds in both, by the first figure."""
    ordered = sorted(rows, key=lambda name: (-rows[name][0], -rows[name][1], name))
    best, kept = -np.inf, []
    for name in ordered:
        if rows[name][1] > best:
            best = rows[name][1]
            kept.append(name)
    return kept


def sample(definitions: pd.DataFrame, n_pairs: int, seed: int) -> pd.DataFrame:
    """A random sample of `n_pairs` of all pairs within an entity: columns pair_id, entity."""
    codes = pd.factorize(definitions["entity"], sort=True)[0].astype(np.int64)
    first, second = pair_within(codes)
    drawn = np.random.default_rng(seed).permutation(len(first))[:n_pairs]
    ids = definitions["definition_id"].to_numpy(dtype=object)
    return pd.DataFrame(
        {
            "pair_id": list(map(pair_id, ids[first[drawn]], ids[second[drawn]])),
            "entity": definitions["entity"].to_numpy(dtype=object)[first[drawn]],
        }
    )


def _ids(entities: pd.Series, texts: pd.Series) -> list[str]:
    return list(map(definition_id, entities, texts))
