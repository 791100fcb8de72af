"""The site: decks behind a real HTTP server on 127.0.0.1, with the manners of a flashcard site.

python -m demo.site --port 8765
"""

import re
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from demo.card_site import pages, webapi
from demo.card_site.decks import SiteDeck, read_decks
from demo.card_site.replies import (
    API_NOT_FOUND,
    BLOCKS,
    CLOSED,
    FAULTS,
    FIXED,
    NOT_FOUND,
    OTHER_PAYLOAD,
    PAGES,
    RESOURCES,
    SLOW_DOWN,
    SiteReply,
    as_json,
    challenge,
    error_json,
)
from demo.card_site.search import Index, search_page

SET_PATH = re.compile(r"^(?:/[a-z]{2}(?:-[a-z]{2})?)?/(\d{8,10})(/[^/]+)?(?:/starred)?/?$")
STUDY_MODES = {"/flashcards", "/learn", "/test", "/match"}
ITEMS_PATH = re.compile(r"^/webapi/3\.[49]/studiable-item-documents$")
METADATA_PATH = re.compile(r"^/webapi/3\.[2489]/sets/(\d+)$")


class DemoSite:
    """A running site; a context manager whose exit leaves no thread and no open socket."""

    def __init__(self, *, port: int = 0, blocks: bool = True, faults: bool = True) -> None:
        self.decks = read_decks() if faults else {n: replace(d, announced=None) for n, d in read_decks().items()}
        self.requests: list[tuple[str, int]] = []
        """Every request answered so far: path with query, status."""
        self._calm = (set() if blocks else BLOCKS) | (set() if faults else FAULTS)
        self._index = Index.of(self.decks.values())
        self._refused_once: set[int] = set()
        self._lock = threading.Lock()
        self._cache: dict[str, SiteReply] = {}
        self._server = _Server(("127.0.0.1", port), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="demo-site")

    @property
    def url(self) -> str:
        """The address, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> Self:
        """Start answering; the site itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close every connection, join every thread, free the port."""
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def answer(self, target: str) -> SiteReply:
        """The reply to a request for this path and query; logged."""
        parts = urlsplit(target)
        deck = self._deck_of(parts.path, dict(parse_qsl(parts.query)))
        with self._lock:
            reply = SLOW_DOWN if deck and self._is_first_of_limited(deck) else self._cached(target)
            self.requests.append((target, reply.status))
        return reply

    def _behaviour(self, deck: SiteDeck) -> str:
        return "" if deck.behaviour in self._calm else deck.behaviour

    def _is_first_of_limited(self, deck: SiteDeck) -> bool:
        if self._behaviour(deck) != "rate_limited" or deck.id in self._refused_once:
            return False
        self._refused_once.add(deck.id)
        return True

    def _deck_of(self, path: str, query: Mapping[str, str]) -> SiteDeck | None:
        match = SET_PATH.match(path) or METADATA_PATH.match(path)
        number = match[1] if match else query.get("filters[studiableContainerId]", "")
        return self.decks.get(int(number)) if number.isascii() and number.isdigit() else None

    def _cached(self, target: str) -> SiteReply:
        if target not in self._cache:
            self._cache[target] = self._route(target)
        return self._cache[target]

    def _route(self, target: str) -> SiteReply:
        parts = urlsplit(target)
        path, query = parts.path, dict(parse_qsl(parts.query))
        deck = self._deck_of(path, query)
        if path.startswith("/webapi/"):
            return self._resource(deck, path, query)
        if SET_PATH.match(path):
            return self._page(deck, path) if deck else NOT_FOUND
        return self._search(query) if path == "/search" else FIXED.get(path, NOT_FOUND)

    def _search(self, query: Mapping[str, str]) -> SiteReply:
        page = webapi.positive(query, "page", 1)
        if page is None:
            return NOT_FOUND
        return SiteReply(body=search_page(self._index, query.get("query", ""), page))

    def _page(self, deck: SiteDeck, path: str) -> SiteReply:
        behaviour = self._behaviour(deck)
        if behaviour == "challenge":
            return challenge(path)
        if behaviour in CLOSED:
            return CLOSED[behaviour][0]
        match = SET_PATH.match(path)
        study = match is not None and match[2] in STUDY_MODES
        shape = PAGES.get(behaviour) or pages.GENERATIONS[deck.generation][study]
        shown = self.decks[OTHER_PAYLOAD[deck.id]] if behaviour == "other_payload" else deck
        return SiteReply(body=shape(shown, self._others(deck)))

    def _others(self, deck: SiteDeck) -> list[SiteDeck]:
        """Two open sets that the page recommends: the next ones by id, around the end."""
        open_decks = [other for other in self.decks.values() if not other.behaviour and other.shown]
        later = [other for other in open_decks if other.id > deck.id]
        return (later + open_decks)[:2]

    def _resource(self, deck: SiteDeck | None, path: str, query: Mapping[str, str]) -> SiteReply:
        listing = ITEMS_PATH.match(path)
        if not (listing or METADATA_PATH.match(path)):
            return error_json(404, "unknown_resource", "No such resource")
        if listing and query.get("filters[studiableContainerType]") != "1":
            return error_json(400, "invalid_parameter", "filters[studiableContainerType] must be 1")
        if deck is None:
            return API_NOT_FOUND
        refused = self._refused_resource(self._behaviour(deck), path)
        if refused:
            return refused
        return as_json(webapi.studiable_documents(deck, query) if listing else webapi.set_metadata(deck))

    def _refused_resource(self, behaviour: str, path: str) -> SiteReply | None:
        if behaviour == "challenge":
            return challenge(path)
        return CLOSED[behaviour][1] if behaviour in CLOSED else RESOURCES.get(behaviour)


class _Server(ThreadingHTTPServer):
    """A threading server that joins its threads and can close the connections that are still open."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        if isinstance(request, socket.socket):
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may leave before the reply; anything else is printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def close_connections(self) -> None:
        """End the reading of clients that never sent a whole request; others may just be closing."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)


def _handler_of(site: DemoSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            reply = site.answer(self.path)
            body = reply.body.encode("utf-8")
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing: `DemoSite.requests` is the log."""

    return Handler


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Serve the demo decks until Ctrl-C."""

    port: int = 0
    """Port on 127.0.0.1; 0 takes a free one."""
    blocks: bool = True
    """Answer some sets with challenges and 429."""
    faults: bool = True
    """Serve some pages malformed, walled, truncated or with another set's payload."""


def main(arguments: Arguments) -> None:
    """Serve until interrupted; the first line printed is the address."""
    with DemoSite(port=arguments.port, blocks=arguments.blocks, faults=arguments.faults) as site:
        print(site.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(site.requests)} requests answered")


if __name__ == "__main__":
    from data.console.commands import run

    run(main, prog="python -m demo.site")
