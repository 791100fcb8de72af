"""An annotator at work: signed in on the login page, with a session cookie and no token, one pair after another."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self

import httpx

from annotation.campaign.accounts import Account
from data.console.errors import ServerError

SECONDS_TO_ANSWER = 120.0
"""A locked SQLite answers slowly: forty annotators at once wait some seconds."""


class Sitting:
    """One annotator's browser session; a context manager."""

    def __init__(self, url: str, account: Account, *, simulation_key: str | None = None) -> None:
        """Open no connection yet: `sign_in` does.

        `simulation_key`: the administrator's API key, with which the seconds of simulated answers count as stated;
        otherwise the server's own clock bounds them.
        """
        self.account = account
        self._headers = {"X-Parade-Simulation": f"Token {simulation_key}"} if simulation_key else {}
        self._browser = httpx.Client(
            base_url=url,
            timeout=SECONDS_TO_ANSWER,
            event_hooks={"response": [self._release_cookies]},
            verify=_certificates(),
        )

    def __enter__(self) -> Self:
        """The session itself, not signed in yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections without signing out, as closing a browser does."""
        self._browser.close()

    def sign_in(self, *, accepts: bool = True) -> None:
        """Fill in the login form, then accept the pending documents if `accepts`.

        Raises ServerError if the server refuses.
        """
        form = {"email": self.account.email, "password": self.account.password}
        answer = self._send_form("/user/login/", form)
        if accepts and answer.is_redirect:
            self.accept()
        if not answer.is_redirect:
            raise ServerError(
                f"{self._browser.base_url}, annotator {self.account.annotator}",
                expected="the login page to accept the account's password",
                found=f"status {answer.status_code}",
                remedy="create the accounts first: python -m annotation open",
            )

    def accept(self) -> list[str]:
        """Tick every box of the page before the first task; return the keys of the pending documents."""
        with self._one_line_errors():
            page = self._browser.get("/agreement")
        keys = re.findall(r'name="accept" value="(\w+)"', page.text)
        if keys:
            self._send_form("/agreement", {"accept": keys})
        return keys

    def projects(self) -> dict[str, tuple[int, int]]:
        """The projects that the server shows this annotator: title -> id and number of open tasks."""
        query = "/api/projects/?include=id,title,task_number,finished_task_number&page_size=1000"
        return {
            project["title"]: (int(project["id"]), project["task_number"] - project["finished_task_number"])
            for project in self._json("GET", query)["results"]
        }

    def next_task(self, project: int) -> dict[str, Any] | None:
        """The task (`id`, `data`) that the page would show next; None if none is left."""
        with self._one_line_errors():
            answer = self._browser.get(f"/api/projects/{project}/next")
            if answer.status_code == httpx.codes.NOT_FOUND:
                return None
            return dict(answer.raise_for_status().json())

    def submit(
        self, project: int, task: int, answers: Mapping[str, Sequence[str] | str], seconds: float, comment: str = ""
    ) -> None:
        """Send the answers to a task as the page does: chosen values, or a text, by control; and a comment, if any."""
        texts = {name: text for name, text in answers.items() if isinstance(text, str)}
        texts |= {"comment": comment} if comment else {}
        chosen = {name: list(values) for name, values in answers.items() if not isinstance(values, str)}
        result = [_region(name, "choices", {"choices": values}) for name, values in chosen.items()]
        result += [_region(name, "textarea", {"text": [text]}) for name, text in texts.items()]
        body = {"result": result, "lead_time": seconds, "project": project}
        self._json("POST", f"/api/tasks/{task}/annotations/?project={project}", body, self._headers)

    def _release_cookies(self, response: httpx.Response) -> None:
        """Let cookies for TLS alone go to the server's own address, too, as browsers do on the same machine."""
        for cookie in self._browser.cookies.jar if response.url.scheme == "http" else ():
            cookie.secure = False

    def _send_form(self, page: str, form: dict[str, Any]) -> httpx.Response:
        """Fill in the page's form and send it as a browser does; return the answer."""
        with self._one_line_errors():
            self._browser.get(page).raise_for_status()
            token = {"csrfmiddlewaretoken": self._browser.cookies["csrftoken"]}
            referer = str(self._browser.base_url.join(page))
            return self._browser.post(page, data=form | token, headers={"Referer": referer})

    def _json(
        self, method: str, path: str, body: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        with self._one_line_errors():
            return dict(self._browser.request(method, path, json=body, headers=headers).raise_for_status().json())

    @contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        try:
            yield
        except httpx.HTTPError as fault:
            status = isinstance(fault, httpx.HTTPStatusError) and f"status {fault.response.status_code}"
            raise ServerError(
                f"{self._browser.base_url}, annotator {self.account.annotator}",
                expected="Label Studio to answer",
                found=status or str(fault) or type(fault).__name__,
                remedy="look at the server's log, then run the same command again: it continues from here",
            ) from fault


@cache
def _certificates() -> SSLContext:
    """What a server's certificate is checked by: read once for all sessions, since that takes 30 ms."""
    return httpx.create_ssl_context()


def _region(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    """A part of an annotation, as the page sends it."""
    return {"from_name": name, "to_name": "def1", "type": kind, "origin": "manual", "value": value}
