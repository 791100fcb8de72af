"""Cross-encoders and bi-encoders from any folder or name of transformers.

Devlin et al. 2019; Reimers and Gurevych 2019.

A cross-encoder reads both texts together and classifies; a bi-encoder reads each alone and compares their means.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from data.models.pretrained import build_fresh, open_pretrained, quiet, read_tokenizer
from data.models.runs import BI_ENCODER, CROSS_ENCODER, ModelName
from identification.architectures.model import Numbers, PairModel, Reading
from identification.architectures.networks.base import Recipe

PAPER = Recipe(optimizer="adam", learning_rate=2e-5, batch_size=32, epochs=20)
"""He et al. 2020, section 5.1: Adam, 32 pairs, 2e-5, 20 epochs, the best F1 on validation."""
MAX_TOKENS = 128
FIRST_SCALE, FIRST_CUT = 10.0, 0.5
"""A fresh bi-encoder's logit is 10 (cosine - 0.5)."""
ENCODER = "encoder"
"""The folder in an artefact with the form of the encoder and its tokenizer; the weights lie beside it."""


class Transformer(PairModel):
    """What both kinds share: the encoder, its tokenizer, and how its weights are found."""

    computes_in_bfloat16 = True
    recipe = PAPER

    def __init__(self, encoder: Any, tokenizer: Any, longest: int = MAX_TOKENS) -> None:
        """`longest`: tokens that are read; never more than the encoder has places for."""
        super().__init__()
        self.encoder, self.tokenizer = encoder, tokenizer
        places = getattr(encoder.config, "max_position_embeddings", None) or longest
        offset = 2 if encoder.config.model_type in {"roberta", "xlm-roberta", "camembert"} else 0
        self.longest = min(longest, places - offset, getattr(tokenizer, "model_max_length", longest))
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        encoder.config.pad_token_id = tokenizer.pad_token_id

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return next(self.parameters()).device

    def freeze_words(self) -> None:
        """Train everything but the word embeddings."""
        self.encoder.get_input_embeddings().weight.requires_grad_(False)

    def prepare(self, *, training: bool) -> None:
        """Take the attention that is fast in bfloat16 on a processor: eager to train, scaled dot products to score."""
        super().prepare(training=training)
        on_processor = self.device.type == "cpu"
        with contextlib.suppress(ValueError, ImportError, AttributeError), quiet():  # some encoders have eager alone
            self.encoder.set_attn_implementation("eager" if training and on_processor else "sdpa")

    def save_form(self, folder: Path) -> dict[str, Any]:
        """The encoder's configuration and its tokenizer, in a folder of their own."""
        self.encoder.config.save_pretrained(folder / ENCODER)
        self.tokenizer.save_pretrained(folder / ENCODER)
        return {"longest": self.longest}

    def _tokenize(self, *texts: list[str]) -> Any:
        with quiet():
            encoded = self.tokenizer(
                *texts, truncation="longest_first" if len(texts) > 1 else True, max_length=self.longest, padding=True,
                return_tensors="pt",
            )  # fmt: skip
        return encoded.to(self.device)

    def read(self, texts: Sequence[str]) -> Reading:
        """The texts with their numbers of tokens, without the marks that the encoder puts around them.

        Texts are cut after `longest` tokens: the tokenizer's own cut takes quadratic time where both are long.
        """
        if not len(texts):
            return Reading(lengths=np.zeros(0, dtype=np.int64), content=[])
        offsets = {"return_offsets_mapping": True} if self.tokenizer.is_fast else {}
        with quiet():
            encoded = self.tokenizer(list(texts), add_special_tokens=False, **offsets)
        lengths = np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)
        content = list(texts)
        for number in np.flatnonzero(lengths > self.longest) if offsets else ():
            content[number] = content[number][: encoded["offset_mapping"][number][self.longest - 1][1]]
        return Reading(lengths=lengths, content=content, n_words=int(lengths.sum()))


class CrossEncoder(Transformer):
    """Both texts in one sequence, classified."""

    symmetric = False

    def forward(self, reading: Reading, first: Numbers, second: Numbers) -> Tensor:
        """Logits [pairs, 2]."""
        sides = ([reading.content[number] for number in side] for side in (first, second))
        logits: Tensor = self.encoder(**self._tokenize(*sides)).logits
        return logits.float()

    def cost(self, reading: Reading, first: Numbers, second: Numbers) -> Numbers:
        """The tokens of both texts."""
        return np.minimum(self._n_tokens(reading, first, second), self.longest)

    def count_shortened(self, reading: Reading, first: Numbers, second: Numbers) -> int:
        """The number of pairs with more than `longest` tokens."""
        return int((self._n_tokens(reading, first, second) > self.longest).sum())

    def _n_tokens(self, reading: Reading, first: Numbers, second: Numbers) -> Numbers:
        marks: int = self.tokenizer.num_special_tokens_to_add(pair=True)
        total: Numbers = reading.lengths[first] + reading.lengths[second] + marks
        return total


class BiEncoder(Transformer):
    """The means of each text's states, scaled to length 1: differences and products of the two, weighted."""

    symmetric = True

    def __init__(self, encoder: Any, tokenizer: Any, longest: int = MAX_TOKENS) -> None:
        """The weights begin as a scaled cosine."""
        super().__init__(encoder, tokenizer, longest)
        width = encoder.config.hidden_size
        self.products = nn.Parameter(torch.full((width,), FIRST_SCALE))
        self.differences = nn.Parameter(torch.zeros(width))
        self.shift = nn.Parameter(torch.tensor(-FIRST_SCALE * FIRST_CUT))
        self.n_encoded = 0

    def forward(self, reading: Reading, first: Numbers, second: Numbers) -> Tensor:
        """Logits [pairs, 2]; each distinct text of the batch is encoded once."""
        distinct, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        vectors = self.embed([reading.content[number] for number in distinct])
        order = torch.from_numpy(places.reshape(2, -1)).to(vectors.device)
        return self.compare(vectors[order[0]], vectors[order[1]])

    def embed(self, texts: list[str]) -> Tensor:
        """A vector of length 1 per text, float32."""
        self.n_encoded += len(texts)
        tokens = self._tokenize(texts)
        states = self.encoder(**tokens).last_hidden_state.float()
        mask = tokens["attention_mask"].unsqueeze(-1)
        return functional.normalize((states * mask).sum(dim=1) / mask.sum(dim=1), dim=-1)

    def compare(self, first: Tensor, second: Tensor) -> Tensor:
        """Logits [pairs, 2] of the vectors of both texts; the same in both orders."""
        positive = (first * second) @ self.products + (first - second).abs() @ self.differences + self.shift
        return torch.stack([torch.zeros_like(positive), positive], dim=1)

    def count_shortened(self, reading: Reading, first: Numbers, second: Numbers) -> int:
        """The number of pairs with a text of more than `longest` tokens."""
        long = reading.lengths + self.tokenizer.num_special_tokens_to_add(pair=False) > self.longest
        return int((long[first] | long[second]).sum())


KINDS: dict[str, type[CrossEncoder] | type[BiEncoder]] = {CROSS_ENCODER: CrossEncoder, BI_ENCODER: BiEncoder}
CLASSES = {CROSS_ENCODER: "AutoModelForSequenceClassification", BI_ENCODER: "AutoModel"}
"""What opens the encoder of each."""


def load(model: str, longest: int = MAX_TOKENS, seed: int = 0) -> CrossEncoder | BiEncoder:
    """The model `KIND:NAME` with the weights of the folder or name; a fresh head's weights come from the seed.

    Raises InputError where there are no weights, no tokenizer or no such name.
    """
    asked = ModelName.parse(model)
    kind, name = asked.kind, asked.rest
    options: dict[str, Any] = {"dtype": torch.float32, "attn_implementation": "eager"}
    if kind == CROSS_ENCODER:
        options["num_labels"] = 2
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = open_pretrained(name, CLASSES[kind], model, **options)
    return KINDS[kind](found.model, found.tokenizer, longest)


def from_form(kind: str, form: dict[str, Any], folder: Path) -> CrossEncoder | BiEncoder:
    """The model of an artefact, its weights still to be loaded."""
    place = folder / ENCODER
    with quiet():
        tokenizer = read_tokenizer(place, str(place))
        encoder = build_fresh(place, CLASSES[kind], dtype=torch.float32)
    return KINDS[kind](encoder, tokenizer, form["longest"])
