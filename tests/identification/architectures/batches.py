"""Batches of random texts, padded as training pads them."""

from collections.abc import Sequence

import torch
from torch import Tensor

from identification.architectures.networks.base import Side

WIDTH, LETTERS, TAGS = 12, 9, 47
FIELDS = ("vectors", "mask", "characters", "exact", "tags")


def text(length: int, seed: int, *, n_words: int = 30) -> Side:
    """One text of random words, as a batch of one; the same word has the same vector and characters everywhere."""
    random = torch.Generator().manual_seed(seed)
    table = torch.randn(n_words, WIDTH, generator=torch.Generator().manual_seed(99))
    letters = torch.randint(1, LETTERS + 1, (n_words, 7), generator=torch.Generator().manual_seed(98))
    lengths = torch.arange(n_words) % 7 + 1
    letters = letters * (torch.arange(7) < lengths.unsqueeze(1))
    words = torch.randint(n_words, (1, length), generator=random)
    return Side(
        vectors=table[words],
        mask=torch.ones(1, length, dtype=torch.bool),
        characters=letters[words],
        exact=(words % 2).float(),
        tags=words % TAGS + 1,
    )


def batch(texts: Sequence[Side], longer: int = 0) -> Side:
    """The texts as one batch, padded to the longest and `longer` words more."""
    length = max(side.mask.shape[1] for side in texts) + longer

    def padded(values: Tensor) -> Tensor:
        return torch.cat([values, values.new_zeros(1, length - values.shape[1], *values.shape[2:])], dim=1)

    known = [name for name in FIELDS if getattr(texts[0], name) is not None]
    return Side(**{name: torch.cat([padded(getattr(side, name)) for side in texts]) for name in known})


def rows(side: Side, chosen: Sequence[int]) -> Side:
    """These texts of a batch, in this order."""
    return Side(**{name: getattr(side, name)[list(chosen)] for name in FIELDS})
