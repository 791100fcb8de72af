"""Ask the judges, a process of its own on this machine; both sides prove that they know the server's secret.

The listener proves it before a text is sent, so that another program on the judges' port learns nothing and is not
believed (HMAC, RFC 2104, over a new number per request; the judges' half is `paraphrase_game/game/proofs.py`).
"""

import hmac
import json
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from threading import Timer
from typing import Any

SECONDS_TO_ANSWER = 8.0
"""For all that is said on one connection, however slowly."""
MAX_ANSWER_BYTES = 100_000


def about(scorer: str) -> dict[str, Any] | None:
    """What the judges say of themselves; None where none answer that know the secret."""
    try:
        with _connect(scorer) as connection:
            return _send(connection, "GET", "/about")
    except (OSError, ValueError, HTTPException):
        return None


def ask(scorer: str, sentence: str, text: str, earlier: dict[str, list[str]]) -> dict[str, Any] | None:
    """The judgement of a check; None where the judges do not answer, or not as agreed.

    `earlier`: `own` and `elsewhere`, the player's texts of this sentence and of other ones; `others`, other players'.
    """
    body = json.dumps({"sentence": sentence, "text": text} | earlier).encode()
    try:
        with _connect(scorer) as connection:
            _send(connection, "GET", "/about")
            answer = _send(connection, "POST", "/check", body)
    except (OSError, ValueError, HTTPException):
        return None
    return answer if _is_judgement(answer) else None


@contextmanager
def _connect(scorer: str) -> Iterator[HTTPConnection]:
    """One connection, which ends after SECONDS_TO_ANSWER and is never replaced by another one."""
    connection = HTTPConnection(scorer.removeprefix("http://"), timeout=SECONDS_TO_ANSWER)
    connection.connect()
    connection.auto_open = 0
    end = Timer(SECONDS_TO_ANSWER, _shut, [connection.sock])
    end.start()
    try:
        yield connection
    finally:
        end.cancel()
        connection.close()


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):  # closed in the meantime
        connected.shutdown(socket.SHUT_RDWR)


def _send(connection: HTTPConnection, method: str, path: str, body: bytes = b"") -> Any:
    """The proven answer. Raises ValueError for any other."""
    nonce, host = secrets.token_hex(16), f"{connection.host}:{connection.port}"
    place = f"{method} {host} {path}"
    headers = {"Host": host, "X-Parade-Nonce": nonce, "X-Parade-Proof": _prove("request", nonce, place, body)}
    connection.request(method, path, body or None, headers | ({"Content-Type": "application/json"} if body else {}))
    response = connection.getresponse()
    answer = response.read(MAX_ANSWER_BYTES)
    proof = response.getheader("X-Parade-Proof", "")
    expected = _prove("answer", nonce, place, answer)
    if response.status != 200 or not hmac.compare_digest(proof.encode(), expected.encode()):
        raise ValueError("no answer of the judges")
    return json.loads(answer)


def _prove(kind: str, nonce: str, place: str, body: bytes) -> str:
    key = bytes.fromhex(os.environ["PARADE_JUDGES_KEY"])
    return hmac.new(key, f"{kind}\n{nonce}\n{place}\n".encode() + body, "sha256").hexdigest()


def _is_judgement(answer: Any) -> bool:
    """Whether this is a refusal with its reason, or a reward of whole cents with what it was computed from."""
    if not isinstance(answer, dict) or not isinstance(answer.get("practice"), bool):
        return False
    if answer.get("refused"):
        return isinstance(answer["refused"], str) and isinstance(answer.get("reason"), str)
    reward = answer.get("reward")
    whole = isinstance(reward, int) and not isinstance(reward, bool) and reward >= 0
    return whole and isinstance(answer.get("implied"), bool)
