"""An audit of splits that knows no rule: definitions and names whose nearest neighbour lies in another split; pure.

Vectors are TF-IDF weights of character n-grams, unlike the words and stems that `analysis.splitting.groups` and `leaks`
go by, so the audit can find what they cannot; or those of a sentence model (`data.sentence_models`).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

SUSPICIOUS = {"definition": 0.8, "entity": 0.8}
"""From this cosine on (0 to 1) two definitions, two names, are suspects."""
NGRAMS = (3, 5)


Encode = Callable[[Sequence[str]], Any]
"""Texts -> a matrix (dense or sparse), one row a text, each of length 1."""


def encode_tfidf(texts: Sequence[str]) -> csr_matrix:
    """TF-IDF weights of character n-grams within words."""
    weigh = TfidfVectorizer(analyzer="char_wb", ngram_range=NGRAMS, sublinear_tf=True)
    weights: csr_matrix = weigh.fit_transform(texts)
    return weights


def audit(frame: pd.DataFrame, n: int = 50, encode: Encode = encode_tfidf) -> pd.DataFrame:
    """The `n` most alike definitions and the `n` most alike entity names that lie in two splits, most alike first.

    Columns: kind (definition, entity), split, text, nearest_split, nearest, cosine. Each text stands once, with its
    nearest neighbour in another split, where that is suspicious; texts of equal wording count as distance 0.
    """
    split = frame.set_index("pair_id")["split"].dropna()
    used = frame[frame["pair_id"].isin(split.index)]
    definitions = pd.concat(
        [used[[side, "split"]].set_axis(["text", "split"], axis="columns") for side in ("first", "second")]
    )
    names = used[["entity", "split"]].dropna().set_axis(["text", "split"], axis="columns")
    parts = [_suspects(rows, kind, encode).head(n) for kind, rows in (("definition", definitions), ("entity", names))]
    return pd.concat(parts, ignore_index=True)


def _suspects(rows: pd.DataFrame, kind: str, encode: Encode) -> pd.DataFrame:
    rows = rows.drop_duplicates().sort_values(["text", "split"], ignore_index=True)
    columns = ["kind", "split", "text", "nearest_split", "nearest", "cosine"]
    if rows["split"].nunique() < 2:
        return pd.DataFrame(columns=columns)
    vectors = csr_matrix(encode(rows["text"].tolist()))
    found = [_nearest(rows, vectors, split) for split in ("validation", "test") if (rows["split"] == split).any()]
    near = pd.concat(found).drop_duplicates().assign(kind=kind)
    near = near[near["cosine"] >= SUSPICIOUS[kind]]
    return near.sort_values(["cosine", "text"], ascending=[False, True], ignore_index=True)[columns]


def _nearest(rows: pd.DataFrame, vectors: csr_matrix, split: str) -> pd.DataFrame:
    """Of each text of `split` the nearest of the splits before it (of all others, for the first)."""
    mine = np.flatnonzero(rows["split"] == split)
    before = ("train",) if split == "validation" else ("train", "validation")
    theirs = np.flatnonzero(rows["split"].isin(before))
    if not len(theirs):
        return pd.DataFrame(columns=["split", "text", "nearest_split", "nearest", "cosine"])
    cosines = vectors[mine] @ vectors[theirs].T
    best = np.asarray(cosines.argmax(axis=1)).ravel()
    values = np.asarray(cosines.max(axis=1).todense()).ravel()
    return pd.DataFrame(
        {
            "split": split,
            "text": rows["text"].to_numpy()[mine],
            "nearest_split": rows["split"].to_numpy()[theirs[best]],
            "nearest": rows["text"].to_numpy()[theirs[best]],
            "cosine": values.round(3),
        }
    )
