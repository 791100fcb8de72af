"""BiMPM: Wang, Hamza and Florian 2017. At width 300: 1,388,630 parameters and 20 per character.

Each word is matched with the other text from several perspectives, as a word and as a state of a BiLSTM; a second
BiLSTM reads the matches.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import PairNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM, Highway, cells_of, last, masked_softmax
from identification.architectures.networks.spelling import Characters, distinct_words

CHARACTER_WIDTH, CHARACTER_HIDDEN = 20, 40
ATTENTION_WIDTH = 50
PERSPECTIVES, STATISTICS = 5, 2
DROPOUT = 0.1
MIN_NORM = 1e-3


class Match(nn.Module):
    """How well the words or states of one text fit the other's.

    Their highest and mean cosine with the other text's; and, in five perspectives and plainly, the cosine with what
    each attends to there and, where `whole`, with the last state there.
    """

    def __init__(self, width: int, *, whole: bool) -> None:
        super().__init__()
        self.attend = nn.Linear(width, ATTENTION_WIDTH, bias=False)
        self.diagonal = nn.Parameter(torch.ones(ATTENTION_WIDTH))
        self.perspectives = nn.ParameterList(
            nn.init.xavier_uniform_(torch.empty(PERSPECTIVES, width)) for _ in range(1 + whole)
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, words: Tensor, others: Tensor, cells: Tensor, end: Tensor | None = None) -> Tensor:
        """Matches [batch, T1, 8 or 14] of words [batch, T1, width]; `cells` as in `blocks.cells_of`."""
        cosines = functional.normalize(words, dim=-1) @ functional.normalize(others, dim=-1).transpose(1, 2)
        present = cells.any(dim=2, keepdim=True)
        best = cosines.masked_fill(~cells, -1).amax(dim=2, keepdim=True) * present
        mean = (cosines * cells).sum(dim=2, keepdim=True) / cells.sum(dim=2, keepdim=True).clamp(min=1)
        attended = masked_softmax(self._attention(words, others), cells) @ others
        targets = [attended] if end is None else [attended, end.unsqueeze(1).expand_as(words)]
        pairs = zip(targets, self.perspectives, strict=True)
        return torch.cat([best, mean, *(self._compare(words, target, weights) for target, weights in pairs)], dim=-1)

    def _attention(self, words: Tensor, others: Tensor) -> Tensor:
        left, right = (self.attend(self.dropout(side)).tanh() for side in (words, others))
        logits: Tensor = (left * self.diagonal) @ right.transpose(1, 2)
        return logits

    def _compare(self, words: Tensor, target: Tensor, weights: Tensor) -> Tensor:
        """Cosines [batch, T, 6] of words and target: each perspective weights the dimensions, the last one equally."""
        squares = torch.cat([weights**2, torch.ones_like(weights[:1])]).t()
        norms = (words**2 @ squares).clamp(min=MIN_NORM**2) * (target**2 @ squares).clamp(min=MIN_NORM**2)
        cosines: Tensor = (words * target) @ squares / norms.sqrt()
        return cosines


@dataclass(frozen=True)
class Encoded:
    """One text of each pair: its words, its states in both directions, its mask."""

    words: Tensor
    ahead: Tensor
    back: Tensor
    mask: Tensor


class MatchedSide(nn.Module):
    """One text of each pair, matched with the other and read by a BiLSTM."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.match_words = Match(width, whole=False)
        self.match_ahead, self.match_back = Match(hidden, whole=True), Match(hidden, whole=True)
        n_matches = STATISTICS + PERSPECTIVES + 1 + 2 * (STATISTICS + 2 * (PERSPECTIVES + 1))
        self.mix = Highway(n_matches, nn.Tanh())
        self.aggregate = BiLSTM(n_matches, hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, text: Encoded, other: Encoded) -> Tensor:
        """The encoding of the text beside the other, [batch, 2 * hidden]."""
        cells = cells_of(text.mask, other.mask)
        matches = [
            self.match_words(text.words, other.words, cells),
            self.match_ahead(text.ahead, other.ahead, cells, last(other.ahead, other.mask)),
            self.match_back(text.back, other.back, cells, other.back[:, 0]),
        ]
        mixed = self.mix(self.dropout(torch.cat(matches, dim=-1)))
        return self.aggregate.ends(self.dropout(mixed), text.mask)


class BiMPM(PairNetwork):
    """The network of the released configuration for Quora: full and attentive matching."""

    paper = "Wang, Hamza, Florian 2017, Bilateral Multi-Perspective Matching for Natural Language Sentences"
    deviations = (
        "The released configuration is followed where the paper differs: full and attentive matching only, five"
        " perspectives instead of 20, highway layers, attention through 50 dimensions, two statistics of the cosines.",
        "The released code multiplies logits by the mask before its softmax, so that padding draws attention; takes"
        " mean and maximum of the cosines over padding; turns padding into something else in its highway layers; and"
        " starts to read backwards in the padding (issue 32). Masked here.",
        "The released perspectives are tanh of a weighted dot product. Here they are cosines, as in the paper.",
        "A word without characters has zeros for its spelling.",
    )
    recipe = Recipe(optimizer="adam", learning_rate=5e-4, batch_size=60, epochs=20, clip_norm=10.0, longest=50)
    needs_characters = True

    def __init__(self, width: int, n_characters: int = 100, hidden: int = 100) -> None:
        """`hidden`: dimensions of the state of each direction, in both BiLSTMs."""
        super().__init__()
        spelled = width + 2 * CHARACTER_HIDDEN
        self.characters = Characters(n_characters, CHARACTER_WIDTH)
        self.spell = BiLSTM(CHARACTER_WIDTH, CHARACTER_HIDDEN)
        self.mix = Highway(spelled, nn.Tanh())
        self.read = BiLSTM(spelled, hidden)
        self.sides = nn.ModuleList(MatchedSide(spelled, hidden) for _ in range(2))
        self.classify = nn.Sequential(
            Highway(4 * hidden, nn.Tanh()), nn.Linear(4 * hidden, 2 * hidden), nn.Tanh(), nn.Dropout(DROPOUT),
            nn.Linear(2 * hidden, 2),
        )  # fmt: skip
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        left, right = self._encode(first), self._encode(second)
        encodings = self.sides[0](left, right), self.sides[1](right, left)
        logits: Tensor = self.classify(torch.cat(encodings, dim=-1))
        return logits

    def _encode(self, side: Side) -> Encoded:
        words = self.mix(self.dropout(torch.cat([side.vectors, self._spellings(side)], dim=-1)))
        words = words * side.mask.unsqueeze(-1)
        ahead, back = self.read(self.dropout(words), side.mask)
        return Encoded(words, ahead, back, side.mask)

    def _spellings(self, side: Side) -> Tensor:
        """The last states of a BiLSTM over each word's characters, [batch, T, 80]: each distinct word is read once."""
        words, rows = distinct_words(side)
        mask = words > 0
        spelled = mask.any(dim=1, keepdim=True)
        mask[:, 0] = True
        return (self.spell.ends(self.dropout(self.characters(words)), mask) * spelled)[rows]
