"""A local S3 server, and a proxy before it that counts requests, waits as a slow network does, and cuts lines."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from tests.campaign import free_port

HOST = "127.0.0.1"


@contextmanager
def s3_server(**more: str) -> Iterator[str]:
    """The address of a server that ends with the block."""
    port = free_port()
    words = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", port]
    process = subprocess.Popen(words, env=os.environ | more, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    url = f"http://{HOST}:{port}"
    try:
        wait_for(port)
        urllib.request.urlopen(urllib.request.Request(f"{url}/bucket", method="PUT"), timeout=60).close()
        yield url
    finally:
        process.kill()
        process.wait()


def wait_for(port: str) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection((HOST, int(port)), 1):
            return
        time.sleep(0.1)
    raise TimeoutError(port)


def environment(url: str) -> dict[str, str]:
    """What a command needs to reach the server."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
    }


class Proxy:
    """A proxy in a process of its own: deltalake lets no other thread run while it waits for an answer."""

    def __init__(self, url: str) -> None:
        port = free_port()
        words = [sys.executable, "-m", "tests.object_storage", url.removeprefix("http://"), port]
        self.process = subprocess.Popen(words, cwd=Path(__file__).parents[1])
        self.url = f"http://{HOST}:{port}"
        wait_for(port)

    def set(self, *, seconds: float = 0.0, drop: str = "", cut: str = "", times: int = 10**9, refuse: str = "") -> None:
        """`seconds`: how late it answers. `drop`: the requests (METHOD PATH, a regex) that are lost; `cut`: those whose
        answers are lost; `times`: how many. `refuse`: the answer to each PUT, such as "403 Forbidden"."""
        rule = {"seconds": seconds, "drop": drop, "cut": cut, "times": times, "refuse": refuse}
        content = json.dumps(rule).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/-/", content, method="POST"), timeout=60).close()

    def requests(self) -> list[str]:
        """Method and path of each request since the last call."""
        with urllib.request.urlopen(f"{self.url}/-/", timeout=60) as answer:
            return list(json.load(answer))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Handler(BaseHTTPRequestHandler):
    """Passes a request on to the server, by the rule."""

    protocol_version = "HTTP/1.1"
    target = ""
    rule: ClassVar[dict[str, Any]] = {"seconds": 0.0, "drop": "", "cut": "", "times": 0, "refuse": ""}
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/-/":
            if content:
                self.rule.update(json.loads(content))
            body = json.dumps(self.seen).encode()
            self.seen.clear()
            self.answer(200, [], body, len(body))
            return
        request = f"{self.command} {self.path}"
        self.seen.append(request)
        time.sleep(self.rule["seconds"])
        if self.is_lost("drop", request):
            return
        if self.command == "PUT" and self.rule["refuse"]:
            self.answer(int(self.rule["refuse"].split()[0]), [], b"", 0)
            return
        line = http.client.HTTPConnection(self.target, timeout=60)
        line.request(self.command, self.path, content, dict(self.headers))
        answer = line.getresponse()
        body = answer.read()
        line.close()
        if not self.is_lost("cut", request):
            length = int(answer.getheader("Content-Length", "0")) if self.command == "HEAD" else len(body)
            self.answer(answer.status, answer.getheaders(), body, length)

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815 - http.server gives the names

    def is_lost(self, kind: str, request: str) -> bool:
        pattern = self.rule[kind]
        is_lost = bool(pattern and self.rule["times"] and re.search(pattern, request))
        self.rule["times"] -= is_lost
        self.close_connection = self.close_connection or is_lost
        return is_lost

    def answer(self, status: int, headers: list[tuple[str, str]], body: bytes, length: int) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


if __name__ == "__main__":
    Handler.target = sys.argv[1]
    ThreadingHTTPServer((HOST, int(sys.argv[2])), Handler).serve_forever()
