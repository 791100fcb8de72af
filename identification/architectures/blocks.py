"""Parts that several networks are made of. Masks are bool [batch, T], True at words."""

import torch
from torch import Tensor, nn


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
        there = mask.unsqueeze(-1)
        ahead, _ = self.forwards(words)
        back, _ = self.backwards(reverse(words, mask))
        return ahead * there, reverse(back, mask) * there

    def states(self, words: Tensor, mask: Tensor) -> Tensor:
        """Both directions' states beside each other, [batch, T, 2 * hidden], zeros at padding."""
        return torch.cat(self(words, mask), dim=-1)

    def ends(self, words: Tensor, mask: Tensor) -> Tensor:
        """The state of each direction after its last word, [batch, 2 * hidden]."""
        ahead, back = self(words, mask)
        return torch.cat([last(ahead, mask), back[:, 0]], dim=-1)


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
    there = mask.unsqueeze(-1)
    return (values * there).sum(dim=1) / there.sum(dim=1)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """The largest value over each text's words, [batch, width]."""
    return values.masked_fill(~mask.unsqueeze(-1), torch.finfo(values.dtype).min).amax(dim=1)
