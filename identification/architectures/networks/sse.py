"""Shortcut-stacked sentence encoder: Nie and Bansal 2017. 140,200,194 parameters at width 300; small: 10,387,266.

Three BiLSTMs, each of which reads the words and the states of those before it; the maximum over the last one's states
is the text's encoding.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import PairNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM, masked_max

DROPOUT = 0.1


class SSE(PairNetwork):
    """The network at the paper's sizes: states of 512, 1024 and 2048 dimensions."""

    paper = "Nie, Bansal 2017, Shortcut-Stacked Sentence Encoders for Multi-Domain Inference"
    deviations: ClassVar[tuple[str, ...]] = (
        "SPM_toolkit counts two positions of padding in each text's length. Masked here.",
        "SPM_toolkit means to halve the learning rate every two epochs but divides it by 1.41 after each: the recipe's"
        " decay.",
        "SPM_toolkit compares a raw logit with 0.5 on its URL data; here classes are compared.",
        "Every word vector is divided by its norm, as in SPM_toolkit, unknown words' too.",
    )
    recipe = Recipe(optimizer="adam", learning_rate=2e-4, batch_size=32, epochs=20, decay=0.5**0.5, longest=60)

    def __init__(self, width: int, hidden: int = 512, classifier: int = 1600) -> None:
        """`hidden`: dimensions of each direction's first state; the next two have twice and four times as many."""
        super().__init__()
        sizes = [hidden, 2 * hidden, 4 * hidden]
        self.layers = nn.ModuleList(BiLSTM(width + 2 * sum(sizes[:layer]), size) for layer, size in enumerate(sizes))
        self.classify = nn.Sequential(
            nn.Linear(8 * sizes[-1], classifier), nn.ReLU(), nn.Dropout(DROPOUT),
            nn.Linear(classifier, classifier), nn.ReLU(), nn.Dropout(DROPOUT),
            nn.Linear(classifier, 2),
        )  # fmt: skip

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        left, right = self.encode(first), self.encode(second)
        logits: Tensor = self.classify(torch.cat([left, right, (left - right).abs(), left * right], dim=-1))
        return logits

    def encode(self, side: Side) -> Tensor:
        """The encoding of each text, [batch, 8 * hidden]."""
        read = functional.normalize(side.vectors, dim=-1)
        states = read
        for layer in self.layers:
            states = torch.cat(layer(read, side.mask), dim=-1)
            read = torch.cat([read, states], dim=-1)
        return masked_max(states, side.mask)


class SmallSSE(SSE):
    """The same at a quarter of the sizes, for data sets of thousands of pairs."""

    deviations = (*SSE.deviations, "A quarter of the paper's sizes.")

    def __init__(self, width: int, hidden: int = 128, classifier: int = 400) -> None:
        super().__init__(width, hidden, classifier)
