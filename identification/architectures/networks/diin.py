"""DIIN: Gong, Luo and Zhang 2018. At width 300: 4,363,935 parameters and 8 per character.

The product of every two words is a picture with one channel per dimension, and a dense convolutional network looks at
it.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from identification.architectures.networks.base import PairNetwork, Recipe, Side
from identification.architectures.networks.blocks import Highway, cells_of, masked_softmax, shorten
from identification.architectures.networks.spelling import Characters, distinct_words

CHARACTER_WIDTH, FILTERS, WINDOW = 8, 100, 5
TAGS = 47
MAX_WORDS = 48
"""The picture is 48 x 48 words."""
BATCH_CELLS = 18_432
"""Of the pictures that are in memory together: eight of 48 x 48 words, or a whole batch of short texts."""
BLOCKS, LAYERS, GROWTH = 3, 8, 20
POOLED = 2**BLOCKS
"""How many words of a side one cell covers in the end."""


class Spelling(nn.Module):
    """The highest answer of each filter to any place in a word; a place is a character and the four that follow it."""

    def __init__(self, n_characters: int) -> None:
        super().__init__()
        self.characters = Characters(n_characters, CHARACTER_WIDTH)
        self.filters = nn.Conv1d(CHARACTER_WIDTH, FILTERS, WINDOW)

    def forward(self, side: Side) -> Tensor:
        """Answers [batch, T, 100]; zeros for a word without characters."""
        words, rows = distinct_words(side)
        characters = functional.pad(self.characters(words).transpose(1, 2), (0, WINDOW - 1))
        answers = self.filters(characters).relu() * (words > 0).unsqueeze(1)
        highest: Tensor = answers.amax(dim=2)
        return highest[rows]


class SelfAttention(nn.Module):
    """Each word, and what it attends to in its own text, in shares that gates decide."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.logits = nn.Linear(3 * width, 1)
        self.own = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, 3 * width)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Words [batch, T, width] in their context; zeros at padding."""
        _, attended_to, both = self.logits.weight.view(3, -1)
        logits = (words * both + attended_to) @ words.transpose(1, 2)
        attended = masked_softmax(logits, mask.unsqueeze(1)) @ words
        new, keep, take = (self.own(words) + self.attended(attended)).chunk(3, dim=-1)
        fused: Tensor = keep.sigmoid() * words + take.sigmoid() * new.tanh()
        return fused * mask.unsqueeze(-1)


class DenseBlock(nn.Module):
    """Eight convolutions, each over all channels before it; then half as many channels and a quarter of the cells."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        sizes = [channels + GROWTH * layer for layer in range(LAYERS + 1)]
        self.layers = nn.ModuleList(nn.Conv2d(size, GROWTH, 3, padding=1) for size in sizes[:-1])
        self.channels = sizes[-1] // 2
        self.halve = nn.Conv2d(sizes[-1], self.channels, 1)

    def forward(self, picture: Tensor, cells: Tensor) -> tuple[Tensor, Tensor]:
        """A picture of half the height and width, and its cells; zeros where `cells` [batch, 1, T1, T2] is 0."""
        halved = self.halve(torch.cat(self._grow(picture, cells), dim=1)) * cells
        return _halve(halved), _halve(cells)

    def _grow(self, picture: Tensor, cells: Tensor) -> list[Tensor]:
        """The picture and the channels of each layer.

        A convolution over all channels before it is the sum of convolutions over each part of them. So each part is
        read once for all layers that follow, which is faster than 20 channels at a time.
        """
        weights, biases = (tuple(layer.get_parameter(name) for layer in self.layers) for name in ("weight", "bias"))
        parts, seen, sums = [picture], 0, torch.cat(biases).view(1, -1, 1, 1)
        for place in range(LAYERS):
            newest = parts[-1]
            reading = slice(seen, seen + newest.shape[1])
            following = torch.cat([weight[:, reading] for weight in weights[place:]])
            sums = sums + functional.conv2d(newest, following, padding=1)
            parts.append(sums[:, :GROWTH].relu() * cells)
            sums, seen = sums[:, GROWTH:], reading.stop
        return parts


def _halve(picture: Tensor) -> Tensor:
    """The highest of every 2 x 2 cells; zeros complete an odd height or width."""
    height, width = picture.shape[2:]
    return functional.max_pool2d(_fill(picture, height + height % 2, width + width % 2), 2)


class DIIN(PairNetwork):
    """The released network; a batch of short texts is a small picture, which zeros complete to 48 x 48 words."""

    paper = "Gong, Luo, Zhang 2018, Natural Language Inference over Interaction Space"
    deviations = (
        "In the released code padding takes part in the picture. Here it is zero before and after each convolution, so"
        " that its amount does not matter and short texts need a small picture.",
        "The released code cuts texts after 48 words. Here a longer one takes part as 48 runs of neighbouring words,"
        " each with the mean of its words' encodings.",
        "Parts of speech (47 tags, downloaded with the released data) are an optional input: without Side.tags they are"
        " zeros, and the weights that read them do not learn.",
        "A word's spelling is read from each of its characters on; the released code cuts after 16 and reads padding.",
        "Dropout, in the released code none at first and 2.3 % after 10,000 steps, the growing penalty on weights and"
        " the penalty on the difference of both sides' attention are left out.",
        "The released code trains the word vectors as well (a flag whose meaning is inverted); its script for Quora"
        " needs a file that was not released.",
        "Of the linear form over both words and their product, the part of the attending word and the bias move no"
        " softmax: they are counted but not computed.",
        "PAWS prints 590 thousand parameters for an implementation of its own, and the paper on shared words 42.8"
        " million with word vectors; neither can be derived.",
    )
    recipe = Recipe(optimizer="adadelta", learning_rate=0.5, batch_size=70, epochs=300, clip_norm=1.0, longest=48)
    needs_characters = True
    needs_exact = True
    trains_vectors = True
    without_gradient = ("contexts.0.logits.bias", "contexts.1.logits.bias")

    def __init__(self, width: int, n_characters: int = 100) -> None:
        super().__init__()
        encoded = width + FILTERS + TAGS + 1
        self.spell = Spelling(n_characters)
        self.mix = nn.Sequential(Highway(encoded, nn.ReLU()), Highway(encoded, nn.ReLU()))
        self.contexts = nn.ModuleList(SelfAttention(encoded) for _ in range(2))
        self.project = nn.Linear(encoded, int(0.3 * encoded))
        channels, blocks = self.project.out_features, []
        for _ in range(BLOCKS):
            blocks.append(DenseBlock(channels))
            channels = blocks[-1].channels
        self.blocks = nn.ModuleList(blocks)
        self.classify = nn.Linear(channels * (MAX_WORDS // POOLED) ** 2, 2)

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        (left, left_mask), (right, right_mask) = (
            shorten(context(self._encode(side), side.mask), side.mask, MAX_WORDS)
            for context, side in zip(self.contexts, (first, second), strict=True)
        )
        cells = cells_of(left_mask, right_mask).unsqueeze(1)
        picture = self.project(left.unsqueeze(2) * right.unsqueeze(1)).permute(0, 3, 1, 2)
        picture, cells = picture * cells, cells.to(picture.dtype)
        for block in self.blocks:
            picture, cells = block(picture, cells)
        logits: Tensor = self.classify(_fill(picture, MAX_WORDS // POOLED, MAX_WORDS // POOLED).flatten(1))
        return logits

    def count_at_once(self, n_pairs: int, longest: tuple[int, int]) -> int:
        """As many as `BATCH_CELLS` are enough for, at least one."""
        height, width = (min(words, MAX_WORDS) for words in longest)
        return min(n_pairs, max(1, BATCH_CELLS // (height * width)))

    def _encode(self, side: Side) -> Tensor:
        if side.exact is None:
            raise TypeError("this network reads which words occur in the other text: Side.exact is needed")
        tags = torch.zeros_like(side.mask, dtype=torch.int64) if side.tags is None else side.tags
        one_hot = functional.one_hot(tags, TAGS + 1)[:, :, 1:].to(side.vectors.dtype)
        parts = [side.vectors, self.spell(side), one_hot, side.exact.unsqueeze(-1)]
        words: Tensor = self.mix(torch.cat(parts, dim=-1)) * side.mask.unsqueeze(-1)
        return words


def _fill(picture: Tensor, height: int, width: int) -> Tensor:
    """The picture with zeros below and to the right of it."""
    return functional.pad(picture, (0, width - picture.shape[3], 0, height - picture.shape[2]))
