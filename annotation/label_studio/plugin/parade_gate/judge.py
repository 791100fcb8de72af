"""Ask the judge, a process of its own on this machine, what a check is worth."""

import json
import urllib.request
from http.client import HTTPException
from typing import Any

SECONDS_TO_ANSWER = 8.0
MAX_ANSWER = 100_000
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(scorer: str, sentence: str, text: str, earlier: dict[str, list[str]]) -> dict[str, Any] | None:
    """The judgement of a check; None where the judge does not answer, or not as agreed.

    `earlier`: `own` and `elsewhere`, the player's texts of this sentence and of other ones; `others`, other players'.
    """
    body = json.dumps({"sentence": sentence, "text": text} | earlier).encode()
    request = urllib.request.Request(f"{scorer}/check", body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with _OPENER.open(request, timeout=SECONDS_TO_ANSWER) as response:
            answer = json.loads(response.read(MAX_ANSWER))
    except (OSError, ValueError, HTTPException):
        return None
    return answer if _is_judgement(answer) else None


def _is_judgement(answer: Any) -> bool:
    """Whether this is a refusal with its reason, or a reward of whole cents with what it was computed from."""
    if not isinstance(answer, dict) or not isinstance(answer.get("practice"), bool):
        return False
    if answer.get("refused"):
        return isinstance(answer["refused"], str) and isinstance(answer.get("reason"), str)
    reward = answer.get("reward")
    whole = isinstance(reward, int) and not isinstance(reward, bool) and reward >= 0
    return whole and isinstance(answer.get("implied"), bool)
