"""What annotators read and accept before their first task: the consent and the guide."""

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from data.identity import digest

_VERSION = re.compile(r"^Version (\S+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text of headings, paragraphs and lists (Markdown's `#` and `-`); a different wording is another document."""

    kind: Literal["consent", "guide"]
    version: str
    text: str
    reference: str = ""
    """Who approved a consent, such as an ethics committee and its number."""

    @property
    def key(self) -> str:
        """The server's key for it: a digest of all of it, so that what somebody accepted cannot be changed."""
        return digest("document", self.kind, self.version, self.reference, self.text)


def named_version(text: str) -> str | None:
    """The version that a line `Version …` of the text names; None without such a line."""
    match = _VERSION.search(text)
    return match[1] if match else None


def default_guide() -> Document:
    """This project's guide, for campaigns that have none of their own."""
    text = files("annotation.label_studio").joinpath("guide.md").read_text(encoding="utf-8")
    return Document(kind="guide", version=named_version(text) or "", text=text)
