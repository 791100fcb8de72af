"""The networks of `identification` one pair at a time, in the style of the code that their authors released.

Each function computes a network's logits with the network's own weights from one pair without padding: the slow
reference of `benchmarks.identification`, whose outputs must be equal.
"""

import torch
from torch import Tensor
from torch.nn import functional

from identification.architectures.networks import bimpm, diin, pwim
from identification.architectures.networks.base import Side
from identification.architectures.networks.bimpm import BiMPM
from identification.architectures.networks.blocks import BiLSTM
from identification.architectures.networks.decatt import DecAtt
from identification.architectures.networks.diin import DIIN
from identification.architectures.networks.esim import ESIM
from identification.architectures.networks.pwim import PWIM


def both_ways(lstm: BiLSTM, words: Tensor) -> tuple[Tensor, Tensor]:
    """Forward and backward states [T, hidden] of one text [T, width]."""
    ahead, _ = lstm.forwards(words.unsqueeze(0))
    back, _ = lstm.backwards(words.flip(0).unsqueeze(0))
    return ahead[0], back[0].flip(0)


def cell_by_cell(lstm: BiLSTM, words: Tensor) -> Tensor:
    """States of both directions [T, 2 * hidden], one LSTM cell per word in a Python loop."""
    directions = []
    for layer, sequence in ((lstm.forwards, words), (lstm.backwards, words.flip(0))):
        weights = layer.all_weights[0]
        state = memory = words.new_zeros(1, layer.hidden_size)
        states = []
        for word in sequence:
            state, memory = torch.lstm_cell(word.unsqueeze(0), (state, memory), *weights)
            states.append(state)
        directions.append(torch.cat(states))
    return torch.cat([directions[0], directions[1].flip(0)], dim=1)


def decatt(network: DecAtt, first: Side, second: Side) -> Tensor:
    """Attend, compare, add up, without masks."""
    left, right = (network.project(functional.normalize(side.vectors[0], dim=1)) for side in (first, second))
    attention = network.attend(left) @ network.attend(right).t()
    compared = network.compare(torch.cat([left, attention.softmax(1) @ right], dim=1)).sum(dim=0)
    back = network.compare(torch.cat([right, attention.t().softmax(1) @ left], dim=1)).sum(dim=0)
    return network.aggregate(torch.cat([compared, back]).unsqueeze(0))


def esim(network: ESIM, first: Side, second: Side) -> Tensor:
    """Two LSTMs, word by word."""
    left, right = (cell_by_cell(network.read, side.vectors[0]) for side in (first, second))
    attention = left @ right.t()
    pooled = []
    for words, attended in ((left, attention.softmax(1) @ right), (right, attention.t().softmax(1) @ left)):
        enhanced = network.project(torch.cat([words, attended, words * attended, words - attended], dim=1))
        states = cell_by_cell(network.compose, enhanced)
        pooled += [states.mean(dim=0), states.amax(dim=0)]
    return network.classify(torch.cat(pooled).unsqueeze(0))


def pwim_cube(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """The twelve maps [12, T1, T2]; the vectors of each cell are copied to the end of a growing list, cell by cell."""
    views = [
        (first[0], second[0]), (first[1], second[1]), (first[0] + first[1], second[0] + second[1]),
        (torch.cat(first, dim=1), torch.cat(second, dim=1)),
    ]  # fmt: skip
    shape = len(first[0]), len(second[0])
    maps = []
    for left, right in views:
        lefts, rights = left[:1], right[:1]
        for i in range(shape[0]):
            for j in range(shape[1]):
                if i or j:
                    lefts = torch.cat([lefts, left[i : i + 1]])
                    rights = torch.cat([rights, right[j : j + 1]])
        maps.append(functional.cosine_similarity(lefts, rights).view(shape))
        maps.append(-functional.pairwise_distance(lefts, rights, eps=0).view(shape))
        maps.append(left @ right.t())
    return torch.stack(maps)


def pwim_weights(maps: Tensor) -> Tensor:
    """The weight of each pair of words [T1, T2]: all cells from the best down, in Python, by cosine and by distance."""
    weights = torch.full(maps.shape[1:], pwim.UNCHOSEN)
    for similarities in (maps[6], maps[7]):
        rows, columns = torch.zeros(maps.shape[1]), torch.zeros(maps.shape[2])
        rounded = similarities.detach().round(decimals=pwim.TIE_DECIMALS).flatten()
        for place in rounded.argsort(descending=True, stable=True):
            i, j = int(place) // maps.shape[2], int(place) % maps.shape[2]
            if rows[i] + columns[j] <= 0:
                rows[i] = columns[j] = weights[i, j] = 1
    return weights


def pwim_pair(network: PWIM, first: Side, second: Side) -> Tensor:
    """Maps cell by cell, padded to 48 x 48 words whatever the length; what is padding is zero after each layer."""
    maps = pwim_cube(*(both_ways(network.lstm, side.vectors[0]) for side in (first, second)))
    cube = torch.cat([maps * pwim_weights(maps), torch.ones_like(maps[:1])])
    padding = (0, network.longest - cube.shape[2], 0, network.longest - cube.shape[1])
    image = functional.pad(cube, padding).unsqueeze(0)
    cells = functional.pad(torch.ones_like(maps[:1]), padding).unsqueeze(0)
    for layer, convolution in enumerate(network.convolutions):
        size = 3 if layer == len(network.convolutions) - 1 else 2
        image = functional.max_pool2d(convolution(image).relu() * cells, size, ceil_mode=True)
        cells = functional.max_pool2d(cells, size, ceil_mode=True)
    return network.classify(image.flatten(1))


def bimpm_match(match: bimpm.Match, words: Tensor, others: Tensor, end: Tensor | None = None) -> Tensor:
    """The matches of one text's words [T1, 8 or 14], with every word laid beside every other, and each perspective."""
    left, right = words.unsqueeze(1), others.unsqueeze(0)
    cosines = functional.cosine_similarity(left, right, dim=2)
    attention = (match.attend(words).tanh() * match.diagonal) @ match.attend(others).tanh().t()
    targets = [attention.softmax(1) @ others] + ([] if end is None else [end.expand_as(words)])
    results = [cosines.amax(dim=1, keepdim=True), cosines.mean(dim=1, keepdim=True)]
    for target, weights in zip(targets, match.perspectives, strict=True):
        views = words.unsqueeze(1) * weights, target.unsqueeze(1) * weights
        results += [functional.cosine_similarity(*views, dim=2)]
        results += [functional.cosine_similarity(words, target, dim=1).unsqueeze(1)]
    return torch.cat(results, dim=1)


def bimpm_pair(network: BiMPM, first: Side, second: Side) -> Tensor:
    """Spell, read, match both ways, read the matches."""
    texts = []
    for side in (first, second):
        spelled = []
        for word in side.characters[0]:
            ahead, back = both_ways(network.spell, network.characters(word[word > 0].unsqueeze(0))[0])
            spelled.append(torch.cat([ahead[-1], back[0]]))
        words = network.mix(torch.cat([side.vectors[0], torch.stack(spelled)], dim=1))
        texts.append((words, *both_ways(network.read, words)))
    encodings = []
    for half, (text, right) in zip(network.sides, (texts, texts[::-1]), strict=True):
        matches = [
            bimpm_match(half.match_words, text[0], right[0]),
            bimpm_match(half.match_ahead, text[1], right[1], right[1][-1:]),
            bimpm_match(half.match_back, text[2], right[2], right[2][:1]),
        ]
        ahead, back = both_ways(half.aggregate, half.mix(torch.cat(matches, dim=1)))
        encodings += [ahead[-1], back[0]]
    return network.classify(torch.cat(encodings).unsqueeze(0))


def diin_self_attention(attention: diin.SelfAttention, words: Tensor) -> Tensor:
    """Words in their context, by the linear form over both words and their product for every pair [T, T, 3 * width]."""
    rows, columns = words.unsqueeze(1).expand(-1, len(words), -1), words.unsqueeze(0).expand(len(words), -1, -1)
    attended = attention.logits(torch.cat([rows, columns, rows * columns], dim=2))[..., 0].softmax(1) @ words
    new, keep, take = (attention.own(words) + attention.attended(attended)).chunk(3, dim=1)
    return keep.sigmoid() * words + take.sigmoid() * new.tanh()


def diin_pair(network: DIIN, first: Side, second: Side) -> Tensor:
    """A picture of 48 x 48 words whatever the length; what is padding is zero after each layer."""
    encoded = []
    for side, context in zip((first, second), network.contexts, strict=True):
        tags = torch.zeros(side.mask.shape[1], diin.TAGS)
        parts = [side.vectors[0], network.spell(side)[0], tags, side.exact[0].unsqueeze(1)]
        words = diin_self_attention(context, network.mix(torch.cat(parts, dim=1)))
        encoded.append(functional.pad(words, (0, 0, 0, diin.MAX_WORDS - len(words))))
    cells = torch.outer(*(_words(side) for side in (first, second))).view(1, 1, diin.MAX_WORDS, diin.MAX_WORDS)
    product = encoded[0].unsqueeze(1) * encoded[1].unsqueeze(0)
    picture = network.project(product).permute(2, 0, 1).unsqueeze(0) * cells
    for block in network.blocks:
        for layer in block.layers:
            picture = torch.cat([picture, layer(picture).relu() * cells], dim=1)
        picture, cells = functional.max_pool2d(block.halve(picture) * cells, 2), functional.max_pool2d(cells, 2)
    return network.classify(picture.flatten(1))


def _words(side: Side) -> Tensor:
    return (torch.arange(diin.MAX_WORDS) < side.mask.shape[1]).float()
