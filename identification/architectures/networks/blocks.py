"""Parts that several networks are made of. Masks are bool [batch, T], True at words."""

from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional


class BiLSTM(nn.Module):
    """The states of an LSTM read forwards and of another read backwards; each text's padding is not read.

    The backward one reads texts that were reversed within their lengths: padded batches without packing.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)

    def forward(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Forward and backward states, each [batch, T, hidden], zeros at padding."""
        present = mask.unsqueeze(-1)
        ahead = _read(self.forwards, words)
        back = _read(self.backwards, reverse(words, mask))
        return ahead * present, reverse(back, mask) * present

    def make_orthogonal(self) -> None:
        """Start from orthogonal recurrent weights, gate by gate."""
        for lstm in (self.forwards, self.backwards):
            for gate in lstm.all_weights[0][1].chunk(4):
                nn.init.orthogonal_(gate)

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Both directions' states beside each other, [batch, T, 2 * hidden], zeros at padding."""
        return torch.cat(self(words, mask), dim=-1)

    def ends(self, words: Tensor, mask: Tensor) -> Tensor:
        """The state of each direction after its last word, [batch, 2 * hidden]."""
        ahead, back = self(words, mask)
        return torch.cat([last(ahead, mask), back[:, 0]], dim=-1)


def _read(lstm: nn.LSTM, words: Tensor) -> Tensor:
    """The states of an LSTM; in full precision where a processor has none in half."""
    if words.device.type == "cpu" and torch.is_autocast_enabled("cpu") and not _has_half_lstm():
        with torch.autocast("cpu", enabled=False):
            return lstm(words.float())[0]  # type: ignore[no-any-return]
    return lstm(words)[0]  # type: ignore[no-any-return]


@cache
def _has_half_lstm() -> bool:
    """Whether torch reads an LSTM in bfloat16 on this processor: its library for that knows only some."""
    with torch.random.fork_rng(devices=[]), torch.autocast("cpu", dtype=torch.bfloat16):
        try:
            nn.LSTM(8, 8, batch_first=True)(torch.zeros(1, 2, 8))
        except RuntimeError:
            return False
    return True


def reverse(values: Tensor, mask: Tensor) -> Tensor:
    """The words of each text in reverse order, [batch, T, width]; padding keeps its place."""
    places = torch.arange(mask.shape[1], device=mask.device).expand(mask.shape)
    sources = torch.where(mask, mask.sum(dim=1, keepdim=True) - 1 - places, places)
    return values.gather(1, sources.unsqueeze(-1).expand_as(values))


def last(values: Tensor, mask: Tensor) -> Tensor:
    """The value at each text's last word, [batch, width]."""
    places = (mask.sum(dim=1) - 1).view(-1, 1, 1).expand(-1, 1, values.shape[-1])
    return values.gather(1, places).squeeze(1)


def masked_softmax(logits: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Softmax over the places where `mask` is True; 0 elsewhere. Every slice needs one such place."""
    return logits.masked_fill(~mask, torch.finfo(logits.dtype).min).softmax(dim) * mask


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean over each text's words, [batch, width]."""
    present = mask.unsqueeze(-1)
    return (values * present).sum(dim=1) / present.sum(dim=1)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """The largest value over each text's words, [batch, width]."""
    return values.masked_fill(~mask.unsqueeze(-1), torch.finfo(values.dtype).min).amax(dim=1)


def align(logits: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """How much each word attends to each of the other text, by logits [batch, T1, T2] and both texts' masks.

    The first text's words look over the second's, [batch, T1, T2], and the other way round, [batch, T2, T1]; rows sum
    to 1, and the weights of padding are 0.
    """
    cells = cells_of(first, second)
    return (
        masked_softmax(logits, second.unsqueeze(1)) * cells,
        masked_softmax(logits.transpose(1, 2), first.unsqueeze(1)) * cells.transpose(1, 2),
    )


def mutual_attention(logits: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """The mean of both directions of `align`, [batch, T1, T2]."""
    ahead, back = align(logits, first, second)
    return (ahead + back.transpose(1, 2)) / 2


def cells_of(first: Tensor, second: Tensor) -> Tensor:
    """Whether there is a word on both sides, bool [batch, T1, T2]."""
    return first.unsqueeze(2) & second.unsqueeze(1)


def shorten(values: Tensor, mask: Tensor, longest: int) -> tuple[Tensor, Tensor]:
    """Texts of more than `longest` words as `longest` runs of neighbouring words, each the mean of its words.

    Shorter texts are as they were. Also returns the mask of the words and runs.
    """
    if mask.shape[1] <= longest:
        return values, mask
    members = functional.one_hot(runs(mask, longest), longest).to(values.dtype) * mask.unsqueeze(-1)
    sizes = members.sum(dim=1)
    return members.transpose(1, 2) @ values / sizes.clamp(min=1).unsqueeze(-1), sizes > 0


def runs(mask: Tensor, longest: int) -> Tensor:
    """The number of the run that each word falls in, int64 [batch, T]; in short texts each word is a run of its own."""
    places = torch.arange(mask.shape[1], device=mask.device).expand(mask.shape)
    lengths = mask.sum(dim=1, keepdim=True)
    return torch.where(lengths > longest, places * longest // lengths, places).clamp(max=longest - 1)


class Highway(nn.Module):
    """A layer whose gate decides, dimension by dimension, between what it computes and what it was given."""

    def __init__(self, width: int, activation: nn.Module) -> None:
        super().__init__()
        self.transform = nn.Sequential(nn.Linear(width, width), activation)
        self.gate = nn.Sequential(nn.Linear(width, width), nn.Sigmoid())

    def forward(self, values: Tensor) -> Tensor:
        """Values of the same shape."""
        gate: Tensor = self.gate(values)
        mixed: Tensor = gate * self.transform(values) + (1 - gate) * values
        return mixed
