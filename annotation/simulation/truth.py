"""What simulated annotators err from: the score that each pair deserves, and the one that overlap alone suggests."""

from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd

from annotation.ratings.agreement import Integers, Reals
from annotation.simulation.noise import keyed_uniform
from data import words
from data.errors import TableError
from data.labelled import parade
from data.sheets import read_sheet
from data.vocabulary import SCORES

PARAPHRASES = 0.469
"""The share of paraphrases among PARADE's pairs (He et al. 2020, Table 3)."""

SHARES = np.array([(1 - PARAPHRASES) / 2] * 2 + [PARAPHRASES / 2] * 2)
"""The share of each deserved score, two on either side of the border."""

LATENT_NOISE = 0.12
LATENT_STEPS = (0.08, 0.17, 0.33)
"""Where overlap plus noise passes from one score to the next: the mean overlaps of the released pairs with 0, 1, 2
and 3 votes are 0.10, 0.15, 0.21 and 0.41."""


def latent_truth(pairs: pd.DataFrame, seed: int) -> "pd.Series[int]":
    """The score that each pair deserves, by pair id: the more overlap the higher, with seeded noise.

    `pairs`: pair_id, overlap (null counts as 0).
    """
    ids = pairs["pair_id"].to_list()
    noise = [NormalDist().inv_cdf(keyed_uniform("truth", seed, pair)) for pair in ids]
    overlap = pairs["overlap"].astype("Float64").fillna(0).to_numpy(dtype="float64")
    latent = overlap + LATENT_NOISE * np.array(noise)
    return pd.Series(np.searchsorted(LATENT_STEPS, latent), index=ids, dtype="int64")


def graded_overlap(overlap: Reals) -> Integers:
    """The score that overlap alone suggests: the pairs' ranks, cut at the shares of the scores."""
    ranks = overlap.argsort(kind="stable").argsort(kind="stable") / max(len(overlap), 1)
    return np.searchsorted(np.cumsum(SHARES)[:-1], ranks, side="right").astype("int64")


def read_truth(path: Path, pairs: pd.DataFrame) -> "pd.Series[int]":
    """The score that each of our pairs deserves, by pair id, from a file or a folder.

    A CSV or TSV file has the columns pair_id and score. A folder holds the published PARADE files: a pair's number of
    votes is its score, so that two votes of three and a score of 2 both mean "paraphrase". `pairs`: pair_id, first,
    second. Raises TableError for a pair without a score or with one off the scale.
    """
    scores = _released_votes(path, pairs) if path.is_dir() else _score_table(path)
    truth = scores[~scores.index.duplicated()].reindex(pairs["pair_id"])
    wrong = truth[~truth.isin(SCORES)]
    if not wrong.empty:
        raise TableError(
            path,
            expected=f"a score of 0, 1, 2 or 3 for each of the {len(truth)} pairs",
            found=f"none for {int(wrong.isna().sum())} of them, others for {int(wrong.notna().sum())}"
            f" (pair {wrong.index[0]})",
            remedy="complete the file, or leave --truth out for a seeded latent score",
        )
    return truth.astype("int64")


def _score_table(path: Path) -> "pd.Series[int]":
    sheet = read_sheet(path, "a table of scores", remedy="see python -m annotation simulate --help")
    sheet.require(["pair_id", "score"])
    scores = pd.to_numeric(sheet.rows["score"], errors="coerce")
    return pd.Series(scores.to_numpy(), index=sheet.rows["pair_id"])


def _released_votes(folder: Path, pairs: pd.DataFrame) -> "pd.Series[int]":
    """The votes on the published pairs with the same two texts, in either order."""
    published = parade.read(folder)
    votes = dict(zip(_texts(published), published["votes"], strict=True))
    return pd.Series([votes.get(texts) for texts in _texts(pairs)], index=pairs["pair_id"], dtype="Int64")


def _texts(pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """The two texts of each pair, as they are compared, in the order of the alphabet."""
    texts = zip(pairs["first"], pairs["second"], strict=True)
    return [tuple(sorted((words.merge_key(first), words.merge_key(second)))) for first, second in texts]
