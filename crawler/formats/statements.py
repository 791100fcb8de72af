"""What decks, and the files beside them, say about their licence."""

import re
from pathlib import PurePosixPath

from crawler.cards.texts import MAX_SIDE_CHARS
from data.contract.licences import MAX_NAME_CHARS
from data.files.characters import decode
from data.texts.markup import plain_text

_STATING = re.compile(
    r"\blicen[cs]ed\b|\blicen[cs]e\s?:|\bunder (?:\S{1,40} ){0,8}licen[cs]e\b|creative ?commons|\bcc[ -]by\b"
    r"|\bcc[ -]?0\b|\bpublic domain\b|\bcopyright\b|©|\brights reserved\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\n|(?<=[\w.)]\w[.!?])\s")
_FILE = re.compile(r"(?:un)?licen[cs]e|copying", re.IGNORECASE)
_TITLES = 20
"""Lines of a licence among which its title is."""


def find_statement(description: str) -> str | None:
    """The first sentence of a description (HTML) that states a licence or rights; None where there is none."""
    sentences = _SENTENCE.split(plain_text(description[:MAX_SIDE_CHARS])[0])
    return next((sentence.strip()[:MAX_NAME_CHARS] for sentence in sentences if _STATING.search(sentence)), None)


def is_licence_file(name: str) -> bool:
    """Whether a file is called like the text of a licence, as `LICENSE` and `licence.md` are."""
    path = PurePosixPath(name)
    return path.suffix.lower() in ("", ".md", ".txt") and _FILE.fullmatch(path.stem) is not None


def read_licence_file(content: bytes) -> str | None:
    """The title of a licence's text: its first line with a letter, and the next one if it names the version."""
    text = decode(content[:MAX_SIDE_CHARS])
    lines = [line.strip(" \t#*") for line in text.content.split("\n")[:_TITLES]] if text else []
    title, version, *_ = [*(line for line in lines if any(map(str.isalpha, line))), "", ""]
    whole = f"{title} {version.partition(',')[0]}" if version.startswith("Version") else title
    return f"{'Creative Commons ' if whole.startswith('Attribution') else ''}{whole}"[:MAX_NAME_CHARS] or None
