"""Masked language models: which words fit into a place of a text.

Devlin et al. 2019, section 3.1; as a source of substitutes Shi and Huang 2020, section 3.2.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from data.console.errors import InputError
from data.models.pretrained import find_folder, open_pretrained, quiet
from data.texts.identity import digest, file_digest

KIND = "mlm"
BATCH_CONTEXTS = 64
MAX_TOKENS = 128
"""Tokens of a context that are read."""
HEADS = ("cls", "lm_head", "predictions", "head")
"""What transformers calls the part of a model that turns a state into scores of the vocabulary."""
MASK = "\0"
"""A word of a context that is masked, too."""

Context = tuple[tuple[str, ...], tuple[str, ...]]
"""The words before a masked place and those after it."""
Logarithms = NDArray[np.float32]


class MaskedModel:
    """A masked language model; it proposes whole words that it knows as one piece each."""

    def __init__(self, model: Any, tokenizer: Any, words: Sequence[str] | Callable[[str], bool], name: str) -> None:
        """`words`: what may be proposed, or which of the tokenizer's own whole words in lower case.

        Raises InputError where the tokenizer has no mask or none of the words, or belongs to another model.
        """
        if tokenizer.mask_token is None:
            raise unusable(name, "a tokenizer without a mask")
        n_known = model.get_input_embeddings().num_embeddings
        if len(tokenizer) > n_known:
            raise unusable(name, f"a tokenizer of {len(tokenizer):,} pieces beside a model of {n_known:,}")
        self.model, self.tokenizer, self.name = model.eval(), tokenizer, name
        wanted = list(filter(words, list_whole_words(tokenizer))) if callable(words) else words
        pieces = find_pieces(tokenizer, wanted)
        if not pieces:
            raise unusable(name, f"a tokenizer that knows none of {len(wanted):,} words as one piece")
        self.words = list(pieces)
        self.ids = torch.tensor(list(pieces.values()), dtype=torch.long)
        self._head = find_head(model)

    def weigh(self, contexts: Sequence[Context]) -> Logarithms:
        """The natural logarithm of the probability of each of `words` in each context: [contexts, words]."""
        encoded = [self.encode(context) for context in contexts]
        weights = np.zeros((len(contexts), len(self.words)), dtype=np.float32)
        order = sorted(range(len(contexts)), key=lambda number: -len(encoded[number][0]))
        for start in range(0, len(order), BATCH_CONTEXTS):
            rows = order[start : start + BATCH_CONTEXTS]
            with torch.inference_mode():
                weights[rows] = self._weigh([encoded[row] for row in rows]).cpu().numpy()
        return weights

    def encode(self, context: Context) -> tuple[list[int], int]:
        """The pieces of the context, and the place of its mask; of too long a context, its nearest words."""
        before, after = context
        words = [*before, MASK, *after]
        mask = self.tokenizer.mask_token
        text = " ".join(mask if word == MASK else word for word in words)
        with quiet():
            ids = list(self.tokenizer(text)["input_ids"])
        places = [place for place, number in enumerate(ids) if number == self.tokenizer.mask_token_id]
        if len(ids) > MAX_TOKENS and words != [MASK]:
            return self.encode((before[len(before) - len(before) // 2 :], after[: len(after) // 2]))
        return ids, places[before.count(MASK)]

    def _weigh(self, encoded: Sequence[tuple[list[int], int]]) -> Tensor:
        longest = max(len(ids) for ids, _ in encoded)
        pad = self.tokenizer.pad_token_id or 0
        device = self.model.device
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row, _ in encoded], device=device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row, _ in encoded], device=device)
        places = torch.tensor([place for _, place in encoded], device=device)
        rows = torch.arange(len(encoded), device=device)
        if self._head is None:
            logits = self.model(input_ids=ids, attention_mask=mask).logits[rows, places]
        else:
            states = self.model.base_model(input_ids=ids, attention_mask=mask).last_hidden_state
            logits = self._head(states[rows, places])
        return torch.log_softmax(logits.float(), dim=-1)[:, self.ids.to(device)]


def find_head(model: Any) -> nn.Module | None:
    """The part that turns a state into scores of the vocabulary; None where it has an unknown name."""
    return next((getattr(model, name) for name in HEADS if isinstance(getattr(model, name, None), nn.Module)), None)


def find_pieces(tokenizer: Any, words: Sequence[str]) -> dict[str, int]:
    """The words that the tokenizer reads as one piece in the middle of a text, with that piece's number."""
    if not words:
        return {}
    unknown = tokenizer.unk_token_id
    with quiet():
        rows = tokenizer([f" {word}" for word in words], add_special_tokens=False)["input_ids"]
    return {word: row[0] for word, row in zip(words, rows, strict=True) if len(row) == 1 and row[0] != unknown}


def list_whole_words(tokenizer: Any) -> list[str]:
    """What the pieces of the tokenizer spell in lower case, sorted; some may not be words of one piece."""
    with quiet():
        spelled = {tokenizer.convert_tokens_to_string([piece]).strip() for piece in tokenizer.get_vocab()}
    return sorted(word for word in spelled if word == word.lower())


def load(name: str, words: Sequence[str] | Callable[[str], bool], device: torch.device | str = "cpu") -> MaskedModel:
    """The masked language model of a folder or name, on the device.

    Raises InputError where there is none, or one without its head.
    """
    model, tokenizer, missing = read(name)
    if missing:
        raise unusable(name, f"an encoder without the weights {', '.join(missing)[:80]}")
    return MaskedModel(model.to(device), tokenizer, words, name)


def read(name: str) -> tuple[Any, Any, list[str]]:
    """The model, the tokenizer, and the weights that the folder lacks: fresh ones, from torch's seed."""
    found = open_pretrained(name, "AutoModelForMaskedLM", f"{KIND}:{name}", dtype=torch.float32)
    return found.model, found.tokenizer, [*found.missing]


def identify(name: str) -> str:
    """A digest of the model's weights and tokenizer."""
    folder = find_folder(name, f"{KIND}:{name}")
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".safetensors", ".json", ".txt"))
    return digest(*(part for path in paths for part in (path.name, file_digest(path))))


def unusable(name: str, found: str) -> InputError:
    """The error for a model that cannot propose words."""
    return InputError(
        f"--mlm {name}",
        expected="a masked language model with its tokenizer",
        found=found,
        remedy="train one with `python -m identification mlm`, or give another",
    )
