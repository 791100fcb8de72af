"""A response is taken only whole, in time, of bounded size and as it was sent."""

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest
import zstandard

from identification.endpoints.wire import MAX_RESPONSE_BYTES, Wire, WireError
from tests.identification.endpoints.model_server import completion, reply, serve

QUESTION = {"messages": [{"role": "user", "content": "?"}]}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
PAUSE, SECONDS = 0.02, 0.3


@contextmanager
def dripping(fast: bytes, slow: bytes) -> Iterator[tuple[str, threading.Event]]:
    """A server that sends `fast` at once and `slow` byte by byte, and whether it came to the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(100_000)
            try:
                connection.sendall(fast)
                for byte in slow:
                    connection.sendall(bytes([byte]))
                    threading.Event().wait(PAUSE)
                over.set()
            except OSError:
                pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", over
    finally:
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    ("fast", "slow"), [(b"", HEAD + b" " * 60), (HEAD, b" " * 60), (b"HTTP/1.1 100 Continue\r\n\r\n" * 9, HEAD)]
)
def test_a_server_that_drips_has_no_more_time_than_any_other(fast: bytes, slow: bytes) -> None:
    with dripping(fast, slow) as (url, over), Wire({}, SECONDS) as wire:
        with pytest.raises(WireError, match=r"no whole response within 0\.3 s"):
            wire.post(url, QUESTION)
        assert not over.is_set()


def test_a_server_that_accepts_and_says_nothing_has_no_more_time_either() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, Wire({}, SECONDS) as wire:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(WireError, match="no whole response"):
            wire.post(url, QUESTION)


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "zstd", "deflate", "br", "x"])
def test_encoded_responses_are_neither_asked_for_nor_unpacked(encoding: str) -> None:
    bomb = b" " * 10_000_000
    for name in encoding.split(", "):
        bomb = {"gzip": gzip.compress, "zstd": zstandard.compress}.get(name, bytes)(bomb)

    def send(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, bomb, Content_Encoding=encoding)

    with serve(send) as server, Wire({}, 5) as wire:
        with pytest.raises(WireError, match=f"in the encoding {encoding}"):
            wire.post(server.url, QUESTION)
        assert server.headers[0]["Accept-Encoding"] == "identity"


def test_no_more_is_read_than_an_answer_can_need() -> None:
    def send(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, b" " * (MAX_RESPONSE_BYTES + time - 1))

    with serve(send) as server, Wire({}, 5) as wire:
        assert len(wire.post(server.url, QUESTION).body) == MAX_RESPONSE_BYTES
        with pytest.raises(WireError, match="more than 1,000,000 bytes"):
            wire.post(server.url, QUESTION)


def test_redirects_are_shown_and_not_followed() -> None:
    def lead(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, b"", 307, Location=other.url)

    with serve(lambda handler, question, time: reply(handler, completion("yes"))) as other:
        with serve(lead) as server, Wire({"Authorization": "Bearer x"}, 5) as wire:
            assert wire.post(server.url, QUESTION).status == 307
        assert not other.requests
