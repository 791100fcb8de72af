"""A language model's server of the test's own: it answers by a table, fails, stalls, cuts off and lies on demand."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Respond = Callable[[BaseHTTPRequestHandler, str, int], None]
"""Answer a request with this question, asked for the so-manieth time."""


@dataclass
class ModelServer:
    """What the server does, and what was asked."""

    respond: Respond
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def completion(text: str | list[dict[str, Any]] | None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    choice["message"] |= more.pop("message", {})
    choice |= more.pop("choice", {})
    return {"model": "tiny-1", "choices": [choice], "usage": {"total_tokens": 12}} | more


def reply(handler: BaseHTTPRequestHandler, body: Any, status: int = 200, **headers: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def serve(respond: Respond) -> Iterator[ModelServer]:
    """A running server on this machine."""
    state = ModelServer(respond)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            question = content["messages"][0]["content"]
            with state.lock:
                state.requests.append(content | {"path": self.path})
                state.headers.append(dict(self.headers))
                state.times[question] += 1
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
                time_ = state.times[question]
            try:
                state.respond(self, question, time_)
            except OSError:
                self.close_connection = True
            finally:
                with state.lock:
                    state.at_once -= 1

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def stall(seconds: float) -> None:
    time.sleep(seconds)
