"""What annotators read and accept before the first task: the guide, and what they consent to."""

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from data.identity import digest

_VERSION = re.compile(r"^Version (\S+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text of headings, paragraphs and lists (Markdown's `#` and `-`); another wording is another document."""

    kind: Literal["consent", "guide"]
    version: str
    text: str
    reference: str = ""
    """Who approved it, such as an ethics committee's number; of a consent."""

    @property
    def key(self) -> str:
        """What the server knows it by: a digest of all of it, so that what was accepted cannot be changed."""
        return digest("document", self.kind, self.version, self.reference, self.text)


def named_version(text: str) -> str | None:
    """The version that a line `Version …` of the text names, None without one."""
    found = _VERSION.search(text)
    return found[1] if found else None


def standing_guide() -> Document:
    """The guide of this project, which holds where a campaign has none of its own."""
    text = files("annotation.label_studio").joinpath("guide.md").read_text(encoding="utf-8")
    return Document(kind="guide", version=named_version(text) or "", text=text)
