"""ESIM: Chen et al. 2017. 4,330,802 parameters at width 300.

A BiLSTM reads each text, its states attend to the other text's, and a second BiLSTM reads what came of it.
"""

import torch
from torch import Tensor, nn

from identification.architectures.networks.base import AligningNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM, align, masked_max, masked_mean, mutual_attention

DROPOUT = 0.5


class ESIM(AligningNetwork):
    """The sequential network of the paper, without its tree LSTM."""

    paper = "Chen, Zhu, Ling, Wei, Jiang, Inkpen 2017, Enhanced LSTM for Natural Language Inference"
    deviations = (
        "SPM_toolkit reads both directions with one LSTM (2,883,602 parameters). Here each has its own, as published.",
        "SPM_toolkit takes mean and maximum over the padding too, and reads it first when it reads backwards. Masked"
        " here.",
        "SPM_toolkit drops out twice after the projection and has ReLU in the classifier. Here once, and the paper's"
        " tanh.",
        "SPM_toolkit trains on its URL data one pair at a time; the recipe has the 32 of its Quora script.",
    )
    recipe = Recipe(optimizer="adam", learning_rate=4e-4, batch_size=32, epochs=500, clip_norm=10.0)
    trains_vectors = True

    def __init__(self, width: int, hidden: int = 300) -> None:
        """`hidden`: dimensions of the state of each direction."""
        super().__init__()
        self.dropout = nn.Dropout(DROPOUT)
        self.read = BiLSTM(width, hidden)
        self.project = nn.Sequential(nn.Linear(8 * hidden, hidden), nn.ReLU(), nn.Dropout(DROPOUT))
        self.compose = BiLSTM(hidden, hidden)
        self.classify = nn.Sequential(
            nn.Dropout(DROPOUT), nn.Linear(8 * hidden, hidden), nn.Tanh(), nn.Dropout(DROPOUT), nn.Linear(hidden, 2)
        )
        for lstm in (self.read, self.compose):
            lstm.make_orthogonal()

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        left, right = self._encode(first), self._encode(second)
        ahead, back = align(left @ right.transpose(1, 2), first.mask, second.mask)
        pooled = self._compose(left, ahead @ right, first.mask) + self._compose(right, back @ left, second.mask)
        logits: Tensor = self.classify(torch.cat(pooled, dim=-1))
        return logits

    def alignment(self, first: Side, second: Side) -> Tensor:
        """The mean of both directions' attention."""
        logits = self._encode(first) @ self._encode(second).transpose(1, 2)
        return mutual_attention(logits, first.mask, second.mask)

    def _encode(self, side: Side) -> Tensor:
        return self.read.states(self.dropout(side.vectors), side.mask)

    def _compose(self, words: Tensor, attended: Tensor, mask: Tensor) -> list[Tensor]:
        enhanced = self.project(torch.cat([words, attended, words * attended, words - attended], dim=-1))
        states = self.compose.states(enhanced, mask)
        return [masked_mean(states, mask), masked_max(states, mask)]
