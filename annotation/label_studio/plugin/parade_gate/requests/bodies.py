"""The bodies that an annotator may send, rebuilt from the few allowed fields; imports no part of the server.

A body is never checked and then passed on as it came: the server gets nothing that is not named here.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from parade_gate.requests.pages import COMMENT, PageControls

MAX_BYTES = 64 * 1024
MAX_COMMENT_CHARS = 5_000
MAX_ANSWERS = 11
MAX_SECONDS = 1_000_000
UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
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


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What an answer is about."""

    page: PageControls
    data: Mapping[str, Any]
    """The fields of the task."""


Rebuild = Callable[[Body, Asked], Body]


class BodyError(ValueError):
    """A body that the labelling page would not send."""


class TextUnchangedError(BodyError):
    """A corrected text without a change, which an annotator can send and must be told of."""


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


def draft_id(body: Body) -> dict[str, int]:
    """The draft that an annotation says it replaces: {"draft": number}, empty where it names none."""
    number = body.get("draft_id")
    return {"draft": number} if isinstance(number, int) and not isinstance(number, bool) and number > 0 else {}


def annotation(body: Body, asked: Asked) -> Body:
    """An annotation: the answers, flags and comment, the seconds it took, whether it was skipped.

    Raises BodyError for an answer that lacks something, contradicts itself or leaves the text to correct as it was,
    unless it is a skip.
    """
    rebuilt = draft(body, asked)
    rebuilt.pop("was_postponed")
    rebuilt["was_cancelled"] = body.get("was_cancelled") is True
    if not rebuilt["was_cancelled"]:
        rebuilt["result"] = _require_whole(rebuilt["result"], asked)
    unique = body.get("unique_id")
    if isinstance(unique, str) and UUID.fullmatch(unique):
        rebuilt["unique_id"] = unique
    return rebuilt | {f"{name}_id": number for name, number in draft_id(body).items()}


def draft(body: Body, asked: Asked) -> Body:
    """An annotation that is not submitted yet."""
    parts, page = body.get("result"), asked.page
    if not isinstance(parts, list) or len(parts) > len(page.choices) + len(page.edited) + 1:
        raise BodyError("result is not a list of answers, flags and a comment")
    rebuilt = [_part(part, page) for part in parts]
    if len({part["from_name"] for part in rebuilt}) < len(rebuilt):
        raise BodyError("result gives the same field twice")
    return {
        "result": rebuilt,
        "lead_time": _seconds(body.get("lead_time")),
        "was_postponed": body.get("was_postponed") is True,
    }


def view(_: Body, __: Asked) -> Body:
    """A tab of tasks, which is always the same."""
    return {"data": VIEW}


def nothing(_: Body, __: Asked) -> Body:
    """No fields."""
    return {}


def _part(part: Any, page: PageControls) -> Body:
    """One region of a result: an answer, flags, a corrected text or a comment."""
    if not isinstance(part, Mapping) or not isinstance(part.get("value"), Mapping):
        raise BodyError("a part of result without a value")
    name, value = part.get("from_name"), part["value"]
    if not isinstance(name, str):
        raise BodyError("a part of result whose from_name is not a text")
    if name in page.choices:
        kind, texts, control = "choices", _strings(value.get("choices"), MAX_ANSWERS), page.choices[name]
        if not set(texts) <= control.answers or len(texts) > (len(set(texts)) if control.several else 1):
            raise BodyError(f"a {name} that the page does not offer")
    elif name in page.edited:
        kind, texts = "textarea", _strings(value.get("text"), 1, MAX_BYTES)
    elif name == COMMENT:
        kind, texts = "textarea", _strings(value.get("text"), 10)
    else:
        raise BodyError("a part of result that the page does not have")
    rebuilt = {"from_name": name, "to_name": "def1", "type": kind, "origin": "manual"}
    number = part.get("id")
    if isinstance(number, str) and NAME.fullmatch(number):
        rebuilt["id"] = number
    return {**rebuilt, "value": {"text" if kind == "textarea" else kind: texts}}


def _require_whole(parts: list[Body], asked: Asked) -> list[Body]:
    """The parts of a whole answer, without a corrected text that was not asked for."""
    page = asked.page
    chosen = {part["from_name"]: part["value"]["choices"] for part in parts if part["type"] == "choices"}
    texts = {part["from_name"]: part["value"]["text"][0] for part in parts if part["from_name"] in page.edited}
    if not all(control & chosen.keys() for control in page.needed):
        raise BodyError("an answer without a score or a flag, or with one of several answers missing")
    for name, values in chosen.items():
        if len(values) > 1 and page.choices[name].alone in values:
            raise BodyError(f"{page.choices[name].alone} with other answers: it excludes them")
    unasked = {name for name, edited in page.edited.items() if not edited.is_called_for(chosen)}
    for name in page.edited.keys() - unasked:
        before = str(asked.data.get(page.edited[name].field, ""))
        words = texts.get(name, "").split()
        if not words:
            raise BodyError("an answer without the corrected text that it asks for")
        if words == before.split():
            raise TextUnchangedError("Not saved: the text is as it was. Correct it, or give another answer.")
    return [part for part in parts if part["from_name"] not in unasked]


def _strings(values: Any, most: int, longest: int = MAX_COMMENT_CHARS) -> list[str]:
    values = [values] if isinstance(values, str) else values
    if (
        not isinstance(values, list)
        or not 0 < len(values) <= most
        or not all(isinstance(value, str) for value in values)
    ):
        raise BodyError("a value that is not a short list of texts")
    if sum(map(len, values)) > longest:
        raise BodyError(f"more than {longest} characters")
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
