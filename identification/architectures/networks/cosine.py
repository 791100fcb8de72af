"""How a cosine becomes two logits."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

THRESHOLD = 0.5
FIRST_SCALE = 10.0


class CosineLogits(nn.Module):
    """Logits (0, scale * (cosine - 0.5)): a cosine above 0.5 is a paraphrase (PAWS, section 5).

    The scale is positive and learned; the first gives a cosine of 1 the probability 0.993.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(math.log(FIRST_SCALE)))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Logits [batch, 2] of two encodings [batch, width]."""
        cosine = functional.cosine_similarity(first, second)
        positive = self.log_scale.exp() * (cosine - THRESHOLD)
        return torch.stack([torch.zeros_like(positive), positive], dim=1)
