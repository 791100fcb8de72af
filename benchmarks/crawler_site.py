"""A fast site of set pages on 127.0.0.1 for the crawler's benchmark; prints its address and serves until terminated."""

from functools import cache

from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from benchmarks.crawler import FIRST_ID, page

PAGES = 200
"""Distinct pages; the others are copies with another number."""


@cache
def template(number: int) -> bytes:
    return page(FIRST_ID + number)


class Sets(Resource):
    isLeaf = True  # noqa: N815 - Twisted's name

    def render_GET(self, request: Request) -> bytes:  # noqa: N802 - Twisted's name
        segment = request.path.strip(b"/")
        if not segment.isdigit():
            request.setResponseCode(404)
            return b""
        number = (int(segment) - FIRST_ID) % PAGES
        request.setHeader("Content-Type", "text/html; charset=utf-8")
        return template(number).replace(str(FIRST_ID + number).encode(), segment)


if __name__ == "__main__":
    for one in range(PAGES):
        template(one)
    port = reactor.listenTCP(0, Site(Sets()), interface="127.0.0.1")
    print(f"http://127.0.0.1:{port.getHost().port}", flush=True)
    reactor.run()
