"""Words as the reference figures count them: a full stop inside a text belongs to the word before it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from data.texts import similarity
from data.texts.languages import base


@contextmanager
def full_stops_at_their_words() -> Iterator[None]:
    """Part no sentence but the last from its full stop, and leave abbreviations theirs."""

    def part_last(text: str, *_: object) -> str:
        return re.sub(r"\.\s*$", " . ", text)

    def content_stem(language: base.Language, token: str) -> str | None:
        is_content = token not in language.stop_words and any(map(str.isalnum, token))
        return language.stem(token) if is_content else None

    _forget()
    try:
        with (
            patch.object(base, "_part_sentences", part_last),
            patch.object(base.Language, "content_stem", content_stem),
        ):
            yield
    finally:
        _forget()


def _forget() -> None:
    base._read_tokens.cache_clear()
    similarity._last_read.clear()
