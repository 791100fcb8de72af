"""What a campaign asks of Label Studio, as administrator: the only module that imports label_studio_sdk."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import Any, Self

import httpx
import pandas as pd

from annotation.campaign.accounts import Account
from annotation.campaign.documents import Document, standing_guide
from annotation.label_studio.annotations import read_export
from annotation.label_studio.environment import VERSION, gate_version
from data.console import progress
from data.errors import ServerError

TASKS_AT_ONCE = 1000
"""The fastest batch of an import (0.8 s for 2,000 tasks; 5.3 s in batches of 100)."""

SECONDS_TO_ANSWER = 600.0
"""An export of 10,000 tasks took 47 s on two busy cores."""


class LabelStudio:
    """The administrator's view of one server; a context manager, which closes its connections."""

    def __init__(self, *, url: str, api_key: str) -> None:
        """Raises ServerError where nothing answers at `url`, the key is refused, the version is not VERSION, or the
        server stands without the gate, so that annotators would see everything.
        """
        from label_studio_sdk import LabelStudio as Sdk

        if not (api_key.isascii() and api_key.isprintable()):
            raise _wrong_key(url)
        self.url = url.rstrip("/")
        with ExitStack() as stack:
            connections = stack.enter_context(httpx.Client(follow_redirects=True))
            self._sdk: Any = Sdk(
                base_url=self.url, api_key=api_key, timeout=SECONDS_TO_ANSWER, httpx_client=connections
            )
            with _one_line_errors(self.url):
                found = str(self._sdk.versions.get().release)
                if found != VERSION:
                    raise _other_version(self.url, found)
                self._sdk.users.whoami()
            with _one_line_errors(self.url):
                gate = self._ask("GET", "parade")
            if gate.status_code != httpx.codes.OK or gate.json().get("gate") != gate_version():
                raise _no_gate(self.url, "an older or another gate" if gate.is_success else "none: all see everything")
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        """The client itself, connected."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self._open.close()

    def ensure_accounts(self, accounts: Sequence[Account]) -> int:
        """How many of the accounts were missing and have been made."""
        there = set(self._emails().values())
        missing = [one for one in accounts if one.email.lower() not in there]
        for one in progress(missing, label="accounts", unit="accounts"):
            self._tell("parade/accounts", {"accounts": [{"email": one.email, "password": one.password}]})
        return len(missing)

    def open_for(self, members: Mapping[int, tuple[str, bool]], documents: Sequence[Document] = ()) -> int:
        """Sets who may work in which project: id -> e-mail address and whether it is open; returns the changes.

        A project is open to nobody else, and only after all the documents are accepted (by default the standing
        guide); a closed one answers nothing to anybody from that moment.
        """
        rows = [{"project": id_, "email": email, "enabled": enabled} for id_, (email, enabled) in members.items()]
        texts = [asdict(one) | {"key": one.key} for one in documents or [standing_guide()]]
        return int(self._tell("parade/members", {"members": rows, "documents": texts})["changed"])

    def withdraw(self, projects: Sequence[int], email: str, *, close: bool) -> int:
        """Deletes a person's projects with all that was said in them, and closes the account; how many answers."""
        body = {"projects": list(projects), "email": email, "close": close}
        return int(self._tell("parade/withdraw", body)["annotations"])

    def acceptances(self) -> pd.DataFrame:
        """Who accepted which document when: email, kind, version, key, accepted_at (UTC)."""
        with _one_line_errors(self.url):
            found = self._ask("GET", "parade/acceptances").raise_for_status().json()["acceptances"]
        rows = pd.DataFrame(found, columns=["email", "kind", "version", "key", "at"], dtype="string")
        return rows.assign(accepted_at=pd.to_datetime(rows.pop("at"), utc=True, format="ISO8601"))

    def ensure_project(self, *, title: str, labelling: str) -> int:
        """The id of the project with exactly this title; created if there is none.

        One annotation a task, in the tasks' order. The guide stands on the labelling page: the server's own dialog
        of instructions stays unused, since keys act beneath it.
        """
        found = self.projects(title).get(title)
        if found is not None:
            return found
        with _one_line_errors(self.url):
            project = self._sdk.projects.create(
                title=title,
                label_config=labelling,
                show_instruction=False,
                enable_empty_annotation=False,
                maximum_annotations=1,
                sampling="Sequential sampling",
                show_annotation_history=False,
                show_collab_predictions=False,
                show_skip_button=True,
            )
        return int(project.id)

    def ensure_tasks(self, project: int, tasks: Sequence[Mapping[str, str]]) -> int:
        """How many of the tasks were missing and have been imported, in the given order; "assignment" is their key."""
        there = self._assignments(project)
        missing = [{"data": dict(task)} for task in tasks if task["assignment"] not in there]
        for start in range(0, len(missing), TASKS_AT_ONCE):
            batch = missing[start : start + TASKS_AT_ONCE]
            with _one_line_errors(self.url):
                # a retry after a lost answer would import the batch twice
                self._sdk.projects.import_tasks(project, request=batch, request_options={"max_retries": 0})
        return len(missing)

    def collect(self, project: int) -> pd.DataFrame:
        """The annotations of the project, skips included, drafts not (`annotations.read_export`)."""
        with _one_line_errors(self.url):
            content = b"".join(self._sdk.projects.exports.download_sync(project, export_type="JSON"))
        return read_export(content, self._emails())

    def latest(self) -> dict[int, tuple[int, pd.Timestamp]]:
        """Of each project with annotations, skips included: how many there are, and when the latest was changed."""
        with _one_line_errors(self.url):
            found = self._ask("GET", "parade").raise_for_status().json()["latest"]
        return {int(project): (int(n), pd.Timestamp(at)) for project, (n, at) in found.items()}

    def progress(self, project: int) -> tuple[int, int]:
        """The numbers of tasks done and of all tasks."""
        with _one_line_errors(self.url):
            found = self._sdk.projects.get(project)
        return int(found.finished_task_number), int(found.task_number)

    def projects(self, part: str | None = None) -> dict[str, int]:
        """Title -> id of the projects whose titles contain `part`, of every one if None."""
        narrow = {"title": part} if part else {}
        with _one_line_errors(self.url):
            found = list(self._sdk.projects.list(include="id,title", page_size=1000, **narrow))
        return {project.title: int(project.id) for project in found}

    def _emails(self) -> dict[int, str]:
        with _one_line_errors(self.url):
            return {int(user.id): user.email.lower() for user in self._sdk.users.list()}

    def _assignments(self, project: int) -> set[str]:
        """The keys of the tasks that a project has."""
        if self.progress(project)[1] == 0:
            return set()
        with _one_line_errors(self.url):
            found = self._sdk.tasks.list(project=project, fields="task_only", page_size=TASKS_AT_ONCE)
            return {task.data["assignment"] for task in found}

    def _tell(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The gate's answer to what the SDK has no method for."""
        with _one_line_errors(self.url):
            return dict(self._ask("POST", path, json=body).raise_for_status().json())

    def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """By the SDK's own client, which knows our key's header."""
        answer: httpx.Response = self._sdk._client_wrapper.httpx_client.request(path, method=method, **more)
        return answer


@contextmanager
def _one_line_errors(url: str) -> Iterator[None]:
    """Turns what can go wrong between us and the server into one line; a page of HTML is not repeated."""
    from label_studio_sdk.core.api_error import ApiError

    try:
        yield
    except ApiError as fault:
        if fault.status_code in (401, 403):
            raise _wrong_key(url) from fault
        raise _unexpected(url, fault.status_code, str(fault.body)) from fault
    except httpx.HTTPStatusError as fault:
        raise _unexpected(url, fault.response.status_code, fault.response.text) from fault
    except (httpx.TransportError, httpx.InvalidURL) as fault:
        raise ServerError(
            url,
            expected="Label Studio to answer",
            found=str(fault) or type(fault).__name__,
            remedy="start it (`python -m annotation server start`) or check --url",
        ) from fault


def _unexpected(url: str, status: int | None, body: str) -> ServerError:
    page = body.lstrip().startswith("<")
    return ServerError(
        url,
        expected="an answer of Label Studio's interface",
        found=f"status {status}, " + ("a page of HTML" if page else " ".join(body.split())[:200]),
        remedy="check that --url is the address of a Label Studio server, without a path",
    )


def _wrong_key(url: str) -> ServerError:
    return ServerError(
        url,
        expected="a valid API key of the administrator",
        found="one that the server refuses",
        remedy="set LABEL_STUDIO_API_KEY, or use the server of this store (`python -m annotation server start`)",
    )


def _no_gate(url: str, found: str) -> ServerError:
    return ServerError(
        url,
        expected="Label Studio behind the gate of this very version",
        found=found,
        remedy="use the store's own, started anew (`python -m annotation server stop`, then `start`)",
    )


def _other_version(url: str, found: str) -> ServerError:
    return ServerError(
        url,
        expected=f"Label Studio {VERSION}, the version that this was tested with",
        found=found,
        remedy="install that version: `make setup`",
    )
