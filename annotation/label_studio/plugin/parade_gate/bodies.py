"""The bodies that an annotator may send, rebuilt from the few allowed fields; imports only the standard library.

A body is never checked and then passed on as it came: the server gets nothing that is not named here.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

MAX_BYTES = 64 * 1024
MAX_COMMENT = 5_000
MAX_SECONDS = 1_000_000
UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
CHOICES = {"score": {"0", "1", "2", "3"}, "flag": {"not_english", "ill_formed", "cannot_judge"}}
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

VIEW = {
    "title": "Default",
    "type": "list",
    "target": "tasks",
    "ordering": [],
    "filters": {"conjunction": "and", "items": []},
    "gridWidth": 4,
    "columnsWidth": {},
    "columnsDisplayType": {},
    "hiddenColumns": {"explore": [], "labeling": []},
}
"""The only tab of tasks that a page needs."""

Body = dict[str, Any]
Rebuild = Callable[[Body], Body]


class BodyError(ValueError):
    """A body that the labelling page would not send."""


def parse(content: bytes) -> Body:
    """The JSON object of a body. Raises BodyError for anything else."""
    if len(content) > MAX_BYTES:
        raise BodyError(f"more than {MAX_BYTES} bytes")
    try:
        value = json.loads(content or b"{}", parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        raise BodyError("not JSON") from fault
    if not isinstance(value, dict):
        raise BodyError("not a JSON object")
    return value


def annotation(body: Body) -> Body:
    """An annotation: the choices and the comment, the seconds it took, whether it was skipped.

    Raises BodyError for an answer without a score or a flag that is not a skip.
    """
    rebuilt = draft(body)
    rebuilt.pop("was_postponed")
    rebuilt["was_cancelled"] = body.get("was_cancelled") is True
    if not rebuilt["was_cancelled"] and not CHOICES.keys() & {part["from_name"] for part in rebuilt["result"]}:
        raise BodyError("an answer without a score or a flag")
    unique = body.get("unique_id")
    if isinstance(unique, str) and UUID.fullmatch(unique):
        rebuilt["unique_id"] = unique
    number = body.get("draft_id")
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        rebuilt["draft_id"] = number
    return rebuilt


def draft(body: Body) -> Body:
    """An annotation that is not submitted yet."""
    parts = body.get("result")
    if not isinstance(parts, list) or len(parts) > len(CHOICES) + 1:
        raise BodyError("result is not a list of a score, flags and a comment")
    rebuilt = [_part(part) for part in parts]
    if len({part["from_name"] for part in rebuilt}) < len(rebuilt):
        raise BodyError("result gives the same field twice")
    return {
        "result": rebuilt,
        "lead_time": _seconds(body.get("lead_time")),
        "was_postponed": body.get("was_postponed") is True,
    }


def view(_: Body) -> Body:
    """A tab of tasks, which is always the same."""
    return {"data": VIEW}


def nothing(_: Body) -> Body:
    """No fields."""
    return {}


def _part(part: Any) -> Body:
    """One region of a result: a score, flags or a comment."""
    if not isinstance(part, Mapping) or not isinstance(part.get("value"), Mapping):
        raise BodyError("a part of result without a value")
    name, value = part.get("from_name"), part["value"]
    if not isinstance(name, str):
        raise BodyError("a part of result whose from_name is not a text")
    if name in CHOICES:
        kind, texts = "choices", _strings(value.get("choices"), 3)
        if not set(texts) <= CHOICES[name] or (name == "score" and len(texts) != 1):
            raise BodyError(f"a {name} that the page does not offer")
    elif name == "comment":
        kind, texts = "textarea", _strings(value.get("text"), 10)
    else:
        raise BodyError("a part of result that the page does not have")
    rebuilt = {"from_name": name, "to_name": "def1", "type": kind, "origin": "manual"}
    number = part.get("id")
    if isinstance(number, str) and NAME.fullmatch(number):
        rebuilt["id"] = number
    return {**rebuilt, "value": {"text" if kind == "textarea" else kind: texts}}


def _strings(values: Any, most: int) -> list[str]:
    values = [values] if isinstance(values, str) else values
    if (
        not isinstance(values, list)
        or not 0 < len(values) <= most
        or not all(isinstance(value, str) for value in values)
    ):
        raise BodyError("a value that is not a short list of texts")
    if sum(map(len, values)) > MAX_COMMENT:
        raise BodyError(f"more than {MAX_COMMENT} characters")
    if not all(map(is_storable, values)):
        raise BodyError("a text with half a character or NUL, which no file or database can store")
    return values


def is_storable(text: str) -> bool:
    """Whether UTF-8 can write the text and PostgreSQL can store it: no lone surrogate, no NUL."""
    return not UNSTORABLE.search(text)


def _seconds(value: Any) -> float:
    """The seconds as a number from 0 to MAX_SECONDS; 0 for anything that is not a number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return float(min(max(value, 0), MAX_SECONDS))  # compared first: float() refuses a long integer


def _no_constant(name: str) -> float:
    raise BodyError(f"{name} is not a number")
