"""Small judges trained on the user's machine from the released labels and scores: stand-ins for the real models."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional

from data.measures.agreement import Reals
from data.models.pretrained import PAIRS, open_pretrained, quiet
from paraphrase_game.config import TrainingRule

Watch = Callable[..., Iterator[Any]]

MAX_TOKENS = 96
"""Tokens of a pair; what follows is cut."""
SIMILARITY_WEIGHT = 1.0
"""Of the squared error of BLEURT beside the cross entropy of MI."""


def train(
    human: pd.DataFrame, machine: pd.DataFrame, rule: TrainingRule, encoder: str, watch: Watch
) -> tuple[Any, Any]:
    """A sequence classifier and its tokenizer; its three outputs: no mutual implication, mutual implication, BLEURT.

    `human`, `machine`: first, second, mi (0, 1), bleurt. The encoder learns both tasks, first from the machine's
    attempts, then from people's. The order of the two texts is drawn again in each epoch.
    """
    torch.manual_seed(rule.seed)
    options: dict[str, Any] = {"num_labels": 3, "dtype": torch.float32, "attn_implementation": "eager"}
    found = open_pretrained(encoder, PAIRS, f"--encoder {encoder}", **options)
    model, tokenizer = found.model, found.tokenizer
    model.get_input_embeddings().weight.requires_grad_(False)  # half of all weights; costs a quarter of the time
    generator = np.random.default_rng(rule.seed)
    for epochs in ([machine], [human] * rule.epochs):
        batches = [batch for rows in epochs for batch in _batches(rows, rule.batch_size, generator)]
        if batches:
            _learn(model, tokenizer, batches, rule.learning_rate, watch)
    return model.eval(), tokenizer


def sample_machine(rows: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most `n` rows, half of each MI label where there are enough."""
    parts = [part.sample(min(len(part), n // 2), random_state=seed) for _, part in rows.groupby("mi")]
    return pd.concat(parts, ignore_index=True) if parts else rows


def _learn(model: Any, tokenizer: Any, batches: Sequence[pd.DataFrame], learning_rate: float, watch: Watch) -> None:
    steps = len(batches)
    weights = (weight for weight in model.parameters() if weight.requires_grad)
    optimiser = torch.optim.AdamW(weights, lr=learning_rate, weight_decay=0.01, fused=True)
    warm = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm))
    )
    model.train()
    for batch in watch(batches, label="training", unit="steps", total=steps):
        loss = _loss(model, tokenizer, batch)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()


def _batches(rows: pd.DataFrame, size: int, generator: np.random.Generator) -> Iterator[pd.DataFrame]:
    """The rows in an order of their own, in batches of texts of similar length, half of them with sides exchanged."""
    lengths = (rows["first"].str.len() + rows["second"].str.len()).to_numpy(np.int64)
    order = np.argsort(lengths + generator.uniform(0, 40, len(rows)), kind="stable")
    starts = generator.permutation(np.arange(0, len(rows), size))
    for start in starts:
        batch = rows.iloc[order[start : start + size]]
        swap = generator.random(len(batch)) < 0.5
        yield batch.assign(
            first=batch["first"].where(~swap, batch["second"]), second=batch["second"].where(~swap, batch["first"])
        )


def _loss(model: Any, tokenizer: Any, batch: pd.DataFrame) -> Tensor:
    logits = _logits(model, tokenizer, batch["first"].tolist(), batch["second"].tolist())
    implied = torch.from_numpy(batch["mi"].to_numpy(np.int64).copy())
    bleurt = torch.from_numpy(batch["bleurt"].to_numpy(np.float32).copy())
    error = functional.mse_loss(logits[:, 2], bleurt)
    return functional.cross_entropy(logits[:, :2], implied) + SIMILARITY_WEIGHT * error


def _logits(model: Any, tokenizer: Any, first: list[str], second: list[str]) -> Tensor:
    with quiet():
        tokens = tokenizer(first, second, truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt")
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16()):
        logits: Tensor = model(**tokens).logits
    return logits.float()


def has_bfloat16() -> bool:
    """Whether this processor computes in bfloat16 faster than in float32."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


@torch.inference_mode()
def predict(model: Any, tokenizer: Any, first: list[str], second: list[str]) -> Reals:
    """The means of the three outputs over both orders of the texts: [pairs, 3]."""
    order = np.argsort([len(one) + len(other) for one, other in zip(first, second, strict=True)], kind="stable")
    logits = np.zeros((len(order), 3))
    for start in range(0, len(order), 32):
        places = order[start : start + 32]
        sides = [first[place] for place in places], [second[place] for place in places]
        logits[places] = sum(_logits(model, tokenizer, *both).numpy() / 2 for both in (sides, sides[::-1]))
    return logits
