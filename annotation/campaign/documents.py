"""What annotators read and accept before their first task: the consent and the guide."""

from dataclasses import dataclass
from typing import Literal

from annotation.questions.declarations import shipped_question
from data.contract.questions import Question, named_version
from data.texts.identity import digest


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
        """The server's key for it: a digest of all of it, so that an accepted document cannot be changed."""
        return digest("document", self.kind, self.version, self.reference, self.text)


def guide_of(question: Question) -> Document:
    """The question's guide, for campaigns that have none of their own."""
    return Document(kind="guide", version=named_version(question.guide) or "", text=question.guide)


def default_guide() -> Document:
    """The guide of the standard question."""
    return guide_of(shipped_question())
