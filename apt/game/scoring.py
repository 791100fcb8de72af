"""The judge as a process: checks come in one by one, are judged in batches, and are remembered."""

import json
import queue
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from apt.config import RewardRule
from apt.game.guards import REASONS, GuardRule, refuse
from apt.judges.judging import Judges
from data.words import normalise

AT_ONCE = 16
"""Checks that are judged together."""
REMEMBERED = 20_000
MAX_BYTES = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check as the game's server sends it."""

    sentence: str
    text: str
    own: Sequence[str] = ()
    others: Sequence[str] = ()


class CheckError(ValueError):
    """A body that is no check."""


def parse(body: bytes) -> Check:
    """The check of a body. Raises CheckError for anything else."""
    try:
        fields = json.loads(body)
        texts = {name: fields[name] for name in ("sentence", "text")}
        lists = {name: fields.get(name, []) for name in ("own", "others")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise CheckError(f"expected a sentence and a text: {type(fault).__name__}") from fault
    if not all(isinstance(text, str) and text.strip() for text in texts.values()):
        raise CheckError("expected a sentence and a text, neither empty")
    if not all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in lists.values()):
        raise CheckError("expected lists of texts")
    return Check(**texts, **lists)


class Bench:
    """The judges, asked by one thread: what waits meanwhile is judged together; an equal pair is judged once."""

    def __init__(self, judges: Judges, reward: RewardRule, guards: GuardRule, *, practice: bool) -> None:
        """Start the thread, which ends with the process; `practice`: nobody is paid by its answers."""
        self.judges, self.reward, self.guards, self.practice = judges, reward, guards, practice
        self._waiting: queue.SimpleQueue[tuple[tuple[str, str], Future[dict[str, Any]]]] = queue.SimpleQueue()
        self._known: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
        threading.Thread(target=self._work, daemon=True).start()

    def about(self) -> dict[str, Any]:
        """What an organiser has to know before anybody plays."""
        return {
            "judges": self.judges.sha256, "stand_ins": self.judges.stand_ins, "practice": self.practice,
            "highest": self.reward.highest,
        }  # fmt: skip

    def answer(self, check: Check) -> dict[str, Any]:
        """The refusal of a guard, or what the judges say."""
        refused = refuse(check.text, check.sentence, check.own, check.others, self.guards)
        if refused:
            return {"refused": refused, "reason": REASONS[refused], "practice": self.practice}
        pair = (normalise(check.sentence), normalise(check.text))
        judgement = self._known.get(pair)
        if judgement is None:
            future: Future[dict[str, Any]] = Future()
            self._waiting.put(((check.sentence, check.text), future))
            judgement = self._known[pair] = future.result()
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return judgement | {"practice": self.practice}

    def _work(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get())
            first, second = zip(*(pair for pair, _ in batch), strict=True)
            try:
                answers = self.judges.judge(first, second, self.reward)
            except Exception as fault:  # noqa: BLE001 - whoever waits must hear of it, and the thread must go on
                for _, future in batch:
                    future.set_exception(fault)
            else:
                for (_, future), judgement in zip(batch, answers, strict=True):
                    future.set_result(judgement)


def make_server(bench: Bench, port: int) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that answers GET /about and POST /check; 0 takes any free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60

        def do_GET(self) -> None:
            if self.path == "/about":
                self._send(HTTPStatus.OK, bench.about())
            else:
                self._send(HTTPStatus.NOT_FOUND, {"detail": "nothing here"})

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > MAX_BYTES:
                self.close_connection = True
                self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"detail": f"at most {MAX_BYTES} bytes"})
                return
            body = self.rfile.read(int(length))
            if self.path != "/check":
                self._send(HTTPStatus.NOT_FOUND, {"detail": "nothing here"})
                return
            try:
                self._send(HTTPStatus.OK, bench.answer(parse(body)))
            except CheckError as fault:
                self._send(HTTPStatus.BAD_REQUEST, {"detail": str(fault)})

        def _send(self, status: HTTPStatus, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep no log: the texts are the players'."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    return server
