"""The form of a request: what a server accepts beside the model and the question, learned from its refusals; pure."""

from dataclasses import dataclass, replace
from typing import Any

TOPS = (20, 5, 0)
"""Values of the first token whose log-probabilities are asked for: the most that such servers allow, then fewer."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a question is put to a server."""

    top: int = TOPS[0]
    """Values of the first token whose log-probabilities are asked for; 0: none."""
    limit: str = "max_tokens"
    """By what name the server knows the most tokens of an answer."""
    temperature: bool = True
    """Whether the likeliest answer is asked for: temperature 0."""

    def content(self, model: str, question: str, max_tokens: int) -> dict[str, Any]:
        """The content of a request."""
        content = {
            "model": model,
            "messages": [{"role": "user", "content": question}],
            self.limit: max_tokens,
        }
        if self.temperature:
            content |= {"temperature": 0}
        return content | ({"logprobs": True, "top_logprobs": self.top} if self.top else {})

    def without(self, complaint: str) -> "Form | None":
        """The form without what a refusal complains of; null where it complains of nothing that can be changed."""
        if self.limit == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in complaint:
            return replace(self, temperature=False)
        if self.top and "logprob" in complaint:
            return replace(self, top=TOPS[TOPS.index(self.top) + 1])
        return None

    def losses(self) -> list[str]:
        """What the answers lack in this form, in words."""
        lost = []
        if not self.top:
            lost.append("the server gives no log-probabilities: every score is 1 or 0")
        elif self.top < TOPS[0]:
            lost.append(
                f"the server gives no more than {self.top} log-probabilities: "
                "a word that is not among them counts as impossible"
            )
        if not self.temperature:
            lost.append("the server takes no temperature: it may answer differently when asked again")
        return lost
