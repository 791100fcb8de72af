"""Decomposable attention: Parikh et al. 2016. 381,602 parameters at width 300; on BiLSTM states (PAWS) 643,202.

Each word attends to the other text's words, is compared with what it attends to, and the comparisons are added up.
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import AligningNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM, align, mutual_attention

DROPOUT = 0.2

READING = (
    "The released code has its masks commented out: padding takes part in the attention and in the sums. Masked here.",
    "The released code puts a vector for the start before each text, and two of padding after it; here there are none.",
    "The released code trains with torch's Adagrad, whose first step moves every weight by the whole rate, and often"
    " ends in a constant answer (SPM_toolkit, issue 5). Training here starts its sums of squares from 0.1, as"
    " TensorFlow does.",
    "The released weights start from N(0, 0.01). Here they start as torch's layers do, and learn faster on PARADE.",
    "Unknown words have the norm 17 against 1 in the released code. Here every vector is divided by its norm.",
    "The released code clips by the squared norm of the gradients; the recipe clips by the norm.",
)


def perceptron(width: int, hidden: int) -> nn.Sequential:
    """Two layers with ReLU, dropout before each."""
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(width, hidden),
        nn.ReLU(),
        nn.Dropout(DROPOUT),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
    )


class DecomposableAttention(AligningNetwork):
    """What both networks share: attend, compare, aggregate."""

    recipe = Recipe(
        optimizer="adagrad", learning_rate=0.05, batch_size=32, epochs=5000, clip_norm=5.0, weight_decay=5e-5
    )

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.attend = perceptron(hidden, hidden)
        self.compare = perceptron(2 * hidden, hidden)
        self.aggregate = nn.Sequential(perceptron(2 * hidden, hidden), nn.Linear(hidden, 2))

    @abstractmethod
    def encode(self, side: Side) -> Tensor:
        """The words of each text, [batch, T, hidden]."""

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        left, right = self.encode(first), self.encode(second)
        ahead, back = align(self._attention(left, right), first.mask, second.mask)
        sums = [
            (side.mask.unsqueeze(1).to(words.dtype) @ self.compare(torch.cat([words, attended], dim=-1))).squeeze(1)
            for words, attended, side in ((left, ahead @ right, first), (right, back @ left, second))
        ]
        logits: Tensor = self.aggregate(torch.cat(sums, dim=-1))
        return logits

    def alignment(self, first: Side, second: Side) -> Tensor:
        """The mean of both directions' attention."""
        return mutual_attention(self._attention(self.encode(first), self.encode(second)), first.mask, second.mask)

    def _attention(self, left: Tensor, right: Tensor) -> Tensor:
        logits: Tensor = self.attend(left) @ self.attend(right).transpose(1, 2)
        return logits


class DecAtt(DecomposableAttention):
    """Attention between words that know nothing of their neighbours."""

    paper = "Parikh, Täckström, Das, Uszkoreit 2016, A Decomposable Attention Model for Natural Language Inference"
    deviations = READING

    def __init__(self, width: int, hidden: int = 200) -> None:
        super().__init__(hidden)
        self.project = nn.Linear(width, hidden, bias=False)

    def encode(self, side: Side) -> Tensor:
        """Projected word vectors of norm 1."""
        words: Tensor = self.project(functional.normalize(side.vectors, dim=-1))
        return words


class DecAttBiLSTM(DecomposableAttention):
    """Attention between words in their context."""

    paper = "Zhang, Baldridge, He 2019, PAWS: Paraphrase Adversaries from Word Scrambling"
    deviations = (*READING, "PAWS prints no sizes: here the states, 100 in each direction, replace the projection.")

    def __init__(self, width: int, hidden: int = 200) -> None:
        """`hidden`: dimensions of the states of both directions together."""
        super().__init__(hidden)
        self.lstm = BiLSTM(width, hidden // 2)

    def encode(self, side: Side) -> Tensor:
        """States of a BiLSTM over word vectors of norm 1."""
        return self.lstm.states(functional.normalize(side.vectors, dim=-1), side.mask)
