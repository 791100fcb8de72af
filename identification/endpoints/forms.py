"""The form of a request: what a server accepts beside the model and the question, learned from its refusals; pure."""

import re
from dataclasses import dataclass, replace
from typing import Any

TOPS = (20, 5, 2, 0)
"""Values of a token whose log-probabilities are asked for: the most that such servers allow, then fewer."""
NUMBER = re.compile(r"(?<![\w.-])\d{1,2}(?![\w-]|\.\d)")
NOT_KNOWN = re.compile(
    r"not (support|permit|allow|implement|available|recogni)|unsupport|unrecogni|unknown|unexpected|extra"
)
"""How servers say that they do not know a parameter."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a question is put to a server."""

    top: int = TOPS[0]
    """Values of a token whose log-probabilities are asked for; 0: none."""
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
        said = complaint.lower()
        if self.limit == "max_tokens" and _wants_completion_tokens(said):
            return replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.top and "logprob" in said:
            return replace(self, top=_find_fewer(self.top, said))
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


def _wants_completion_tokens(said: str) -> bool:
    return "max_completion_tokens" in said or ("max_tokens" in said and bool(NOT_KNOWN.search(said)))


def _find_fewer(top: int, said: str) -> int:
    """The number of log-probabilities that a refusal of `top` names; where it names none, fewer, or none at all."""
    named = [number for number in map(int, NUMBER.findall(said)) if 0 < number < top]
    if named:
        return max(named)
    return 0 if NOT_KNOWN.search(said) else next(fewer for fewer in TOPS if fewer < top)
