"""Bag of words with cosine: Zhang, Baldridge and He 2019 (PAWS), section 5. 180,001 parameters at width 300."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import PairNetwork, Recipe, Side
from identification.architectures.networks.blocks import masked_mean
from identification.architectures.networks.cosine import CosineLogits


class BagOfWords(PairNetwork):
    """A text is the mean of its words beside the mean of its bigrams; the cosine of two texts decides."""

    paper = "Zhang, Baldridge, He 2019, PAWS: Paraphrase Adversaries from Word Scrambling"
    deviations = (
        'The paper says only "uni-gram and bi-gram token encoding" and "cosine above 0.5"; no code was released.',
        "A bigram is tanh of a learned map of two neighbouring word vectors: a linear map would lose the order in the"
        " mean. The last word's right neighbour is a zero vector, so that a text of one word has a bigram.",
        "Logits are (0, scale * (cosine - 0.5)) with a learned scale. Nothing printed: the recipe is ours.",
    )
    recipe = Recipe(optimizer="adam", learning_rate=1e-3, batch_size=32, epochs=20)
    symmetric = True

    def __init__(self, width: int, hidden: int = 200) -> None:
        """`hidden`: dimensions of the unigram and of the bigram part each."""
        super().__init__()
        self.unigrams = nn.Linear(width, hidden, bias=False)
        self.bigrams = nn.Linear(2 * width, hidden, bias=False)
        self.logits = CosineLogits()

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        logits: Tensor = self.logits(self.encode(first), self.encode(second))
        return logits

    def encode(self, side: Side) -> Tensor:
        """The encoding of each text, [batch, 2 * hidden]."""
        vectors = side.vectors * side.mask.unsqueeze(-1)
        neighbours = functional.pad(vectors, (0, 0, 0, 1))[:, 1:]
        bigrams = self.bigrams(torch.cat([vectors, neighbours], dim=-1)).tanh()
        return torch.cat([self.unigrams(masked_mean(vectors, side.mask)), masked_mean(bigrams, side.mask)], dim=-1)
