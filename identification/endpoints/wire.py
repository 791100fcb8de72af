"""A request over HTTP whose time and size hold for the whole response, from the connection to the last byte."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self

import httpx
from anyio import fail_after
from anyio.from_thread import start_blocking_portal

MAX_RESPONSE_BYTES = 1_000_000
"""Bytes of a response as they are sent; one word is asked for."""


class WireError(Exception):
    """No whole response came."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """A whole response."""

    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are none are replaced."""
        return self.body.decode("utf-8", "replace")


class Wire:
    """Connections for several threads; a context manager.

    It asks for bytes as they are and refuses encoded ones: their size says nothing of what they unpack to.
    """

    def __init__(self, headers: Mapping[str, str], seconds: float) -> None:
        """`headers`: sent with every request; `seconds`: the longest time for one."""
        self._seconds = seconds
        self._headers = {**headers, "Accept-Encoding": "identity"}

    def __enter__(self) -> Self:
        """The same, ready to send."""
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            limits = httpx.Limits(max_connections=None)
            client = httpx.AsyncClient(headers=self._headers, timeout=None, limits=limits)  # noqa: S113 - see _post
            self._client = stack.enter_context(self._portal.wrap_async_context_manager(client))
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._open.close()

    def post(self, url: str, content: Mapping[str, Any]) -> Response:
        """The response to `content` as JSON. Raises WireError where none comes whole, in time and unencoded."""
        try:
            response: Response = self._portal.call(self._post, url, content)
            return response
        except TimeoutError as fault:
            raise WireError(f"no whole response within {self._seconds:g} s") from fault
        except httpx.HTTPError as fault:
            raise WireError(str(fault) or type(fault).__name__) from fault

    async def _post(self, url: str, content: Mapping[str, Any]) -> Response:
        body = bytearray()
        with fail_after(self._seconds):
            async with self._client.stream("POST", url, json=content) as response:
                if encoding := response.headers.get("content-encoding"):
                    raise WireError(f"a response in the encoding {encoding}, which was not asked for")
                async for piece in response.aiter_raw():
                    body += piece
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise WireError(f"a response of more than {MAX_RESPONSE_BYTES:,} bytes")
                return Response(status=response.status_code, headers=response.headers, body=bytes(body))
