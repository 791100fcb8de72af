"""Using files that native code reads, as another process does before this one does (`data.models.trials`)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from data.models.sizes import NUMBERS_PER_BYTE, check_numbers
from data.models.trials import TEXTS

MAX_TOKENS = 2**20
"""Tokens of a short text: beyond that a tokenizer fills the memory."""


def find_use(path: Path) -> Callable[[str], None] | None:
    """The function that uses a file of this name; None where it is read by Python alone."""
    if path.name == "tokenizer.json":
        return use_tokenizer
    return {".spm": use_pieces, ".model": use_pieces, ".gguf": use_gguf}.get(path.suffix)


def use_tokenizer(place: str) -> None:
    """Read texts with a tokenizer of the library tokenizers. Raises what the library raises."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(place)
    for read in (*TEXTS, TEXTS[:2]):
        ids = tokenizer.encode(*([read] if isinstance(read, str) else read)).ids
        if len(ids) > MAX_TOKENS:
            raise ValueError(f"{len(ids):,} tokens of a short text")
        tokenizer.decode(ids)


def use_pieces(place: str) -> None:
    """Read texts with a model of sentencepiece; a file of another kind is not used at all."""
    import sentencepiece

    try:
        pieces = sentencepiece.SentencePieceProcessor(model_file=place)
    except (RuntimeError, OSError):
        return  # said again, with its reason, where the file is needed
    for text in TEXTS:
        pieces.decode(pieces.encode(text, out_type=str))
        pieces.decode(pieces.encode(text))


def use_gguf(place: str) -> None:
    """Read what a GGUF file says of itself. Raises InputError where it names sizes beyond its own."""
    from gguf import GGUFReader

    class Reader(GGUFReader):
        """The same; a list that is longer than its file ends there."""

        def _get(self, offset: int, dtype: Any, count: Any = 1, *more: Any, **named: Any) -> Any:
            values = super()._get(offset, dtype, count, *more, **named)
            if len(values) < int(count):
                raise ValueError("a list or a text that is longer than the file")
            return values

    fields: dict[str, Any] = {}
    for name, field in Reader(place).fields.items():
        if len(field.data) == 1:
            fields[name] = field.contents()
    check_numbers(place, fields, {}, NUMBERS_PER_BYTE * Path(place).stat().st_size)
