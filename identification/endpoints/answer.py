"""What a language model answered: yes, no, nothing that can be read, a refusal, or an error; pure."""

import json
import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

WRAPPING = " \t\r\n.!\"'`*_()[]"
"""Marks that models put around a single word."""
SHOWN = 200
"""Characters of an answer that are kept where it could not be read."""


class Outcome(StrEnum):
    """How a question ended; every pair has exactly one outcome per order."""

    YES = "yes"
    NO = "no"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "error"


@dataclass(frozen=True)
class Words:
    """The two words that are answers, compared without case."""

    yes: str = "yes"
    no: str = "no"

    def read(self, text: str) -> Outcome | None:
        """The answer where the text is one of the words and nothing else, but for marks around it."""
        word = text.strip(WRAPPING).casefold()
        return {self.yes.casefold(): Outcome.YES, self.no.casefold(): Outcome.NO}.get(word)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A language model's answer to one question."""

    outcome: Outcome
    score: float | None = None
    """The probability of yes, 0 to 1, among the two words: from the first token's log-probabilities where the server
    gives them, else 1 or 0; null unless the outcome is yes or no."""
    text: str = ""
    """The words of an answer that could not be read, a refusal or an error."""
    model: str = ""
    """The name by which the server calls the model that answered."""
    tokens: int = 0
    """Tokens of the question and the answer, as the server counts them; 0 where it does not."""

    def cleaned(self, key: str) -> "Answer":
        """The same with all text of the server's cleaned."""
        return replace(self, text=clean(self.text, key), model=clean(self.model, key))


def clean(text: str, key: str) -> str:
    """A server's text in a form that can be kept: shortened, of whole characters, without the key that it was sent."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    hidden = whole.replace(key, "[key]") if key else whole
    return " ".join(hidden.split())[:SHOWN]


def error(text: str) -> Answer:
    """An answer that did not come, or is not of the expected form."""
    return Answer(outcome=Outcome.ERROR, text=text)


def parse(body: bytes, words: Words) -> Answer:
    """The answer in a response to `POST /chat/completions`; an error where the response has another form."""
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if not isinstance(text, str):
            raise TypeError("the content is no text")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        return error(f"no chat completion ({type(fault).__name__}): {body.decode('utf-8', 'replace')}")
    if not text.strip() and choice.get("finish_reason") == "length":
        return error("cut off before the answer began (finish_reason length); allow more --answer-tokens")
    read = words.read(text)
    refusal = message.get("refusal") or (text if choice.get("finish_reason") == "content_filter" else None)
    answer = Answer(
        outcome=Outcome.UNPARSED if read is None else read,
        text=text if read is None else "",
        model=model if isinstance(model := response.get("model"), str) else "",
        tokens=_tokens(response),
    )
    if refusal is not None:
        return replace(answer, outcome=Outcome.REFUSED, text=refusal if isinstance(refusal, str) else text)
    if read is None:
        return answer
    given = _probability(choice, words)
    return replace(answer, score=given if given is not None else float(read is Outcome.YES))


def _tokens(response: dict[str, Any]) -> int:
    usage = response.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and 0 <= total < 2**31 else 0


def _probability(choice: dict[str, Any], words: Words) -> float | None:
    """P(yes) / (P(yes) + P(no)) over the first token's likeliest values; null where they are missing or impossible."""
    try:
        first = choice["logprobs"]["content"][0]
        likeliest = {str(top["token"]): float(top["logprob"]) for top in [first, *first.get("top_logprobs", [])]}
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None
    mass = {Outcome.YES: 0.0, Outcome.NO: 0.0}
    for token, value in likeliest.items():
        outcome = words.read(token)
        if outcome is not None:
            mass[outcome] += math.exp(min(value, 0.0)) if not math.isnan(value) else 0.0
    total = sum(mass.values())
    return mass[Outcome.YES] / total if total > 0 else None
