"""A sequence-to-sequence model that writes attempts: any folder or name of transformers (T5 in the paper)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from apt.game.schedule import PER_ROUND, Sampling
from data.errors import InputError
from data.identity import digest
from data.sentence_models import quiet

PREFIX = "paraphrase: "
LONGEST = 256
"""Tokens read and written, as in the paper's code; its hand-written end mark is left to the tokenizer."""


class Generator:
    """The model and its tokenizer."""

    def __init__(self, place: str) -> None:
        """Raise InputError where the folder or name has no such model."""
        try:
            with quiet():
                self.tokenizer: Any = AutoTokenizer.from_pretrained(place)
                self.model: Any = AutoModelForSeq2SeqLM.from_pretrained(
                    place, dtype=torch.float32, use_safetensors=True
                )
        except (OSError, ValueError, KeyError, RuntimeError) as fault:
            raise InputError(
                f"--model {place}",
                expected="a sequence-to-sequence model with its tokenizer: a folder, or a name that can be fetched",
                found=" ".join(str(fault).split())[:200],
                remedy="give the path of a downloaded model, such as t5-base",
            ) from fault

    def write(self, sentence: str, sampling: Sampling, seed: int, n: int = PER_ROUND) -> list[str]:
        """`n` samples; the same for the same sentence, round and seed, whatever was sampled before."""
        number = int(digest("sample", sentence, sampling.number, seed)[:8], 16)
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(number)
            ids = self.model.eval().generate(
                **self._read([PREFIX + sentence]), do_sample=True, top_k=sampling.top_k, top_p=sampling.top_p,
                num_return_sequences=n, max_new_tokens=LONGEST,
            )  # fmt: skip
        texts: list[str] = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [" ".join(text.split()) for text in texts]

    def save(self, folder: Path) -> None:
        """Write the model and its tokenizer, as transformers reads them."""
        with quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)

    def cross_entropies(self, sentences: Sequence[str], targets: Sequence[str]) -> Tensor:
        """The mean cross entropy of each target's tokens given its sentence: [batch]."""
        labels = self._read(list(targets))["input_ids"]
        labels = labels.masked_fill(labels == self.tokenizer.pad_token_id, -100)
        logits = self.model(**self._read([PREFIX + sentence for sentence in sentences]), labels=labels).logits
        losses = functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none", ignore_index=-100)
        return losses.sum(dim=1) / (labels != -100).sum(dim=1).clamp(min=1)

    def _read(self, texts: list[str]) -> dict[str, Tensor]:
        with quiet():
            encoded = self.tokenizer(texts, truncation=True, max_length=LONGEST, padding=True, return_tensors="pt")
        return {name: encoded[name] for name in ("input_ids", "attention_mask")}
