"""The question that a language model is asked about a pair: a text with places for both texts; pure."""

import re
from dataclasses import dataclass
from pathlib import Path

from data.console.errors import InputError
from data.files.sheets import read_text
from data.texts.identity import digest

PLACES = re.compile(r"\{(first|second)\}")
MAX_PROMPT_CHARS = 20_000
"""Characters of a prompt, without the texts."""


@dataclass(frozen=True)
class Prompt:
    """A template with `{first}` and `{second}`; every other brace is text."""

    template: str

    def fill(self, first: str, second: str) -> str:
        """The question about a pair; places that the texts themselves contain stay as they are."""
        texts = {"first": first, "second": second}
        return PLACES.sub(lambda place: texts[place[1]], self.template)

    @property
    def digest(self) -> str:
        """What tells two prompts apart."""
        return digest(self.template)


def read_prompt(path: Path) -> Prompt:
    """The prompt in a UTF-8 file. Raises InputError where it is none, or names a text never or twice."""
    template = read_text(path, "a prompt").strip()
    for name in ("first", "second"):
        if (n := template.count(f"{{{name}}}")) != 1:
            raise _wrong(path, f"{{{name}}} {n} times")
    if len(template) > MAX_PROMPT_CHARS:
        raise _wrong(path, f"{len(template):,} characters")
    return Prompt(template)


def _wrong(path: Path, found: str) -> InputError:
    return InputError(
        f"--prompt {path}",
        expected=f"a UTF-8 text of at most {MAX_PROMPT_CHARS:,} characters with {{first}} and {{second}} once each",
        found=found,
        remedy="write, for example: Do these texts mean the same? Answer yes or no. 1: {first} 2: {second}",
    )
