"""Pairwise word interaction: He and Lin 2016. 2,161,830 parameters at width 300.

Every word of one text meets every word of the other in 13 maps of similarity; a greedy search gives weight to the
pairs of words that belong together, and a small image network looks at the maps.
"""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import AligningNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM, cells_of, runs, shorten

CHANNELS = (13, 128, 164, 192, 192, 128)
UNCHOSEN = 0.1
"""The weight of a pair of words that the search has not chosen; a chosen one has 1."""
TIE_DECIMALS = 4
"""Similarities that agree to this many decimal places are a tie: the earlier words are chosen."""


class PWIM(AligningNetwork):
    """Similarity maps of BiLSTM states with focus, and five convolutions."""

    paper = "He, Lin 2016, Pairwise Word Interaction Modeling with Deep Neural Networks for Semantic Similarity"
    deviations = (
        "SPM_toolkit pads the maps to 48 x 48 words with zeros, which its convolutions turn into something else. Here"
        " padding is set to zero after each convolution, so that its amount does not matter.",
        "SPM_toolkit cuts texts of more than 48 words without notice. Here such a text takes part as 48 runs of"
        " neighbouring words, each with the mean of its words' states.",
        "In the second search, by distance, SPM_toolkit passes over pairs that the first one chose and leaves their"
        " rows and columns free. Here each search is greedy for itself, and a pair that either chose has weight 1.",
        "Similarities are compared to four decimal places: otherwise rounding in another batch would break ties.",
        "Map 13 has weight 1 everywhere, as in SPM_toolkit. Its layers that nothing uses are left out.",
        "SPM_toolkit chooses the epoch on the test set, twice per epoch.",
    )
    recipe = Recipe(
        optimizer="rmsprop", learning_rate=1e-4, batch_size=32, epochs=20, loss="multi-margin", reduction="sum",
        longest=48,
    )  # fmt: skip

    def __init__(self, width: int, hidden: int = 250, longest: int = 48) -> None:
        """`hidden`: dimensions of the state of each direction; `longest`: words beyond which runs are formed."""
        super().__init__()
        self.longest = longest
        self.lstm = BiLSTM(width, hidden)
        convolutions = [nn.Conv2d(*sizes, 3, padding=1) for sizes in pairwise(CHANNELS)]
        hidden_layer, output = nn.Linear(CHANNELS[-1], 128), nn.Linear(128, 2)
        for convolution in convolutions:
            nn.init.normal_(convolution.weight, 0, math.sqrt(2 / (9 * convolution.out_channels)))
        for layer in (hidden_layer, output):
            nn.init.uniform_(layer.weight, -0.1, 0.1)
        self.convolutions = nn.ModuleList(convolutions)
        self.classify = nn.Sequential(hidden_layer, nn.ReLU(), output)

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        (left, left_mask), (right, right_mask) = (self._states(side) for side in (first, second))
        cells = cells_of(left_mask, right_mask)
        maps = similarity_maps(left, right)
        weights = torch.where(focus(maps, cells), 1.0, UNCHOSEN).unsqueeze(1)
        cube = torch.cat([maps * weights, torch.ones_like(weights)], dim=1)
        logits: Tensor = self.classify(self._look(cube, cells.unsqueeze(1).to(cube.dtype)))
        return logits

    def alignment(self, first: Side, second: Side) -> Tensor:
        """The cosine of the summed states where it is positive, weighted as in the maps."""
        (left, left_mask), (right, right_mask) = (self._states(side) for side in (first, second))
        maps = similarity_maps(left, right)
        chosen = focus(maps, cells_of(left_mask, right_mask))
        short = maps[:, 6].clamp(0, 1) * torch.where(chosen, 1.0, UNCHOSEN)
        rows, columns = (runs(side.mask, self.longest) for side in (first, second))
        wide = short.gather(1, rows.unsqueeze(2).expand(-1, -1, short.shape[2]))
        cells = wide.gather(2, columns.unsqueeze(1).expand(-1, wide.shape[1], -1))
        return cells * cells_of(first.mask, second.mask)

    def _states(self, side: Side) -> tuple[Tensor, Tensor]:
        return shorten(self.lstm.states(side.vectors, side.mask), side.mask, self.longest)

    def _look(self, cube: Tensor, cells: Tensor) -> Tensor:
        """What the convolutions make of the maps [batch, 13, T1, T2] where `cells` is 1: [batch, 128]."""
        image = cube * cells
        for convolution in self.convolutions[:-1]:
            image = functional.max_pool2d(convolution(image).relu() * cells, 2, ceil_mode=True)
            cells = functional.max_pool2d(cells, 2, ceil_mode=True)
        last: Tensor = self.convolutions[-1](image).relu() * cells
        return last.amax(dim=(2, 3))


def similarity_maps(left: Tensor, right: Tensor) -> Tensor:
    """Cosine, negative distance and product of each pair of words in four views of their states, [batch, 12, T1, T2].

    The states [batch, T, 2 * hidden] are from both directions; the views are forwards, backwards, the sum of both,
    and both beside each other.
    """
    (left_ahead, left_back), (ahead, back) = left.chunk(2, dim=-1), right.chunk(2, dim=-1)
    views = ((left_ahead, ahead), (left_back, back), (left_ahead + left_back, ahead + back), (left, right))
    return torch.stack([similarity for view in views for similarity in _similarities(*view)], dim=1)


def _similarities(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    products = left @ right.transpose(1, 2)
    cosines = functional.normalize(left, dim=-1) @ functional.normalize(right, dim=-1).transpose(1, 2)
    distances = torch.cdist(left, right, compute_mode="donot_use_mm_for_euclid_dist")
    return cosines, -distances, products


def focus(maps: Tensor, cells: Tensor) -> Tensor:
    """Whether a pair of words is chosen by the cosine or by the distance of the summed states, bool [batch, T1, T2]."""
    with torch.no_grad():
        similarities = torch.cat([maps[:, 6], maps[:, 7]]).round(decimals=TIE_DECIMALS)
        by_cosine, by_distance = choose(similarities, torch.cat([cells, cells])).chunk(2)
        return by_cosine | by_distance


def choose(similarities: Tensor, cells: Tensor) -> Tensor:
    """The pairs of words that a greedy search takes, best first, each word once: bool [batch, T1, T2].

    All pairs of texts take their next pair of words at the same time.
    """
    free = similarities.masked_fill(~cells, -math.inf)
    chosen = torch.zeros_like(cells)
    texts = torch.arange(len(cells), device=cells.device)
    for _ in range(min(cells.shape[1:])):
        best = free.flatten(1).argmax(dim=1)
        rows, columns = best // cells.shape[2], best % cells.shape[2]
        chosen[texts, rows, columns] |= free[texts, rows, columns] > -math.inf
        free[texts, rows] = -math.inf
        free[texts, :, columns] = -math.inf
    return chosen
