"""What simulated annotators err from: the answer that each pair deserves, and the one that overlap alone suggests.

Answers are given by their places in the declared order, from 0: on PARADE's scale, by the score.
"""

from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd

from annotation.questions.answers import join_or
from annotation.simulation.assumptions import PARAPHRASES
from annotation.simulation.noise import keyed_uniform
from data.console.errors import TableError
from data.contract.vocabulary import SCORES
from data.files.sheets import read_sheet, whole_numbers
from data.labelled import parade
from data.measures.agreement import Integers, Reals
from data.measures.classes import PARADE, Classes
from data.texts import words

LATENT_NOISE = 0.12
LATENT_STEPS = (0.0, 0.08, 0.17, 0.33, 0.57)
"""Where overlap plus noise passes from one of PARADE's scores to the next: the mean overlaps of the released pairs with
0, 1, 2 and 3 votes are 0.10, 0.15, 0.21 and 0.41. The third is the border, the ends are where others' steps end."""


def shares(classes: Classes = PARADE, positive: float = PARAPHRASES) -> Reals:
    """The share of each deserved answer: those on the same side of the border are as frequent.

    `positive`: the share of the positive answers.
    """
    n_negative = len(classes) - classes.n_positive
    return np.array([(1 - positive) / n_negative] * n_negative + [positive / classes.n_positive] * classes.n_positive)


def latent_steps(classes: Classes = PARADE) -> Reals:
    """Where overlap plus noise passes from one answer to the next: each side of the border is divided as PARADE's."""
    n_negative = len(classes) - classes.n_positive
    below, above = np.arange(1, n_negative + 1) / n_negative, 1 + np.arange(1, classes.n_positive) / classes.n_positive
    return np.asarray(np.interp([*below, *above], [0, 0.5, 1, 1.5, 2], LATENT_STEPS).round(12))


def latent_truth(pairs: pd.DataFrame, seed: int, classes: Classes = PARADE) -> "pd.Series[int]":
    """The answer that each pair deserves, by pair id: the more overlap the higher, with seeded noise.

    `pairs`: pair_id, overlap (null counts as 0).
    """
    ids = pairs["pair_id"].to_list()
    noise = [NormalDist().inv_cdf(keyed_uniform("truth", seed, pair)) for pair in ids]
    overlap = pairs["overlap"].astype("Float64").fillna(0).to_numpy(dtype="float64")
    latent = overlap + LATENT_NOISE * np.array(noise)
    return pd.Series(np.searchsorted(latent_steps(classes), latent), index=ids, dtype="int64")


def graded_overlap(overlap: Reals, classes: Classes = PARADE, positive: float = PARAPHRASES) -> Integers:
    """The answer that overlap alone suggests: the pairs' ranks, cut at the answers' `shares`."""
    ranks = overlap.argsort(kind="stable").argsort(kind="stable") / max(len(overlap), 1)
    return np.searchsorted(np.cumsum(shares(classes, positive))[:-1], ranks, side="right").astype("int64")


def read_truth(path: Path, pairs: pd.DataFrame, classes: Classes = PARADE) -> "pd.Series[int]":
    """The answer that each of our pairs deserves, by pair id, from a file or a folder.

    A CSV or TSV file has the columns pair_id and score, with the answers as they are declared. A folder holds the
    published PARADE files: a pair's number of votes is its score, so that two votes of three and a score of 2 both mean
    "paraphrase"; other answers divide the four evenly. `pairs`: pair_id, first, second. Raises TableError for a pair
    without an answer or with one that is not declared.
    """
    places = (
        _released_votes(path, pairs) * len(classes) // len(SCORES) if path.is_dir() else _answer_table(path, classes)
    )
    truth = places[~places.index.duplicated()].reindex(pairs["pair_id"])
    wrong = truth[~truth.isin(range(len(classes)))]
    if not wrong.empty:
        raise TableError(
            path,
            expected=f"a score of {join_or(list(classes.values))} for each of the {len(truth)} pairs",
            found=f"none for {int(wrong.isna().sum())} of them, others for {int(wrong.notna().sum())}"
            f" (pair {wrong.index[0]})",
            remedy="complete the file, or leave --truth out for a seeded latent score",
        )
    return truth.astype("int64")


def _answer_table(path: Path, classes: Classes) -> "pd.Series[int]":
    """The places of the answers, -1 for one that is not declared."""
    sheet = read_sheet(path, "a table of scores", remedy="see python -m annotation simulate --help")
    sheet.require_columns(["pair_id", "score"])
    places = {value: place for place, value in enumerate(classes.values)}
    answers = whole_numbers(sheet.rows["score"])
    return pd.Series([places.get(answer, -1) for answer in answers], index=sheet.rows["pair_id"], dtype="Int64")


def _released_votes(folder: Path, pairs: pd.DataFrame) -> "pd.Series[int]":
    """The votes on the published pairs with the same two texts, in either order."""
    published = parade.read(folder)
    votes = dict(zip(_texts(published), published["votes"], strict=True))
    return pd.Series([votes.get(texts) for texts in _texts(pairs)], index=pairs["pair_id"], dtype="Int64")


def _texts(pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """The two texts of each pair, as they are compared, in the order of the alphabet."""
    texts = zip(pairs["first"], pairs["second"], strict=True)
    return [tuple(sorted((words.merge_key(first), words.merge_key(second)))) for first, second in texts]
