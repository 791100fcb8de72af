"""A web site on 127.0.0.1 that answers as told and remembers what it was asked."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, kw_only=True)
class Answer:
    body: bytes = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


RULES = Answer(body=b"User-agent: *\nDisallow: /secret\n", type="text/plain")
NOT_FOUND = Answer(body=b"<title>Not found</title>", status=404)


class LocalSite:
    """Routes map a path with query to an Answer, a list of them (one a request, the last for ever) or a function."""

    def __init__(self, routes: dict[str, Answer | list[Answer] | Callable[[str], Answer]], robots: Answer = RULES):
        self.routes = {"/robots.txt": robots, **routes}
        self.asked: list[str] = []
        self.times: list[float] = []
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "LocalSite":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        with self._lock:
            self.asked.append(target)
            self.times.append(time.monotonic())
            self.headers.append(headers)
            route = self.routes.get(target, self.routes.get(target.split("?", maxsplit=1)[0], NOT_FOUND))
            if callable(route):
                return route(target)
            if isinstance(route, list):
                return route.pop(0) if len(route) > 1 else route[0]
            return route

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                answer = site.answer(self.path, dict(self.headers))
                self.send_response(answer.status)
                for name, value in {
                    "Content-Type": answer.type,
                    "Content-Length": str(len(answer.body)),
                    **answer.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_):
                pass

        return Handler
