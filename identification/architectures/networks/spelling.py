"""Words by their characters, for the networks that spell."""

import torch
from torch import Tensor, nn

from identification.architectures.networks.base import Side


class Characters(nn.Module):
    """A learned vector per character, numbered from 1 to `n_characters`; 0 is padding and gets zeros."""

    def __init__(self, n_characters: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(n_characters, width)

    def forward(self, words: Tensor) -> Tensor:
        """Vectors [words, C, width] of the characters of words [words, C]."""
        vectors: Tensor = self.table((words - 1).clamp(min=0)) * (words > 0).unsqueeze(-1)
        return vectors


def distinct_words(side: Side) -> tuple[Tensor, Tensor]:
    """The distinct words as characters, int64 [words, C], and the row of each word there, [batch, T]."""
    if side.characters is None:
        raise TypeError("this network reads the characters of each word: Side.characters is needed")
    words, rows = torch.unique(side.characters.flatten(0, 1), dim=0, return_inverse=True)
    return words, rows.view(side.mask.shape)
