"""One question to a language model behind an OpenAI-compatible address, asked again while the server is busy."""

import os
import re
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

from data.console.errors import InputError, ServerError
from identification.endpoints.answer import (
    AnswerWords,
    Reply,
    ReplyOutcome,
    clean,
    error,
    filters_question,
    find_sentence,
    parse,
)
from identification.endpoints.forms import Form
from identification.endpoints.wire import Response, Wire, WireError

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key; it is never an argument, and nowhere written."""
REFUSED = frozenset({400, 403, 422, 501})
"""The request may have a form that the server does not accept, or not from this account."""
DO_SO = "do what the server says, then run the same command again"
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
NO_ACCESS = frozenset({401, 403, 404, 405})
HOST = re.compile(r"[\w-]{1,63}(\.[\w-]{1,63})*\.?|[0-9a-f]*:[0-9a-f:.]+")
"""A machine's name, or its number of either version."""
MAX_WAIT_SECONDS = 60.0
"""Seconds that a server can make us wait before the next attempt."""


class BudgetSpentError(Exception):
    """As many requests as were allowed have been sent."""


class _BusyError(Exception):
    """The server did not answer this time."""

    def __init__(self, found: str, remedy: str = "", wait: float | None = None) -> None:
        super().__init__(found)
        self.remedy, self.wait = remedy, wait


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A language model behind an address, and how it is asked."""

    url: str
    """The address up to its version, such as http://127.0.0.1:8000/v1."""
    model: str
    """The name of the model there."""
    words: AnswerWords = field(default_factory=AnswerWords)
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
    """Tokens, as the server counts them, from which on no further question is asked; earlier runs count."""
    concurrency: int = 4
    """Questions asked at once."""


@dataclass
class Connection:
    """An open connection to an endpoint, for several threads; a context manager."""

    endpoint: Endpoint
    budget: Budget = field(default_factory=Budget)
    count: Callable[[int], bool] | None = None
    """Counts a request where other connections share the budget: False where there were this many already."""
    longest_pause: float = MAX_WAIT_SECONDS
    form: Form = field(default_factory=Form)
    """How the server is asked; changed where it refuses a part of it."""
    n_requests: int = field(default=0, init=False)
    _stopped: Event = field(default_factory=Event, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _key: str = field(init=False, repr=False)
    _wire: Wire = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise InputError where the address or the key cannot be one."""
        self._address = read_address(self.endpoint.url)
        self._key = read_key()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._wire = Wire(headers, self.endpoint.seconds)

    def __enter__(self) -> "Connection":
        self._wire.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.__exit__()

    def stop(self) -> None:
        """End the pauses of other threads, and make no further attempts."""
        self._stopped.set()

    def ask(self, question: str) -> Reply:
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
            answer = retrying(self._attempt, question)
        except _BusyError as fault:
            answer = error(f"{fault}, {self.endpoint.attempts} times", fault.remedy)
        return answer.cleaned(self._key)

    def _pause(self, state: RetryCallState) -> float:
        """As long as the server asks for, else longer each time."""
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.wait if isinstance(fault, _BusyError) else None
        pause = asked if asked is not None else wait_exponential_jitter(multiplier=0.5, max=self.longest_pause)(state)
        return min(pause, self.longest_pause)

    def _attempt(self, question: str) -> Reply:
        form, response = self._post(question)
        if response.status == httpx.codes.OK:
            self.form = form
            return parse(response.body, self.endpoint.words)
        found = f"status {response.status}: {find_sentence(response.body)}"
        remedy = DO_SO if 400 <= response.status < 500 else ""
        if response.status in BUSY:
            raise _BusyError(found, remedy, _retry_after(response.headers.get("retry-after")))
        if response.status in NO_ACCESS or 300 <= response.status < 400:
            raise ServerError(
                self.endpoint.url,
                expected=f"answers by {self.endpoint.model}",
                found=clean(found, self._key),
                remedy=f"check the address, the model's name and the key in {KEY}",
            )
        if filters_question(response.body):
            return Reply(outcome=ReplyOutcome.REFUSED, text=found)
        return error(found, remedy)

    def _post(self, question: str) -> tuple[Form, Response]:
        """The response, and the form of the request: without what the server refused. Raises _BusyError."""
        form: Form | None = self.form
        while form is not None:
            used, response = form, self._send(form.content(self.endpoint.model, question, self.endpoint.max_tokens))
            form = form.without(response.text) if response.status in REFUSED else None
        return used, response

    def _send(self, content: dict[str, Any]) -> Response:
        self._count_request()
        try:
            return self._wire.post(self._address, content)
        except WireError as fault:
            raise _BusyError(str(fault)) from fault

    def _count_request(self) -> None:
        with self._lock:
            most = self.budget.max_requests
            if most is not None and not (self.count(most) if self.count else self.n_requests < most):
                raise BudgetSpentError
            self.n_requests += 1


def read_key() -> str:
    """The key of the environment; empty where there is none. Raises InputError where it cannot be one."""
    key = os.environ.get(KEY, "")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InputError(KEY, expected="a key of plain letters", found="others", remedy="set it again")
    return key


def read_address(url: str) -> str:
    """Where questions are sent. Raises InputError, which repeats no secret of it, where this is no server's address."""
    try:
        address = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        address = httpx.URL("")
    if fault := _find_fault(url, address):
        raise InputError(
            "--url",
            expected="an http or https address",
            found=fault,
            remedy="give the address up to its version, such as http://127.0.0.1:8000/v1",
        )
    return f"{url.rstrip('/')}/chat/completions"


def _find_fault(url: str, address: httpx.URL) -> str:
    """What is wrong with an address, without its parts in which people write passwords and keys; empty if nothing."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        return f"one with a user's name or a password (keys come from {KEY} alone)"
    if "?" in url or "#" in url:
        return "one with a query or a fragment"
    if address.scheme not in ("http", "https") or not HOST.fullmatch(address.raw_host.decode("ascii")):
        return repr(url)
    return "" if address.port is None or 1 <= address.port <= 65535 else f"port {address.port}"


def _retry_after(value: str | None) -> float | None:
    """The seconds of the header Retry-After, a number or a date; null where it is missing or neither."""
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None
