"""An audit of splits that follows no rule: definitions and names whose nearest neighbour is in another split; pure.

Vectors are TF-IDF weights of character n-grams, where `data.grouping.groups` and `leaks` compare words and stems, so
the audit can find what they cannot; or the vectors of a sentence model (`data.models.sentence_models`).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from data.grouping import entities
from data.labelled.dataset import Dataset

SUSPICIOUS = {"definition": 0.8, "entity": 0.8}
"""Two definitions, or two names, with at least this cosine (0 to 1) are suspects."""
NGRAMS = (3, 5)
COLUMNS = ["kind", "split", "text", "nearest_split", "nearest", "cosine"]


Encode = Callable[[Sequence[str]], Any]
"""Texts -> a matrix (dense or sparse), one row of length 1 per text."""


def encode_tfidf(texts: Sequence[str]) -> csr_matrix:
    """TF-IDF weights of character n-grams within words."""
    weigh = TfidfVectorizer(analyzer="char_wb", ngram_range=NGRAMS, sublinear_tf=True)
    weights: csr_matrix = weigh.fit_transform(texts)
    return weights


def audit(pairs: Dataset, n: int = 50, encode: Encode = encode_tfidf) -> pd.DataFrame:
    """The `n` definitions and the `n` entity names most similar to one in another split, most similar first.

    Columns: kind (definition, entity), split, text, nearest_split, nearest, cosine. Each text occurs once, with its
    nearest neighbour in another split, where that is suspicious; texts of equal wording have cosine 1.
    """
    if not n:
        return pd.DataFrame(columns=COLUMNS)
    used = pairs.frame[pairs.frame["split"].notna()]
    definitions = pd.concat(
        [used[[side, "split"]].set_axis(["text", "split"], axis="columns") for side in ("first", "second")]
    )
    names = pd.DataFrame({"text": entities.each(used)}).join(used["split"])
    parts = [_suspects(rows, kind, encode).head(n) for kind, rows in (("definition", definitions), ("entity", names))]
    return pd.concat(parts, ignore_index=True)


def _suspects(rows: pd.DataFrame, kind: str, encode: Encode) -> pd.DataFrame:
    rows = rows.drop_duplicates().sort_values(["text", "split"], ignore_index=True)
    if rows["split"].nunique() < 2:
        return pd.DataFrame(columns=COLUMNS)
    vectors = csr_matrix(encode(rows["text"].tolist()))
    nearest = [_nearest(rows, vectors, split) for split in ("validation", "test") if (rows["split"] == split).any()]
    near = pd.concat(nearest).drop_duplicates().assign(kind=kind)
    near = near[near["cosine"] >= SUSPICIOUS[kind]]
    return near.sort_values(["cosine", "text"], ascending=[False, True], ignore_index=True)[COLUMNS]


def _nearest(rows: pd.DataFrame, vectors: csr_matrix, split: str) -> pd.DataFrame:
    """The nearest text of the splits before `split` to each of its texts."""
    ours = np.flatnonzero(rows["split"] == split)
    before = ("train",) if split == "validation" else ("train", "validation")
    theirs = np.flatnonzero(rows["split"].isin(before))
    if not len(theirs):
        return pd.DataFrame(columns=COLUMNS[1:])
    cosines = vectors[ours] @ vectors[theirs].T
    best = np.asarray(cosines.argmax(axis=1)).ravel()
    values = np.asarray(cosines.max(axis=1).todense()).ravel()
    return pd.DataFrame(
        {
            "split": split,
            "text": rows["text"].to_numpy()[ours],
            "nearest_split": rows["split"].to_numpy()[theirs[best]],
            "nearest": rows["text"].to_numpy()[theirs[best]],
            "cosine": values.round(3),
        }
    )
