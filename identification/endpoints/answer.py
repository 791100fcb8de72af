"""What a language model answered: yes, no, nothing that can be read, a refusal, or an error; pure."""

import json
import math
import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from data.texts.reading import visible

WRAPPING = " \t\r\n.!\"'`*_()[]{}$“”‘’„«»。"
"""Marks that models put around a single word."""
WRAPPED = re.compile(r"<\|[^<>|]{1,40}\|>|</?(?:s|answer|final|output|response)>|\\(?:boxed|text)\b", re.IGNORECASE)
"""What else they put there: tokens of a template, tags and LaTeX's commands."""
SHOWN = 200
"""Characters of an answer that are kept where it could not be read."""
THINKING = re.compile(
    r"\s*(<(?:seed:)?(think|thinking|thought|reasoning)>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis)",
    re.IGNORECASE,
)
THOUGHT = re.compile(
    r"</(?:seed:)?(think|thinking|thought|reasoning)>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
"""How thinking begins and ends where a server leaves it in the answer; many templates leave out the beginning."""
REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put thinking beside the answer."""
TEXTS = ("text", "output_text")
"""The kinds of parts that are the answer; others are thinking or refusals."""
USUAL_ENDS = (None, "", "stop", "eos", "eos_token", "end_turn", "length")
MORE_TOKENS = "allow more --max-answer-tokens"


class ReplyOutcome(StrEnum):
    """How a question ended; every pair has exactly one outcome per order."""

    YES = "yes"
    NO = "no"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "error"


@dataclass(frozen=True)
class AnswerWords:
    """The two words that are answers, compared without case."""

    yes: str = "yes"
    no: str = "no"

    def read(self, text: str) -> ReplyOutcome | None:
        """The answer where the text is one of the words and nothing else, but for marks around it."""
        word = WRAPPED.sub("", visible(unicodedata.normalize("NFKC", text))).strip(WRAPPING).casefold()
        return {self.yes.casefold(): ReplyOutcome.YES, self.no.casefold(): ReplyOutcome.NO}.get(word)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A language model's answer to one question."""

    outcome: ReplyOutcome
    score: float | None = None
    """The probability of yes, 0 to 1, among the two words: from the log-probabilities of its token where the server
    gives them, else 1 or 0; null unless the outcome is yes or no."""
    text: str = ""
    """The words of an answer that could not be read, a refusal or an error."""
    remedy: str = ""
    """What to do about an error that other questions would have, too; empty where they may not."""
    model: str = ""
    """The name by which the server calls the model that answered."""
    tokens: int = 0
    """Tokens of the question and the answer, as the server counts them; 0 where it does not."""

    def cleaned(self, key: str) -> "Reply":
        """The same with all text of the server's cleaned."""
        return replace(self, text=clean(self.text, key), model=clean(self.model, key))

    @property
    def fault(self) -> str:
        """What is wrong, and what to do about it."""
        return f"{self.text}; {self.remedy}" if self.remedy else self.text


def clean(text: str, key: str) -> str:
    """A server's text in a form that can be kept: shortened, of whole characters, without the key that it was sent."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    hidden = whole.replace(key, "[key]") if key else whole
    return " ".join(hidden.split())[:SHOWN]


def error(text: str, remedy: str = "") -> Reply:
    """An answer that did not come, or is not of the expected form."""
    return Reply(outcome=ReplyOutcome.ERROR, text=text, remedy=remedy)


def find_sentence(body: bytes) -> str:
    """What a server says about a fault: the sentence in its JSON, else the whole text."""
    try:
        said = json.loads(body)
        for name in ("error", "detail", "message", "msg"):
            while isinstance(said, list) and said:
                said = said[0]
            if isinstance(said, dict) and said.get(name):
                said = said[name]
    except (ValueError, RecursionError):
        said = None
    return said if isinstance(said, str) else body.decode("utf-8", "replace")


def filters_question(body: bytes) -> bool:
    """Whether a server refuses a question for what it says, as Azure's content filter does with status 400."""
    try:
        fault = json.loads(body)["error"]
        return "content_filter" in (fault.get("code"), fault.get("type"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def parse(body: bytes, words: AnswerWords) -> Reply:
    """The answer in a response to `POST /chat/completions`; an error where it has another form or says why it is empty.

    What a model thinks before it answers is no part of the answer.
    """
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        message = choice["message"]
        content, refusal = _join(message.get("content"))
        end = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        return error(f"no chat completion ({type(fault).__name__}): {find_sentence(body)}")
    text = _drop_thinking(content)
    refusal = message.get("refusal") or refusal or (text if end == "content_filter" else None)
    read = words.read(text)
    answer = Reply(
        outcome=ReplyOutcome.UNPARSED if read is None else read,
        text=text if read is None else "",
        model=model if isinstance(model := response.get("model"), str) else "",
        tokens=_tokens(response),
    )
    if refusal is not None:
        return replace(answer, outcome=ReplyOutcome.REFUSED, text=refusal if isinstance(refusal, str) else text)
    if not text.strip() and (reason := _find_reason(response, choice, content)):
        return replace(answer, outcome=ReplyOutcome.ERROR, text=reason[0], remedy=reason[1])
    if read is None and end == "length":
        cut = f"cut off before its one word (finish_reason length): {text}"
        return replace(answer, outcome=ReplyOutcome.ERROR, text=cut, remedy=f"{MORE_TOKENS}, or ask for one word alone")
    if read is None:
        return answer
    given = _probability(choice, words)
    return replace(answer, score=given if given is not None else float(read is ReplyOutcome.YES))


def _join(content: Any) -> tuple[str, str | None]:
    """The text of an answer, and the refusal in it; raises TypeError where it is neither text nor parts."""
    if content is None or isinstance(content, str):
        return content or "", None
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise TypeError("the content is no text")
    texts = [part.get("text") for part in content if part.get("type", TEXTS[0]) in TEXTS]
    refusals = [part.get("refusal") for part in content if part.get("type") == "refusal"]
    return "".join(text for text in texts if isinstance(text, str)), next(iter(refusals), None)


def _drop_thinking(text: str) -> str:
    """The answer without what the model thought before; empty where it did not end thinking."""
    ends = [*THOUGHT.finditer(text)]
    if ends:
        return text[ends[-1].end() :]
    return "" if THINKING.match(text) else text


def _find_reason(response: dict[str, Any], choice: dict[str, Any], content: str) -> tuple[str, str] | None:
    """Why an answer is empty, and what to do; None where nothing says so."""
    end, message = choice.get("finish_reason"), choice["message"]
    if isinstance(fault := choice.get("error"), dict):
        return str(fault.get("message") or fault), ""
    if end == "length":
        return "cut off before the answer began (finish_reason length)", MORE_TOKENS
    if content.strip() or any(message.get(name) for name in REASONING) or _thought_unseen(response):
        return f"it thought and gave no answer (finish_reason {end})", MORE_TOKENS
    return None if end in USUAL_ENDS else (f"an empty answer (finish_reason {end})", "")


def _thought_unseen(response: dict[str, Any]) -> bool:
    try:
        return bool(response["usage"]["completion_tokens_details"]["reasoning_tokens"])
    except (LookupError, TypeError):
        return False


def _tokens(response: dict[str, Any]) -> int:
    usage = response.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and 0 <= total < 2**31 else 0


def _probability(choice: dict[str, Any], words: AnswerWords) -> float | None:
    """P(yes) / (P(yes) + P(no)) over the likeliest values of the answer's token; null where they are missing."""
    try:
        tokens = choice["logprobs"]["content"]
        first = tokens[_find_word([str(token["token"]) for token in tokens], words)]
        likeliest = {str(top["token"]): float(top["logprob"]) for top in [first, *first.get("top_logprobs", [])]}
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None
    mass = {ReplyOutcome.YES: 0.0, ReplyOutcome.NO: 0.0}
    for token, value in likeliest.items():
        outcome = words.read(token)
        if outcome is not None:
            mass[outcome] += math.exp(min(value, 0.0)) if not math.isnan(value) else 0.0
    total = sum(mass.values())
    return mass[ReplyOutcome.YES] / total if total > 0 else None


def _find_word(tokens: list[str], words: AnswerWords) -> int:
    """The place of the token with which the word at the end of an answer begins; 0 where there is no word."""
    end = ""
    for place in range(len(tokens) - 1, -1, -1):
        end = tokens[place] + end
        if words.read(end) is not None:
            return place
        if len(end) > SHOWN:
            break
    return 0
