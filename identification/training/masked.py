"""Train a masked language model on texts of one's own speciality: a head, and the encoder below it."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from data.console.errors import TableError
from data.console.messages import progress
from data.models.pretrained import quiet
from identification.architectures import masked
from identification.architectures.model import Numbers
from identification.config import Machine, MaskedTraining
from identification.training.epochs.machine import Device, choose_device

HIDDEN, REPLACED, LEFT = 0.15, 0.1, 0.1
"""Devlin et al. 2019, section 3.1: 15 % of the pieces are predicted; a tenth of these is replaced, a tenth left."""
HELD_OUT = 512
"""Windows, at most a tenth of all, that are not learned from."""
WARM_UP = 0.05
UNSEEN = -100
MIN_WINDOWS = 20
"""Windows below which nothing can be learned."""


def train(
    encoder: str, texts: Sequence[str], config: MaskedTraining, machine: Machine
) -> tuple[Any, Any, dict[str, float]]:
    """The trained model, its tokenizer, and what it reaches on windows that it has not seen (`measure`).

    The encoder is a folder, a name or `minilm`; its word embeddings stay as they are, and the head shares them. The
    same texts, seed, device and threads give the same weights. Raises InputError where the encoder or device cannot be
    used, TableError where there are too few texts.
    """
    started = time.process_time()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        place = choose_device(machine, pays=True)
        model, tokenizer, _ = masked.read(encoder)
        model.to(place.device)
        if tokenizer.mask_token is None:
            raise masked.unusable(encoder, "a tokenizer without a mask")
        rng = np.random.default_rng(config.seed)
        windows = rng.permutation(pack(tokenizer, texts, config.window))
        n_held_out = min(HELD_OUT, len(windows) // 10)
        if len(windows) < MIN_WINDOWS:
            raise TableError("texts", expected=f"{MIN_WINDOWS * config.window:,} tokens", found=f"{windows.size:,}",
                             remedy="give more --texts")  # fmt: skip
        _fit(model, tokenizer, windows[n_held_out:], config, place)
        measured = measure(model, tokenizer, windows[:n_held_out], config.seed)
    return model, tokenizer, {**measured, "windows": len(windows), "seconds": time.process_time() - started}


def pack(tokenizer: Any, texts: Sequence[str], size: int) -> Numbers:
    """The tokens of all texts, one after the other with a separator between, cut into windows: [windows, size]."""
    separator = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
    rows: list[int] = []
    with quiet():
        for start in range(0, len(texts), 1000):
            for ids in tokenizer(list(texts[start : start + 1000]), add_special_tokens=False)["input_ids"]:
                rows += [*ids, separator]
    n = len(rows) // size
    return np.array(rows[: n * size], dtype=np.int64).reshape(n, size)


def hide(windows: Numbers, tokenizer: Any, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """The windows with some pieces hidden, and what was there (`UNSEEN` elsewhere)."""
    special = np.isin(windows, tokenizer.all_special_ids)
    chosen = (rng.random(windows.shape) < HIDDEN) & ~special
    kind = rng.random(windows.shape)
    shown = np.where(chosen & (kind >= REPLACED + LEFT), tokenizer.mask_token_id, windows)
    replaced = chosen & (kind < REPLACED)
    shown = np.where(replaced, rng.integers(0, len(tokenizer), windows.shape), shown)
    return torch.from_numpy(shown), torch.from_numpy(np.where(chosen, windows, UNSEEN))


def _fit(model: Any, tokenizer: Any, windows: Numbers, config: MaskedTraining, place: Device) -> None:
    model.get_input_embeddings().weight.requires_grad_(False)
    model.set_attn_implementation("eager")
    model.train()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], weight_decay=0.01)
    rng = np.random.default_rng([config.seed, 1])
    rising = max(1, round(WARM_UP * config.steps))
    for step in progress(range(config.steps), label="masked language model", unit="steps", total=config.steps):
        rate = config.learning_rate * min((step + 1) / rising, (config.steps - step) / max(1, config.steps - rising))
        for group in optimizer.param_groups:
            group["lr"] = rate
        rows = windows[rng.integers(0, len(windows), config.batch_size)]
        shown, hidden = hide(rows, tokenizer, rng)
        with place.computing():
            loss = functional.cross_entropy(*_predict(model, shown, hidden))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()


def _predict(model: Any, shown: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """Logits of the hidden pieces alone, and what they are."""
    shown, hidden = shown.to(model.device), hidden.to(model.device)
    rows = hidden != UNSEEN
    head = masked.find_head(model)
    if head is None:
        logits = model(input_ids=shown).logits[rows]
    else:
        logits = head(model.base_model(input_ids=shown).last_hidden_state[rows])
    return logits.float(), hidden[rows]


def measure(model: Any, tokenizer: Any, windows: Numbers, seed: int) -> dict[str, float]:
    """Perplexity of the hidden pieces, and the share of them that is among the first 1, 5 and 25 guesses."""
    rng, losses, ranks = np.random.default_rng([seed, 2]), [], []
    for start in range(0, len(windows), 32):
        with torch.inference_mode():
            logits, truth = _predict(model, *hide(windows[start : start + 32], tokenizer, rng))
        losses.append(functional.cross_entropy(logits, truth, reduction="none"))
        ranks.append((logits > logits.gather(1, truth[:, None])).sum(dim=1))
    rank = torch.cat(ranks)
    shares = {f"top_{n}": float((rank < n).double().mean()) for n in (1, 5, 25)}
    return {"perplexity": float(torch.cat(losses).mean().exp()), **shares, "pieces": len(rank)}
