"""A model that writes attempts: any folder or name of transformers, encoder and decoder (T5 in the paper) or causal."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from data.console.errors import InputError
from data.models.pretrained import open_pretrained, packed_weights, quiet, read_config
from data.texts.identity import digest
from paraphrase_game.game.schedule import ROUND_SENTENCES, Sampling
from paraphrase_game.judges.training import has_bfloat16

MAX_TOKENS = 256
"""Tokens read and written, as in the paper's code; its hand-written end mark is left to the tokenizer."""
MORE = 16
"""An attempt has at most twice the tokens of the longest prompt and these."""
UNLEARNED = -100
"""The label of a token that is read and not learned."""
CAUSAL = ("ForCausalLM", "LMHeadModel")
"""How transformers ends the names of causal language models."""

Inputs = dict[str, Tensor]


class Generator(ABC):
    """The model and its tokenizer."""

    repeats_prompt: ClassVar[bool]
    """Whether what the model returns begins with what it was given."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        """Pad on the left, so that all texts of a batch end where the model goes on writing."""
        self.model, self.tokenizer = model, tokenizer
        tokenizer.padding_side = "left"
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token

    @abstractmethod
    def read(self, sentences: Sequence[str]) -> Inputs:
        """What the model is given to go on from, a row per sentence."""

    @abstractmethod
    def predict(self, sentences: Sequence[str], targets: Sequence[str]) -> tuple[Tensor, Tensor]:
        """The logits at the tokens of the targets, [batch, tokens, vocabulary], and these tokens as labels."""

    def write(
        self, sentences: Sequence[str], sampling: Sampling, seed: int, n: int = ROUND_SENTENCES
    ) -> list[list[str]]:
        """`n` samples for each sentence; the same for the same sentences, round and seed, whatever came before."""
        number = int(digest("sample", *sentences, sampling.number, seed)[:8], 16)
        inputs = self.read(sentences)
        with torch.random.fork_rng(devices=[]), torch.inference_mode(), quiet():
            torch.manual_seed(number)
            ids = self.model.eval().generate(
                **inputs, do_sample=True, top_k=sampling.top_k, top_p=sampling.top_p, num_return_sequences=n,
                max_new_tokens=min(MAX_TOKENS, 2 * inputs["input_ids"].shape[1] + MORE),
                eos_token_id=self.tokenizer.eos_token_id, pad_token_id=self.tokenizer.pad_token_id,
            )  # fmt: skip
        begin = inputs["input_ids"].shape[1] if self.repeats_prompt else 0
        texts = [
            " ".join(text.split()) for text in self.tokenizer.batch_decode(ids[:, begin:], skip_special_tokens=True)
        ]
        return [texts[start : start + n] for start in range(0, len(texts), n)]

    def save(self, folder: Path) -> None:
        """Write the model and its tokenizer, as transformers reads them."""
        with quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)

    def cross_entropies(self, sentences: Sequence[str], targets: Sequence[str]) -> Tensor:
        """The mean cross entropy of each target's tokens given its sentence: [batch]."""
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16()):
            logits, labels = self.predict(sentences, targets)
        losses = functional.cross_entropy(
            logits.float().transpose(1, 2), labels, reduction="none", ignore_index=UNLEARNED
        )
        return losses.sum(dim=1) / (labels != UNLEARNED).sum(dim=1).clamp(min=1)


class EncoderDecoder(Generator):
    """A sequence-to-sequence model, asked with the prefix of the released code."""

    repeats_prompt = False
    prefix = "paraphrase: "

    def read(self, sentences: Sequence[str]) -> Inputs:
        """The sentences with their prefix."""
        return self._encode([self.prefix + sentence for sentence in sentences])

    def predict(self, sentences: Sequence[str], targets: Sequence[str]) -> tuple[Tensor, Tensor]:
        """The decoder's logits."""
        aims = self._encode(list(targets), side="right")
        labels = aims["input_ids"].masked_fill(aims["attention_mask"] == 0, UNLEARNED)
        return self.model(**self.read(sentences), labels=labels).logits, labels

    def _encode(self, texts: list[str], side: str = "left") -> Inputs:
        with quiet():
            encoded = self.tokenizer(
                texts, truncation=True, max_length=MAX_TOKENS, padding=True, padding_side=side, return_tensors="pt"
            )
        return {name: encoded[name] for name in ("input_ids", "attention_mask")}


class CausalGenerator(Generator):
    """A causal language model, which goes on after the sentence and a fixed line that its configuration keeps."""

    repeats_prompt = True
    line = "\nIn other words:"
    """Of a model that has not learned to paraphrase yet."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        """Keep the line in the configuration, which is saved with the model."""
        super().__init__(model, tokenizer)
        model.config.paraphrase_line = self.line = getattr(model.config, "paraphrase_line", self.line)

    def read(self, sentences: Sequence[str]) -> Inputs:
        """The sentences, each followed by the line."""
        return self._pad(self._prompts(sentences))

    def predict(self, sentences: Sequence[str], targets: Sequence[str]) -> tuple[Tensor, Tensor]:
        """The logits of the targets' tokens and ends; of the prompts' there are none."""
        aims = [[*self._tokens(" " + target), self.tokenizer.eos_token_id] for target in targets]
        prompts = self._prompts(sentences)
        inputs = self._pad([prompt + aim for prompt, aim in zip(prompts, aims, strict=True)])
        longest = max(map(len, aims))
        labels = torch.tensor([[UNLEARNED] * (longest - len(aim)) + aim for aim in aims])
        positions = (inputs["attention_mask"].cumsum(1) - 1).clamp(min=0)
        logits = self.model(**inputs, position_ids=positions, logits_to_keep=longest + 1, use_cache=False).logits
        return logits[:, -longest - 1 : -1], labels

    def _prompts(self, sentences: Sequence[str]) -> list[list[int]]:
        first, line = self.tokenizer.bos_token_id, self._tokens(self.line)
        begin = [] if first is None else [first]
        return [[*begin, *self._tokens(sentence), *line] for sentence in sentences]

    def _tokens(self, text: str) -> list[int]:
        """The text's first MAX_TOKENS tokens."""
        with quiet():
            tokens: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens[:MAX_TOKENS]

    def _pad(self, rows: list[list[int]]) -> Inputs:
        with quiet():
            padded = self.tokenizer.pad({"input_ids": rows}, return_tensors="pt")
        return {name: padded[name] for name in ("input_ids", "attention_mask")}


def fastest() -> torch.dtype:
    """The precision in which this processor writes fastest; learning needs float32."""
    return torch.bfloat16 if has_bfloat16() else torch.float32


def open_generator(place: str, precision: torch.dtype = torch.float32) -> Generator:
    """The model of a folder or name, of the kind that its configuration says; packed weights (GGUF) are unpacked.

    Raises InputError where there is no such model.
    """
    config = read_config(place, f"--model {place}")
    names = config.architectures or []
    if names and not config.is_encoder_decoder and not any(name.endswith(CAUSAL) for name in names):
        raise _no_model(place, ", ".join(names))
    kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
    found = open_pretrained(place, kind, f"--model {place}", dtype=precision)
    model, tokenizer = found.model, found.tokenizer
    if tokenizer.eos_token_id is None:
        raise _no_model(place, "a tokenizer without an end of text")
    if packed_weights(Path(place)):
        model.hf_quantizer = None  # the weights are numbers now, and are saved as such
        del model.config.quantization_config
    return (EncoderDecoder if config.is_encoder_decoder else CausalGenerator)(model, tokenizer)


def _no_model(place: str, found: str) -> InputError:
    return InputError(
        f"--model {place}",
        expected="a sequence-to-sequence or causal language model with its tokenizer: a folder, or a name that can be "
        "fetched",
        found=found,
        remedy="give the path of a downloaded model, such as t5-base",
    )
