"""Causal neural language models from a folder: of CTranslate2 (model.bin), or of transformers (safetensors or GGUF)."""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.console.errors import InputError
from data.console.optional_packages import require_generation, require_models
from data.files.values import read_json
from data.models.model_folders import check_files, opening
from data.models.pretrained import open_pretrained
from data.models.sizes import AGAIN, WHOLE
from data.models.trials import TEXTS, try_first
from data.texts.identity import files_digest

BATCH_TOKENS = 256
"""Tokens that are scored together: few, since each has a logit per word of the vocabulary, 0.2 MB in all."""
CT2 = "model.bin"

EXPECTED = "a causal language model: a folder of CTranslate2 with tokenizer.json, or one of transformers"
REMEDY = "give the folder that holds its files"

ScoreTokens = Callable[[list[list[int]]], list[float]]
"""Tokens of texts, with their beginning and end -> the sum of the logarithms of all but the first."""


class CausalModel:
    """A model that reads a text from left to right, in its own case; probabilities are natural logarithms."""

    def __init__(self, folder: Path, flag: str) -> None:
        """Raises InputError where the folder holds no model, or its library is missing; `flag` named the folder."""
        self._folder = folder
        if not folder.is_dir():
            raise _no_model(folder, "no folder")
        if (folder / CT2).is_file():
            require_generation(flag)
            opened = _open_ct2
        else:
            require_models(flag)
            opened = _open_transformers
        self._encode, self._score, self._arithmetic = opened(folder)
        self.n_read = 0

    @cached_property
    def name(self) -> str:
        """Folder, arithmetic (margins depend on it) and digest."""
        return f"causal {self._folder.name} {self._arithmetic} {files_digest([self._folder])}"

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The natural logarithm of each text's probability, its end included; texts of similar length go together.

        Raises InputError where the model cannot read a text, for example one that is too long for it.
        """
        with opening(self._folder, "a model that can read the texts", "give another, or leave out long texts"):
            return self._score_texts(texts)

    def _score_texts(self, texts: Sequence[str]) -> NDArray[np.float64]:
        tokens = [self._encode(text) for text in texts]
        self.n_read += sum(map(len, tokens))
        values = np.zeros(len(texts))
        batch: list[int] = []
        for place in sorted(range(len(texts)), key=lambda place: (len(tokens[place]), place)):
            if batch and (len(batch) + 1) * len(tokens[place]) > BATCH_TOKENS:
                values[batch] = self._score([tokens[i] for i in batch])
                batch = []
            batch.append(place)
        if batch:
            values[batch] = self._score([tokens[i] for i in batch])
        if not np.isfinite(values).all():
            raise _no_model(self._folder, "one that answers with no numbers")
        return values


Opened = tuple[Callable[[str], list[int]], ScoreTokens, str]


def _open_ct2(folder: Path) -> Opened:
    with opening(folder, EXPECTED, REMEDY):
        check_files(folder)
        try_first(use_ct2, folder, expected=EXPECTED, remedy=REMEDY)
    return _read_ct2(folder)


def use_ct2(place: str) -> None:
    """Score texts with the model in a folder of CTranslate2. Raises InputError where it cannot."""
    encode, score, _ = _read_ct2(Path(place))
    with opening(place, EXPECTED, REMEDY):
        values = [score([encode(text)]) for text in TEXTS]
        if not np.isfinite(values).all():
            raise _no_model(Path(place), "one that answers with no numbers")


def _read_ct2(folder: Path) -> Opened:
    import ctranslate2
    from tokenizers import Tokenizer

    files = [_needed(folder, name) for name in ("tokenizer.json", "config.json")]
    with opening(folder, EXPECTED, REMEDY):
        tokenizer, settings = Tokenizer.from_file(str(files[0])), read_json(files[1], WHOLE, AGAIN)
        model = ctranslate2.Generator(str(folder), device="cpu", inter_threads=1, intra_threads=1)
        first, last = (tokenizer.token_to_id(settings.get(name) or "") for name in ("bos_token", "eos_token"))
    if first is None or last is None:
        raise _no_model(folder, "no bos_token or eos_token in config.json")

    def encode(text: str) -> list[int]:
        return [first, *tokenizer.encode(text, add_special_tokens=False).ids, last]

    def score(batch: list[list[int]]) -> list[float]:
        pieces = [[tokenizer.id_to_token(token) for token in tokens] for tokens in batch]
        return [float(sum(result.log_probs)) for result in model.score_batch(pieces, max_batch_size=len(pieces))]

    return encode, score, f"ctranslate2 {version('ctranslate2')} {model.compute_type}"


def _open_transformers(folder: Path) -> Opened:
    import torch

    found = open_pretrained(str(folder), "AutoModelForCausalLM", str(folder), dtype=torch.float32)
    model, tokenizer = found.model, found.tokenizer
    first, last = tokenizer.bos_token_id, tokenizer.eos_token_id
    first = last if first is None else first
    if last is None:
        raise _no_model(folder, "a tokenizer without an end of text")

    def encode(text: str) -> list[int]:
        return [first, *tokenizer(text, add_special_tokens=False)["input_ids"], last]

    @torch.inference_mode()
    def score(batch: list[list[int]]) -> list[float]:
        longest = max(map(len, batch))
        ids = torch.tensor([tokens + [last] * (longest - len(tokens)) for tokens in batch])
        real = torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens in batch])
        logits = model(input_ids=ids, attention_mask=real).logits[:, :-1]
        values = (logits.gather(-1, ids[:, 1:, None]).squeeze(-1) - logits.logsumexp(-1)) * real[:, 1:]
        return [float(value) for value in values.double().sum(-1)]

    return encode, score, f"torch {version('torch')} float32"


def _needed(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise _no_model(folder, f"no {name}")
    return folder / name


def _no_model(folder: Path, found: str) -> InputError:
    return InputError(folder, expected=EXPECTED, found=found, remedy=REMEDY)
