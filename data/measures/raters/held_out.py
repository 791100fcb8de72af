"""How well the other votes on a pair foretell a vote that is held out: calibration and log loss; pure.

The votes are held out in FOLDS parts, no two of a pair in the same part unless it has more than FOLDS votes. The
chance of a held-out vote is, of both votes that the pair may deserve, the sum of the probability that the pooled model
gives it by the votes that are shown, times the chance that this annotator then votes so. The majority foretells a vote
by how often votes were positive, among those shown, where the majority of the others was (or was not, or where they
were tied), with one vote of each kind added.
"""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import pandas as pd

from data.contract.measures import HELD_OUT
from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY
from data.measures import agreement, intervals
from data.measures.agreement import Agreement, Integers, Reals
from data.measures.intervals import Groups
from data.measures.raters.pooled_dawid_skene import foretelling

FOLDS = 5
MOST_PAIRS = 4_000
"""Of more pairs, as many are drawn: more votes than theirs change no printed figure."""
SEED = 1
BINS, DRAWS = 10, 200
LEAST = 1e-12
"""The smallest chance with which a vote counts in the log loss."""


def foretell(votes: pd.DataFrame, gold: pd.DataFrame) -> pd.DataFrame:
    """The votes on pairs with at least two, each with `chance` and `by_majority`: that it is positive, by the others.

    `votes`: pair_id, annotator, score, vote, one row per annotator and pair; `gold`: the same, with `truth`. The order
    of the rows does not matter.
    """
    several = votes[votes.duplicated("pair_id", keep=False)]
    random, pairs = np.random.default_rng(SEED), np.sort(several["pair_id"].unique())
    if len(pairs) > MOST_PAIRS:
        several = several[several["pair_id"].isin(random.choice(pairs, MOST_PAIRS, replace=False))]
    several = several.sort_values(["pair_id", "annotator"], ignore_index=True)
    mixed = several.iloc[random.permutation(len(several))]
    first = random.integers(FOLDS, size=several["pair_id"].nunique())[pd.factorize(several["pair_id"])[0]]
    fold = (mixed.groupby("pair_id").cumcount().sort_index().to_numpy("int64") + first) % FOLDS
    known = gold.groupby("pair_id")["truth"].first()
    chance, by_majority = np.full(len(several), np.nan), np.full(len(several), np.nan)
    for number in np.unique(fold):
        is_asked = fold == number
        seen, asked = several[~is_asked], several[is_asked]
        if seen.empty:
            continue
        every = pd.concat([seen, gold.reindex(columns=list(seen))], ignore_index=True)
        chance[is_asked] = foretelling(every, asked, known if len(known) else None)
        by_majority[is_asked] = _by_majority(seen, asked)
    return several.assign(chance=chance, by_majority=by_majority).dropna(subset=["chance"])


def _by_majority(seen: pd.DataFrame, asked: pd.DataFrame) -> Reals:
    tally = seen.groupby("pair_id")["vote"].agg(["sum", "size"])
    own, theirs = (tally.reindex(rows["pair_id"]).fillna(0).to_numpy("int64") for rows in (seen, asked))
    vote = seen["vote"].to_numpy("int64")
    side = np.sign(2 * (own[:, 0] - vote) - (own[:, 1] - 1))
    shares = {place: (vote[side == place].sum() + 1) / ((side == place).sum() + 2) for place in (-1, 0, 1)}
    return np.array([shares[int(place)] for place in np.sign(2 * theirs[:, 0] - theirs[:, 1])])


def bins_of(foretold: pd.DataFrame) -> pd.DataFrame:
    """The votes by tenths of the chance: n, mean `chance`, and the share that came (`vote`)."""
    tenth = _tenths(foretold["chance"].to_numpy("float64"))
    return foretold.groupby(tenth).agg(n=("vote", "size"), chance=("chance", "mean"), vote=("vote", "mean"))


def calibration_error(foretold: pd.DataFrame) -> float:
    """The expected calibration error: how far chance and share lie apart, on average over the votes, by tenths."""
    return float(
        _calibration_errors(foretold["chance"].to_numpy("float64"), foretold[["vote"]].to_numpy("float64").T)[0]
    )


def _calibration_errors(chances: Reals, votes: Reals) -> Reals:
    """The same for each row of votes, of shape (draws, votes)."""
    is_in = np.eye(BINS)[_tenths(chances)]
    return np.asarray(np.abs((votes - chances) @ is_in).sum(axis=1) / len(chances))


def _tenths(chances: Reals) -> Integers:
    return np.asarray(np.minimum((chances * BINS).astype("int64"), BINS - 1))


def losses(votes: "pd.Series[int]", chances: "pd.Series[float]") -> Reals:
    """The log loss of each vote, in nats."""
    came = np.where(votes == 1, chances, 1 - chances)
    return np.asarray(-np.log(came.clip(LEAST)))


def assess_held_out(votes: pd.DataFrame, gold: pd.DataFrame) -> Iterator[dict[str, object]]:
    """The measures of `all`, with `habits.COLUMNS`: `calibration_error`, `log_loss`, `log_loss_majority`.

    Arguments as in `foretell`, with `group`: limits draw groups.
    """
    if votes.empty:
        return
    foretold = foretell(votes, gold)
    found = dict.fromkeys(HELD_OUT, Agreement(n=0, reason=agreement.NO_SECOND))
    if len(foretold):
        groups = Groups.of(foretold["group"])
        found = {"calibration_error": _calibration(foretold)}
        for measure, column in (("log_loss", "chance"), ("log_loss_majority", "by_majority")):
            found[measure] = _mean(losses(foretold["vote"], foretold[column]), groups)
    for measure, value in found.items():
        about = {"round": ALL_ROUNDS, "annotator": EVERYBODY, "measure": measure, "control": None, "answer": None}
        yield about | asdict(value)


def _calibration(foretold: pd.DataFrame) -> Agreement:
    """The calibration error, with the middle 95 % of those that chances which are right give with as many votes."""
    random, chance = np.random.default_rng(SEED), foretold["chance"].to_numpy("float64")
    drawn = (random.random((DRAWS, len(chance))) < chance).astype("float64")
    low, high = intervals.middle(_calibration_errors(chance, drawn))
    return Agreement(n=len(foretold), value=calibration_error(foretold), low=low, high=high)


def _mean(values: Reals, groups: Groups) -> Agreement:
    """The mean, with limits that draw groups."""
    weights, ones = groups.weigh(), np.ones(len(values))
    draws = (weights @ groups.add(values)) / (weights @ groups.add(ones))
    low, high = intervals.drawn(float(values.mean()), draws, groups.effective, (0.0, float(-np.log(LEAST))))
    return Agreement(n=len(values), value=float(values.mean()), low=low, high=high)
