"""The networks over word vectors as models of texts: words, their vectors, characters and padding."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from data.texts.languages.en import ENGLISH
from identification.architectures.model import Numbers, PairModel, Reading
from identification.architectures.networks.base import AligningNetwork, PairNetwork, Side
from identification.architectures.networks.registry import build

PADDING = 0
"""The row of the vectors, all zeros, for padding and for words without a vector."""
UNKNOWN_CHARACTER = 1
MAX_WORD_CHARS = 16
"""Characters of a word that are read (DIIN's released configuration)."""


@dataclass(frozen=True, kw_only=True)
class NumberedWords:
    """Texts as numbers of their distinct words."""

    forms: NDArray[np.int64]
    """The words of all texts in a row: numbers from 1 of the distinct words of this reading."""
    starts: NDArray[np.int64]
    """Where each text begins in `forms`."""
    total: NDArray[np.int64]
    """The words of each text, those left out included."""
    vector: NDArray[np.int64]
    """The row of the vectors of each distinct word; of number 0, padding."""
    characters: NDArray[np.int64] | None
    """The numbers of each distinct word's characters, 0 where it has fewer; a row each."""


class WordModel(PairModel):
    """A network with the vectors of its words."""

    def __init__(self, name: str, words: Sequence[str], vectors: NDArray[np.float32], **form: Any) -> None:
        """`vectors`: one row per word. `form`: longest, characters, train_words, seed (of fresh weights), sizes."""
        super().__init__()
        sizes = form.get("sizes") or {}
        self.name, self.words, self.longest = name, list(words), int(form["longest"])
        self.characters = str(form.get("characters") or "")
        self.sizes: dict[str, int] = dict(sizes)
        self.network: PairNetwork = build(name, vectors.shape[1], seed=form.get("seed", 0), **self._all_sizes(name))
        self.recipe, self.symmetric = self.network.recipe, self.network.symmetric
        rows = np.concatenate([np.zeros((1, vectors.shape[1]), dtype=np.float32), vectors])
        self.vectors = nn.Embedding(len(rows), vectors.shape[1], padding_idx=PADDING, _weight=torch.from_numpy(rows))
        self.vectors.weight.requires_grad_(bool(form.get("train_words")))
        self._row = {word: number for number, word in enumerate(self.words, start=1)}
        self._character = {char: number for number, char in enumerate(self.characters, start=UNKNOWN_CHARACTER + 1)}

    def _all_sizes(self, name: str) -> dict[str, int]:
        from identification.architectures.networks.registry import NETWORKS

        known = name in NETWORKS and NETWORKS[name].needs_characters
        return self.sizes | ({"n_characters": len(self.characters) + UNKNOWN_CHARACTER} if known else {})

    def read(self, texts: Sequence[str]) -> Reading:
        """The texts' words, lower-cased; a text without words counts as one unknown word."""
        tokens = [ENGLISH.tokens(text) or ("",) for text in texts]
        total = np.array([len(some) for some in tokens], dtype=np.int64)
        lengths = np.minimum(total, self.longest)
        number: dict[str, int] = {}
        forms = [number.setdefault(word, len(number) + 1) for some in tokens for word in some[: self.longest]]
        rows = [PADDING, *(self._row.get(word, PADDING) for word in number)]
        vector = np.array(rows, dtype=np.int64)
        places = np.array(forms, dtype=np.int64)
        words = NumberedWords(
            forms=places,
            starts=np.concatenate([[0], lengths.cumsum()]).astype(np.int64)[:-1],
            total=total,
            vector=vector,
            characters=self._spell(list(number)) if self.network.needs_characters else None,
        )
        n_unknown = int((vector[places] == PADDING).sum())
        return Reading(lengths=lengths, content=words, n_unknown=n_unknown, n_words=len(places))

    def forward(self, reading: Reading, first: Numbers, second: Numbers) -> Tensor:
        """Logits [pairs, 2]."""
        forms = [_pad(reading, side) for side in (first, second)]
        sides = (self._side(reading.content, own, other) for own, other in zip(forms, reversed(forms), strict=True))
        logits: Tensor = self.network(*sides)
        return logits

    def _side(self, words: NumberedWords, forms: Numbers, other: Numbers) -> Side:
        device = self.vectors.weight.device
        rows = torch.from_numpy(words.vector[forms]).to(device)
        characters = exact = None
        if words.characters is not None:
            characters = torch.from_numpy(words.characters[forms]).to(device)
        if self.network.needs_exact:
            shared = (forms[:, :, None] == other[:, None, :]).any(axis=2) & (forms != PADDING)
            exact = torch.from_numpy(shared.astype(np.float32)).to(device)
        mask = torch.from_numpy(forms != PADDING).to(device)
        return Side(self.vectors(rows), mask, characters=characters, exact=exact)

    @property
    def aligns(self) -> bool:
        """Whether the network shows which words belong together."""
        return isinstance(self.network, AligningNetwork)

    def align(self, first: str, second: str) -> tuple[list[str], list[str], NDArray[np.float64]]:
        """The words of both texts that are read, and how much each of the first belongs to each of the second, 0 to 1.

        The mean of both orders of the texts; only for a model that `aligns`.
        """
        if not isinstance(self.network, AligningNetwork):
            raise TypeError(f"{self.name} aligns no words")
        self.prepare(training=False)
        reading = self.read([first, second])
        left, right = (_pad(reading, np.array([number])) for number in (0, 1))
        sides = self._side(reading.content, left, right), self._side(reading.content, right, left)
        with torch.inference_mode():
            cells = self.network.alignment(*sides)[0] + self.network.alignment(*reversed(sides))[0].T
        words = [(ENGLISH.tokens(text) or ("",))[: self.longest] for text in (first, second)]
        return list(words[0]), list(words[1]), (cells / 2).double().cpu().numpy()

    def _spell(self, words: Sequence[str]) -> Numbers:
        spelled = np.zeros((len(words) + 1, MAX_WORD_CHARS), dtype=np.int64)
        for place, word in enumerate(words, start=1):
            numbers = [self._character.get(char, UNKNOWN_CHARACTER) for char in word[:MAX_WORD_CHARS]]
            spelled[place, : len(numbers)] = numbers
        return spelled

    def count_shortened(self, reading: Reading, first: Numbers, second: Numbers) -> int:
        """The number of pairs with a text of more than `longest` words."""
        long = reading.content.total > self.longest
        return int((long[first] | long[second]).sum())

    def count_at_once(self, reading: Reading, first: Numbers, second: Numbers) -> int:
        """As many as the network says."""
        return self.network.count_at_once(
            len(first), (int(reading.lengths[first].max()), int(reading.lengths[second].max()))
        )

    def save_form(self, folder: Path) -> dict[str, Any]:
        """The network's name and sizes, the words and the characters."""
        (folder / "words.txt").write_text("\n".join(self.words), encoding="utf-8")
        return {
            "name": self.name,
            "width": self.vectors.embedding_dim,
            "longest": self.longest,
            "characters": self.characters,
            "sizes": self.sizes,
        }

    @classmethod
    def from_form(cls, form: dict[str, Any], folder: Path) -> "WordModel":
        """The model that `save_form` described, its weights still to be loaded."""
        words = read_words(folder)
        if min(form["longest"], form["width"]) < 1:
            raise ValueError(f"longest {form['longest']}, width {form['width']}")
        vectors = np.zeros((len(words), form["width"]), dtype=np.float32)
        known = {name: form[name] for name in ("longest", "characters", "sizes")}
        return cls(form["name"], words, vectors, **known)


def read_words(folder: Path) -> list[str]:
    """The words of the model in the folder."""
    content = (folder / "words.txt").read_text(encoding="utf-8")
    return content.split("\n") if content else []


def _pad(reading: Reading, texts: Numbers) -> Numbers:
    """The words of the texts, [texts, longest of them], 0 at padding."""
    lengths, starts = reading.lengths[texts], reading.content.starts[texts]
    places = np.arange(lengths.max())
    inside = places < lengths[:, None]
    forms: Numbers = reading.content.forms[np.where(inside, starts[:, None] + places, 0)] * inside
    return forms
