"""An annotator at work: signed in by the login page, with a session cookie and no token, one pair after the other."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import httpx

from annotation.campaign.accounts import Account
from data.errors import ServerError

SECONDS_TO_ANSWER = 120.0
"""A locked SQLite shows as a slow answer; forty annotators at once wait some seconds."""


class Sitting:
    """A browser's session of one annotator; a context manager."""

    def __init__(self, url: str, account: Account) -> None:
        """Opens nothing yet; `sign_in` does."""
        self.account = account
        self._browser = httpx.Client(base_url=url, timeout=SECONDS_TO_ANSWER)

    def __enter__(self) -> "Sitting":
        """The sitting itself, not signed in yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connections; the server is not told, as with a closed browser."""
        self._browser.close()

    def sign_in(self, *, accepts: bool = True) -> None:
        """Fills in the login page's form, then accepts what is to be accepted, if so.

        Raises ServerError where the server refuses.
        """
        form = {"email": self.account.email, "password": self.account.password}
        answer = self._send_form("/user/login/", form)
        if accepts and answer.is_redirect:
            self.accept()
        if not answer.is_redirect:
            raise ServerError(
                f"{self._browser.base_url}, annotator {self.account.annotator}",
                expected="the login page to take the account's password",
                found=f"status {answer.status_code}",
                remedy="make the accounts first: python -m annotation open",
            )

    def accept(self) -> list[str]:
        """Ticks every box of the page before the first task; the keys of the documents, none where nothing waits."""
        with self._one_line_errors():
            page = self._browser.get("/agreement")
        keys = re.findall(r'name="accept" value="(\w+)"', page.text)
        if keys:
            self._send_form("/agreement", {"accept": keys})
        return keys

    def projects(self) -> dict[str, tuple[int, int]]:
        """What the server shows this annotator: title -> id and number of open tasks."""
        query = "/api/projects/?include=id,title,task_number,finished_task_number&page_size=1000"
        return {
            one["title"]: (int(one["id"]), one["task_number"] - one["finished_task_number"])
            for one in self._json("GET", query)["results"]
        }

    def next_task(self, project: int) -> dict[str, Any] | None:
        """The task (`id`, `data`) that the page would show next, None where none is left."""
        with self._one_line_errors():
            answer = self._browser.get(f"/api/projects/{project}/next")
            if answer.status_code == httpx.codes.NOT_FOUND:
                return None
            return dict(answer.raise_for_status().json())

    def submit(self, project: int, task: int, score: int, seconds: float, comment: str = "") -> None:
        """Sends the score of a task, and a comment where there is one, as the page does."""
        choice = {
            "from_name": "score",
            "to_name": "def1",
            "type": "choices",
            "origin": "manual",
            "value": {"choices": [str(score)]},
        }
        said = {"from_name": "comment", "to_name": "def1", "type": "textarea", "origin": "manual"}
        comments = [said | {"value": {"text": [comment]}}] if comment else []
        body = {"result": [choice, *comments], "lead_time": seconds, "project": project}
        self._json("POST", f"/api/tasks/{task}/annotations/?project={project}", body)

    def _send_form(self, page: str, form: dict[str, Any]) -> httpx.Response:
        """The answer to the page's form, filled in and sent as a browser does."""
        with self._one_line_errors():
            self._browser.get(page).raise_for_status()
            token = {"csrfmiddlewaretoken": self._browser.cookies["csrftoken"]}
            referer = str(self._browser.base_url.join(page))
            return self._browser.post(page, data=form | token, headers={"Referer": referer})

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        with self._one_line_errors():
            return dict(self._browser.request(method, path, json=body).raise_for_status().json())

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
                remedy="look at the server's log, then run the same command again: it goes on from here",
            ) from fault
