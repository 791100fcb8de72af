"""What a campaign needs from Label Studio, as administrator: the only module that imports label_studio_sdk."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, Self

import httpx
import pandas as pd

from annotation.campaign.accounts import Account
from annotation.campaign.documents import Document, default_guide
from annotation.campaign.people.withdrawal import PAY_COLUMNS
from annotation.label_studio.annotations import read_annotations
from annotation.label_studio.server.environment import VERSION, gate_version
from data.console.errors import ServerError
from data.console.messages import progress

Latest = dict[int, tuple[int, pd.Timestamp]]

TASKS_PER_BATCH = 1000

SECONDS_TO_ANSWER = 600.0
"""Many times what the longest request took on two busy cores."""


class LabelStudio:
    """The administrator's view of one server; a context manager that closes its connections."""

    def __init__(self, *, url: str, api_key: str) -> None:
        """Raise ServerError if nothing answers at `url`, the key is refused, the version is not VERSION, or the server
        runs without the gate, so that annotators would see everything.
        """
        from label_studio_sdk import LabelStudio as Sdk

        if not (api_key.isascii() and api_key.isprintable()):
            raise _wrong_key(url)
        self.url = url.rstrip("/")
        with ExitStack() as stack:
            hooks: dict[str, list[Callable[..., Any]]] = {
                "request": [partial(_require_origin, self.url)],
                "response": [partial(_require_plain, self.url)],
            }
            plain = {"Accept-Encoding": "identity"}
            connections = stack.enter_context(httpx.Client(headers=plain, follow_redirects=True, event_hooks=hooks))
            self._sdk: Any = Sdk(
                base_url=self.url, api_key=api_key, timeout=SECONDS_TO_ANSWER, httpx_client=connections
            )
            with _one_line_errors(self.url):
                version = str(self._sdk.versions.get().release)
                if version != VERSION:
                    raise _other_version(self.url, version)
                self._sdk.users.whoami()
            with _one_line_errors(self.url):
                answer = self._request("GET", "parade")
            if answer.status_code != httpx.codes.OK or answer.json().get("gate") != gate_version():
                found = "another version of the gate" if answer.is_success else "no gate: everybody sees everything"
                raise _no_gate(self.url, found)
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        """The client itself, connected."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._open.close()

    def ensure_accounts(self, accounts: Sequence[Account]) -> int:
        """Create the accounts that are missing; return how many."""
        with _one_line_errors(self.url):
            known = self._request("GET", "parade/accounts").raise_for_status().json()["accounts"]
        existing = {email.lower() for email in known.values()}
        missing = [account for account in accounts if account.email.lower() not in existing]
        for account in progress(missing, label="accounts", unit="accounts"):
            self._post("parade/accounts", {"accounts": [{"email": account.email, "password": account.password}]})
        return len(missing)

    def open_for(self, members: Mapping[int, tuple[str, bool]], documents: Sequence[Document] = ()) -> int:
        """Set who may work in which project: id -> e-mail address and whether it is open. Return the number of changes.

        A project is open to no other user, and only once all the documents have been accepted (by default the standing
        guide). A closed project answers nothing to anybody from that moment on.
        """
        rows = [{"project": id_, "email": email, "enabled": enabled} for id_, (email, enabled) in members.items()]
        texts = [asdict(document) | {"key": document.key} for document in documents or [default_guide()]]
        return int(self._post("parade/members", {"members": rows, "documents": texts})["changed"])

    def withdraw(
        self,
        projects: Sequence[int],
        email: str,
        *,
        close: bool,
        tasks: Mapping[int, Sequence[str]] | None = None,
        votes: Mapping[int, Mapping[str, str]] | None = None,
    ) -> int:
        """Delete a person's projects with all answers in them and close the account; return the number of answers.

        `tasks`: the assignments, by project, in which other people are asked about what the person wrote; they go, too.
        `votes`: what seniors' assignments, by project, are to show of the votes from now on.
        Raises ServerError where they are deleted, but another program keeps the server from cleaning its database's
        files.
        """
        body = {"projects": list(projects), "email": email, "close": close}
        body |= {"tasks": dict(tasks or {}), "votes": dict(votes or {})}
        answer = self._post("parade/withdraw", body)
        if not answer["clean"]:
            raise ServerError(
                self.url,
                expected="no other program to read the database while its files are cleaned",
                found="one that reads all the time, such as a dump",
                remedy="run the same command again once that has ended",
            )
        return int(answer["annotations"])

    def acceptances(self) -> pd.DataFrame:
        """Who accepted which document when: email, kind, version, key, accepted_at (UTC)."""
        with _one_line_errors(self.url):
            acceptances = self._request("GET", "parade/acceptances").raise_for_status().json()["acceptances"]
        rows = pd.DataFrame(acceptances, columns=["email", "kind", "version", "key", "at"], dtype="string")
        return rows.assign(accepted_at=pd.to_datetime(rows.pop("at"), utc=True, format="ISO8601"))

    def ensure_project(self, *, title: str, labelling: str) -> int:
        """The id of the project with exactly this title; created if there is none.

        One annotation per task, in the order of the tasks. The guide is part of the labelling page: the server's own
        dialog of instructions is not used, because the page beneath it still takes keys.
        """
        known = self.projects().get(title)
        if known is not None:
            return known
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

    def ensure_tasks(self, tasks: Mapping[int, Sequence[Mapping[str, str]]]) -> int:
        """Add the tasks (by project) that are missing, in the given order; return how many. Their key is "assignment".

        Sent again, the gate adds none twice.
        """
        rows = [(project, task) for project, own in tasks.items() for task in own]
        batches = [rows[start : start + TASKS_PER_BATCH] for start in range(0, len(rows), TASKS_PER_BATCH)]
        added = 0
        for batch in progress(batches, label="opening", unit="thousand tasks"):
            wanted: dict[int, list[Mapping[str, str]]] = {}
            for project, task in batch:
                wanted.setdefault(project, []).append(task)
            added += int(self._post("parade/tasks", {"tasks": wanted})["added"])
        return added

    def collect(self, known: Mapping[int, tuple[int, pd.Timestamp] | None]) -> pd.DataFrame:
        """The annotations of these projects, including skips but not drafts (`annotations.read_annotations`).

        `known`: what is known of each project, as `latest` says it; where the server still has that, only later ones.
        """
        sent = {project: one and (one[0], one[1].isoformat()) for project, one in known.items()}
        return read_annotations(self._post("parade/answers", {"known": sent})["answers"] if sent else [])

    def work(self, projects: Sequence[int]) -> pd.DataFrame:
        """What pay is computed from, without a word or score: assignment_id, submitted_at, skipped, seconds."""
        work = self._post("parade/work", {"projects": list(projects)})["work"]
        rows = pd.DataFrame(work, columns=list(PAY_COLUMNS))
        times = pd.to_datetime(rows["submitted_at"], utc=True, format="ISO8601")
        return rows.assign(submitted_at=times).astype({"skipped": "bool", "seconds": "Float64"})

    def latest(self) -> Latest:
        """Project -> the number of its annotations, including skips, and the time of the latest change."""
        with _one_line_errors(self.url):
            latest = self._request("GET", "parade").raise_for_status().json()["latest"]
        return {int(project): (int(n), pd.Timestamp(at)) for project, (n, at) in latest.items()}

    def open_game(self, round_: Mapping[str, Any]) -> tuple[int, int]:
        """Open a round of a game (`game_staff.open_round`); return the numbers of new sentences and seats."""
        answer = self._post("parade/game", dict(round_))
        return int(answer["sentences"]), int(answer["seats"])

    def ask_judges(self, scorer: str) -> dict[str, Any]:
        """What the judges at this address say of themselves. Raises ServerError where none answer that are ours."""
        about = self._post("parade/game/judges", {"scorer": scorer})["about"]
        if about is None:
            raise ServerError(
                f"--scorer {scorer}",
                expected="the judges on this machine to answer, with the secret of this Label Studio",
                found="no answer, or another program's",
                remedy="start them with the same store: python -m paraphrase_game serve --store STORE",
            )
        return dict(about)

    def close_game(self, campaign: str) -> int:
        """End the campaign's rounds that have not ended; return their number."""
        return int(self._post("parade/game/close", {"campaign": campaign})["closed"])

    def checks(self, campaign: str) -> tuple[pd.DataFrame, int]:
        """The checks of a game, the unjudged ones judged if the judge answers, and the cents spent.

        Columns: key, project, email, round, prompt_id, text, at, seconds, judged_at, judgement (None or a mapping),
        submitted_at, base, bonus (cents), practice.
        """
        answer = self._post("parade/game/checks", {"campaign": campaign})
        names = ["key", "project", "email", "round", "prompt_id", "text", "at", "seconds", "judged_at", "judgement"]
        names += ["submitted_at", "base", "bonus", "practice"]
        rows = pd.DataFrame(answer["checks"], columns=names)
        for column in ("at", "judged_at", "submitted_at"):
            rows[column] = pd.to_datetime(rows[column], utc=True, format="ISO8601").astype("datetime64[us, UTC]")
        return rows.assign(email=rows["email"].str.lower()), int(answer["spent"])

    def excess_claims(self) -> dict[str, tuple[int, float]]:
        """Address -> how many answers claimed more seconds than had passed, and by how many seconds in all."""
        with _one_line_errors(self.url):
            claims = self._request("GET", "parade").raise_for_status().json()["claims"]
        return {claim["email"].lower(): (int(claim["n"]), float(claim["seconds"])) for claim in claims}

    def progress(self) -> dict[int, tuple[int, int]]:
        """Project -> the number of finished tasks and of all tasks; none where it has no tasks."""
        with _one_line_errors(self.url):
            counts = self._request("GET", "parade/tasks").raise_for_status().json()["counts"]
        return {int(project): (int(done), int(n)) for project, (done, n) in counts.items()}

    def projects(self) -> dict[str, int]:
        """Title -> id of all projects."""
        with _one_line_errors(self.url):
            projects = self._request("GET", "parade/projects").raise_for_status().json()["projects"]
        return {title: int(number) for title, number in projects.items()}

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The gate's answer to a request for which the SDK has no method."""
        with _one_line_errors(self.url):
            return dict(self._request("POST", path, json=body).raise_for_status().json())

    def _request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request by the SDK's own client, which knows the header for our key."""
        answer: httpx.Response = self._sdk._client_wrapper.httpx_client.request(path, method=method, **more)
        return answer


def _require_origin(server: str, request: httpx.Request) -> None:
    """Raise ServerError, before anything is sent, for a request that a redirect leads away from the server."""
    ours, theirs = (f"{url.scheme}://{url.netloc.decode()}" for url in (httpx.URL(server), request.url))
    if ours != theirs:
        raise ServerError(
            server,
            expected="answers of its own",
            found=f"a redirect to {theirs}",
            remedy="if that is your server, give its address with --url",
        )


def _require_plain(server: str, response: httpx.Response) -> None:
    """Raise ServerError, before it is unpacked, for a compressed response: a small one can fill the memory."""
    if encoding := response.headers.get("content-encoding"):
        raise ServerError(
            server,
            expected="uncompressed answers, as was asked for",
            found=f"the encoding {encoding}",
            remedy="let the server, or the proxy before it, heed Accept-Encoding",
        )


@contextmanager
def _one_line_errors(url: str) -> Iterator[None]:
    """Turn whatever can go wrong between us and the server into one line; a page of HTML is not repeated."""
    from label_studio_sdk.core.api_error import ApiError

    try:
        yield
    except ApiError as fault:
        if fault.status_code in (401, 403):
            raise _wrong_key(url) from fault
        raise _unexpected(url, fault.status_code, str(fault.body)) from fault
    except httpx.HTTPStatusError as fault:
        raise _unexpected(url, fault.response.status_code, fault.response.text) from fault
    except (httpx.RequestError, httpx.InvalidURL) as fault:
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
        expected="an answer from Label Studio's API",
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
        expected="Label Studio behind the gate of this version",
        found=found,
        remedy="restart the store's own server (`python -m annotation server stop`, then `start`)",
    )


def _other_version(url: str, found: str) -> ServerError:
    return ServerError(
        url,
        expected=f"Label Studio {VERSION}, the version that this was tested with",
        found=found,
        remedy="install that version: `make setup`",
    )
