"""What an attempt earns, and whether it passes the task: numbers in, numbers out."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from data.measures.agreement import Reals
from paraphrase_game.config import RewardRule


def rewards(implied: ArrayLike, bleurt: ArrayLike, rule: RewardRule) -> Reals:
    """The rewards, each from 0 to 1: 0 where the texts do not entail each other, else falling with BLEURT.

    Defined for every finite BLEURT. Source: Nighojkar and Licato 2021, equation 1.
    """
    similarity = np.asarray(bleurt, dtype=np.float64)
    return np.asarray(np.asarray(implied, dtype=bool) * expit(-rule.steepness * similarity) ** rule.power)


def cents(implied: ArrayLike, bleurt: ArrayLike, rule: RewardRule) -> NDArray[np.int64]:
    """The rewards in whole cents; half a cent is rounded up."""
    return np.floor(rule.highest * rewards(implied, bleurt, rule) + 0.5).astype(np.int64)


def passed(implied: ArrayLike, bleurt: ArrayLike, rule: RewardRule) -> NDArray[np.bool_]:
    """Whether the attempts pass the task by the rule's recipe; at a BLEURT of exactly `pass_at` they do."""
    if rule.recipe == "code":
        return cents(implied, bleurt, rule) > 0
    return np.asarray(implied, dtype=bool) & (np.asarray(bleurt, dtype=np.float64) <= rule.pass_at)
