"""The judges as a process: they answer the game's server on this machine, and no one else."""

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paraphrase_game.game.proofs import NONCE, PROOF, is_proven, prove
from paraphrase_game.game.scoring import CheckError, JudgeQueue, parse

MAX_BYTES = 4_000_000
NOTHING = {"detail": "nothing here"}


class Server(ThreadingHTTPServer):
    """A server on 127.0.0.1 that answers GET /about and POST /check to those who know a secret."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, bench: JudgeQueue, port: int, key: bytes) -> None:
        """`port`: 0 takes any free one. `key`: the secret."""
        self.bench, self.key = bench, key
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        if self._admits(b""):
            known = self.path == "/about"
            self._send(*((HTTPStatus.OK, self.server.bench.about()) if known else (HTTPStatus.NOT_FOUND, NOTHING)))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BYTES} bytes")
            return
        body = self.rfile.read(int(length))
        if not self._admits(body):
            return
        if self.path != "/check":
            self._send(HTTPStatus.NOT_FOUND, NOTHING)
            return
        try:
            self._send(HTTPStatus.OK, self.server.bench.answer(parse(body)))
        except CheckError as fault:
            self._send(HTTPStatus.BAD_REQUEST, {"detail": str(fault)})

    @property
    def _place(self) -> str:
        return f"{self.command} {self.headers.get('Host', '')} {self.path}"

    def _admits(self, body: bytes) -> bool:
        """Whether the game's server asks, and no one else; otherwise the refusal is sent."""
        own = self.server.server_address[1]
        proof, nonce = self.headers.get(PROOF, ""), self.headers.get(NONCE, "")
        if self.headers.get_all("Host") not in ([f"127.0.0.1:{own}"], [f"localhost:{own}"]):
            self._refuse(HTTPStatus.BAD_REQUEST, "another host's name")
        elif "Origin" in self.headers:
            self._refuse(HTTPStatus.FORBIDDEN, "no page is answered")
        elif self.command == "POST" and self.headers.get_all("Content-Type") != ["application/json"]:
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "only JSON is accepted")
        elif not is_proven(self.server.key, proof, nonce, self._place, body):
            self._refuse(HTTPStatus.UNAUTHORIZED, "the game's server alone is answered")
        else:
            return True
        return False

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._send(status, {"detail": why}, proven=False)

    def _send(self, status: HTTPStatus, content: dict[str, Any], *, proven: bool = True) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if proven:  # only to those who know the secret: no stranger gets a proof of anything
            self.send_header(PROOF, prove(self.server.key, "answer", self.headers[NONCE], self._place, body))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep no log: the texts are the players'."""
