"""One question to a language model behind an OpenAI-compatible address, asked again while the server is busy."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import Any

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    stop_any,
    stop_when_event_set,
    wait_exponential_jitter,
)

from data.errors import InputError, ServerError
from identification.endpoints.answer import Answer, Words, error, parse

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key; it is never an argument, and nowhere written."""
LARGEST = 1_000_000
"""Bytes of a response; one word is asked for."""
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
NO_ACCESS = frozenset({401, 403, 404, 405})
LONGEST_WAIT = 60.0
"""Seconds that a server can make us wait before the next attempt."""
TOP = 20
"""Values of the first token whose log-probabilities are asked for: the most that such servers allow."""


class BudgetSpentError(Exception):
    """As many requests as were allowed have been sent."""


class _BusyError(Exception):
    """The server did not answer this time."""

    def __init__(self, found: str, wait: float | None = None) -> None:
        super().__init__(found)
        self.wait = wait


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A language model behind an address, and how it is asked."""

    url: str
    """The address up to its version, such as http://127.0.0.1:8000/v1."""
    model: str
    """The name of the model there."""
    words: Words = field(default_factory=Words)
    """The two answers."""
    max_tokens: int = 5
    """Most tokens of an answer."""
    seconds: float = 60.0
    """Longest time for an attempt."""
    attempts: int = 5
    """Most attempts for a question."""

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the answers, beside the prompt and the texts."""
        return {
            "url": self.url,
            "model": self.model,
            "yes": self.words.yes,
            "no": self.words.no,
            "max_tokens": self.max_tokens,
        }


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a run may cost."""

    max_requests: int | None = None
    """Most requests of this run, repeated attempts among them."""
    max_tokens: int | None = None
    """Tokens, as the server counts them, from which on no further question is asked; those of earlier runs count."""
    concurrency: int = 4
    """Questions asked at once."""


@dataclass
class Connection:
    """An open connection to an endpoint, for several threads; a context manager."""

    endpoint: Endpoint
    budget: Budget = field(default_factory=Budget)
    count: Callable[[int], bool] | None = None
    """Counts a request where other connections share the budget: False where there were so many already."""
    longest_pause: float = LONGEST_WAIT
    n_requests: int = field(default=0, init=False)
    _logprobs: bool = field(default=True, init=False)
    _stopped: Event = field(default_factory=Event, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _client: httpx.Client = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise InputError where the address or the key cannot be one."""
        check_address(self.endpoint.url)
        key = os.environ.get(KEY, "")
        if not (key.isascii() and key.isprintable()):
            raise InputError(KEY, expected="a key of plain letters", found="others", remedy="set it again")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, timeout=self.endpoint.seconds, follow_redirects=False)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def stop(self) -> None:
        """End the pauses of other threads, and make no further attempts."""
        self._stopped.set()

    def ask(self, question: str) -> Answer:
        """The model's answer; an error where the server stays busy or answers in another form.

        Raises ServerError where the address, the key or the model is wrong, since every other question would fail, too;
        BudgetSpentError where no more requests are allowed.
        """
        retrying = Retrying(
            retry=retry_if_exception_type(_BusyError),
            stop=stop_any(stop_after_attempt(self.endpoint.attempts), stop_when_event_set(self._stopped)),
            sleep=sleep_using_event(self._stopped),
            wait=self._pause,
            reraise=True,
        )
        try:
            return retrying(self._attempt, question)
        except _BusyError as fault:
            return error(f"{fault}, {self.endpoint.attempts} times")

    def _pause(self, state: RetryCallState) -> float:
        """As long as the server asks for, else longer each time."""
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.wait if isinstance(fault, _BusyError) else None
        pause = asked if asked is not None else wait_exponential_jitter(multiplier=0.5, max=self.longest_pause)(state)
        return min(pause, self.longest_pause)

    def _attempt(self, question: str) -> Answer:
        with_logprobs = self._logprobs
        status, headers, body = self._post(question, with_logprobs)
        if status == httpx.codes.BAD_REQUEST and with_logprobs and b"logprob" in body:
            self._logprobs = False  # this server knows none
            status, headers, body = self._post(question, False)
        if status == httpx.codes.OK:
            return parse(body, self.endpoint.words)
        found = f"status {status}: {self._show(body)}"
        if status in BUSY:
            raise _BusyError(found, _retry_after(headers.get("retry-after")))
        if status in NO_ACCESS or 300 <= status < 400:
            raise ServerError(
                self.endpoint.url,
                expected=f"answers by {self.endpoint.model}",
                found=found,
                remedy=f"check the address, the model's name and the key in {KEY}",
            )
        return error(found)

    def _post(self, question: str, with_logprobs: bool) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and at most LARGEST bytes of the response, within the endpoint's time; raises _BusyError."""
        content: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "max_tokens": self.endpoint.max_tokens,
        }
        if with_logprobs:
            content |= {"logprobs": True, "top_logprobs": TOP}
        self._count_request()
        latest = time.monotonic() + self.endpoint.seconds
        body = bytearray()
        try:
            with self._client.stream(
                "POST", f"{self.endpoint.url.rstrip('/')}/chat/completions", json=content
            ) as response:
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > LARGEST or time.monotonic() > latest:
                        raise _BusyError("a response that is too large or too slow")
                return response.status_code, response.headers, bytes(body)
        except httpx.HTTPError as fault:
            raise _BusyError(str(fault) or type(fault).__name__) from fault

    def _count_request(self) -> None:
        with self._lock:
            most = self.budget.max_requests
            if most is not None and not (self.count(most) if self.count else self.n_requests < most):
                raise BudgetSpentError
            self.n_requests += 1

    def _show(self, body: bytes) -> str:
        """The beginning of a response; servers repeat the key that they refuse."""
        text = " ".join(body.decode("utf-8", "replace").split())
        key = os.environ.get(KEY)
        return (text.replace(key, "[key]") if key else text)[:200]


def check_address(url: str) -> None:
    """Raise InputError where this is no address of a server."""
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        address = httpx.URL("")
    if address.scheme not in ("http", "https") or not address.host or address.userinfo or address.query:
        raise InputError(
            "--url",
            expected="an http or https address without a user's name or a query",
            found=repr(url),
            remedy="give the address up to its version, such as http://127.0.0.1:8000/v1",
        )


def _retry_after(value: str | None) -> float | None:
    """The seconds of the header Retry-After, a number or a date; null where it is missing or neither."""
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None
