"""The generator's losses: the paper's, and ours that rewards what the generator itself wrote; pure but for torch."""

from typing import Literal

import torch
from torch import Tensor

Loss = Literal["paper", "weighted"]


def weigh(cross_entropies: Tensor, rewards: Tensor, loss: Loss) -> Tensor:
    """The loss of a batch, from each target's mean cross entropy and reward [batch].

    `paper`: the mean cross entropy divided by the batch's total reward R where R >= 1. R does not depend on the
    weights, so this is the plain loss with another learning rate per batch, lower where the reward is high: it cannot
    push towards the reward (train.py:112-117 of the released code). `weighted`, ours: each target counts by its
    reward above the batch's mean, so that what pays better than usual becomes likelier, and nothing is unlearned.
    """
    if loss == "paper":
        total = rewards.sum()
        mean = cross_entropies.mean()
        return mean / total if total >= 1 else mean
    weights = torch.relu(rewards - rewards.mean())
    if not bool(weights.sum() > 0):
        return cross_entropies.sum() * 0.0
    return (cross_entropies * weights).sum() / weights.sum()
