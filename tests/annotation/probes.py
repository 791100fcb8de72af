"""Material for probing the gate: the server's own URL table, two annotators' objects, and the rows of its database."""

import gzip
import json
import os
import re
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from annotation.campaign.accounts import Account
from annotation.label_studio import environment
from annotation.label_studio.sitting import Sitting
from data.errors import ServerError

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")
WRITES = ("POST", "PUT", "PATCH", "DELETE")
OVERRIDES = ("X-HTTP-Method-Override", "X-Method-Override")
AS_JSON = {"Content-Type": "application/json"}

LIST_URLS = """
import json, re, django
django.setup()
from django.contrib.admindocs.views import simplify_regex
from django.urls import URLResolver, get_resolver

def walk(patterns, prefix):
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, prefix + str(entry.pattern))
        else:
            yield re.sub("<[a-z]+:", "<", simplify_regex(prefix + str(entry.pattern)))

print("TABLE" + json.dumps(sorted(set(walk(get_resolver().url_patterns, "")))))
"""

KINDS = {"projects": "project", "tasks": "task", "annotations": "annotation", "drafts": "draft", "views": "view"}


@dataclass(frozen=True, kw_only=True)
class Things:
    """One annotator's objects on the server; every text of theirs contains `mark`."""

    account: Account
    mark: str
    user: int
    project: int
    task: int
    annotation: int
    draft: int
    view: int


def url_templates(folder: Path, installed: Path) -> list[str]:
    """Every URL of the running version, with its parameters in angle brackets; kept beside the migrated database."""
    known = environment.template_path(installed).with_suffix(".urls.json")
    if not known.exists():
        python, library = installed / "bin" / "python", installed / "lib" / "python3.11" / "site-packages"
        command = [python, "-c", LIST_URLS]
        variables = environment.variables(folder / "data")
        output = subprocess.run(
            command, env=variables, cwd=library / "label_studio", capture_output=True, text=True, check=True
        ).stdout
        own = known.with_suffix(f".{os.getpid()}")  # another worker may write it, too
        own.write_text(output.partition("TABLE")[2])
        own.replace(known)
    return list(json.loads(known.read_text()))


def fill(template: str, things: Things, *, other: Things | None = None) -> str:
    """A path with the ids of `things`; `other` provides the second id if there are two."""
    segments, owner = [], things
    for segment in template.split("/"):
        if "<" in segment:
            kind = KINDS.get(segments[-1] if segments else "", "user" if segments[-1:] == ["users"] else "")
            value = str(getattr(owner, kind)) if kind else str(things.project)
            segments.append(re.sub(r"<[^>]*>", value, segment))
            owner = other or owner
        else:
            segments.append(segment)
    return "/".join(segments)


def make_things(label_studio: Any, mark: str) -> Things:
    """Create an annotator with a project, two tasks, an annotation with a comment, a draft and a tab."""
    account = label_studio.account()
    tasks = [
        {"assignment": f"{mark}-{n}", "definition1": f"{mark} left", "definition2": f"{mark} right", "entity": mark}
        for n in (1, 2)
    ]
    project = label_studio.project(tasks, account)
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in()
        user = sitting._json("GET", "/api/current-user/whoami")["id"]
        task = sitting.next_task(project)["id"]
        annotation = sitting._json("POST", f"/api/tasks/{task}/annotations?project={project}", labelled(mark))
        view = sitting._json("POST", f"/api/dm/views?project={project}", {"data": {}})["id"]
        second = sitting.next_task(project)["id"]
        draft = sitting._json("POST", f"/api/tasks/{second}/drafts?project={project}", labelled(mark))["id"]
    return Things(
        account=account,
        mark=mark,
        user=user,
        project=project,
        task=task,
        annotation=annotation["id"],
        draft=draft,
        view=view,
    )


def labelled(comment: str) -> dict[str, Any]:
    """A body as the page sends it."""
    parts = [("score", "choices", {"choices": ["1"]}), ("comment", "textarea", {"text": [comment]})]
    result = [{"from_name": name, "to_name": "def1", "type": kind, "value": value} for name, kind, value in parts]
    return {"result": result, "lead_time": 1.5}


def forged(victim: Things) -> dict[str, Any]:
    """A body that names the victim's objects wherever the server might look for them."""
    return {
        **labelled("forged"),
        "completed_by": victim.user, "user": victim.user, "updated_by": victim.user, "task": victim.task,
        "project": victim.project, "id": victim.annotation, "pk": victim.annotation, "draft_id": victim.draft,
        "parent_annotation": victim.annotation, "annotation": victim.annotation, "ids": [victim.task],
        "selectedItems": {"all": True, "excluded": []}, "active_organization": 1, "is_staff": True, "title": "forged",
        "ground_truth": True, "tasks": [victim.task], "enabled": True, "email": "forged@x.invalid",
    }  # fmt: skip


def bodies(victim: Things) -> dict[str, dict[str, Any]]:
    """The ways of writing a forged body, by name, as arguments for httpx; used for one request only."""
    body = forged(victim)
    text = json.dumps(body)
    form = {name: json.dumps(value) if isinstance(value, list | dict) else str(value) for name, value in body.items()}
    polyglot = json.dumps({"a": "&" + "&".join(f"{name}={value}" for name, value in form.items()) + "&x="})
    doubled = text[:-1] + f', "result": [], "result": {json.dumps(body["result"])}, "task": {victim.task}}}'
    as_json, as_form = AS_JSON, {"Content-Type": "application/x-www-form-urlencoded"}
    utf16 = {"Content-Type": "application/json; charset=utf-16"}
    overrides = {name: {"json": body, "headers": {name: "DELETE"}} for name in OVERRIDES}
    return overrides | {
        "json": {"json": body},
        "form": {"data": form},
        "multipart": {"files": {name: (None, value) for name, value in form.items()}},
        "polyglot": {"content": polyglot, "headers": as_form},
        "json as form": {"content": text, "headers": as_form},
        "form as json": {"content": str(httpx.QueryParams(form)), "headers": as_json},
        "other type": {"content": text, "headers": {"Content-Type": "text/plain; boundary=application/json"}},
        "type with charset": {"content": text.encode("utf-16"), "headers": utf16},
        "chunked": {"content": iter([text.encode()]), "headers": as_json},
        "compressed": {"content": gzip.compress(text.encode()), "headers": as_json | {"Content-Encoding": "gzip"}},
        "not compressed": {"content": text, "headers": as_json | {"Content-Encoding": "gzip"}},
        "duplicated keys": {"content": doubled, "headers": as_json},
        "another site": {"json": body, "headers": {"Origin": "https://elsewhere.example"}},
    }


def refused_answers() -> dict[str, dict[str, Any]]:
    """Answers that are malformed or cannot be stored, by what is wrong with them."""
    score = labelled("x")["result"][0]

    def comment(text: str, **more: Any) -> dict[str, Any]:
        return {"from_name": "comment", "value": {"text": [text]}, **more}

    results: dict[str, Any] = {
        "half an emoji in a comment": [score, comment("\ud83d")],
        "half an emoji within a comment": [score, comment("a\udc00b")],
        "NUL in a comment": [score, comment("a\x00b")],
        "half an emoji as a choice": [{"from_name": "flag", "value": {"choices": ["\ud800"]}}],
        "a name that is a list": [score | {"from_name": ["score"]}],
        "a name that is an object": [score | {"from_name": {"score": 1}}],
        "no answer": [],
        "a comment alone": [comment("only words")],
    }
    return {name: {"result": result, "lead_time": 1.0} for name, result in results.items()}


def check_refused_answers(lent: Any) -> None:
    """Every answer of `refused_answers` is refused with 400 everywhere, and the project can still be collected."""
    own = make_things(lent, "storable")
    with Sitting(lent.running.url, own.account) as sitting:
        sitting.sign_in()
        fresh = sitting.next_task(own.project)["id"]
        answers = [("POST", f"/api/tasks/{fresh}/annotations"), ("PATCH", f"/api/annotations/{own.annotation}")]
        drafts = [
            ("POST", f"/api/tasks/{fresh}/drafts"),
            ("PATCH", f"/api/drafts/{own.draft}"),
            ("POST", f"/api/tasks/{own.task}/annotations/{own.annotation}/drafts"),
        ]
        for name, body in refused_answers().items():
            for method, path in answers if name in ("no answer", "a comment alone") else answers + drafts:
                answer = sitting._browser.request(method, path, content=json.dumps(body), headers=AS_JSON)
                assert answer.status_code == 400, (name, path, answer.text)
        long = json.dumps(labelled("the longest") | {"lead_time": 10**400})
        answer = sitting._browser.post(f"/api/tasks/{fresh}/annotations", content=long, headers=AS_JSON)
        assert answer.status_code == 201
        again = sitting._browser.post(f"/api/tasks/{fresh}/annotations", json=labelled("a second answer"))
        assert again.status_code == 409
        email = {"email": "a\x00@x.invalid", "password": "p"}
    with Sitting(lent.running.url, own.account) as stranger:
        assert stranger._send_form("/user/login/", email).status_code == 400
    assert sorted(lent.client.collect(own.project)["comment"]) == ["storable", "the longest"]


def check_lengths(url: str) -> None:
    """A length that is not a decimal number is a bad request, also for a server of its own making."""
    for length in ("abc", "1e3", "0x2", "1_0", "-1", "+2"):
        with socket.create_connection(url.removeprefix("http://").split(":"), timeout=30) as connection:
            lines = ["POST /user/login/ HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", "Connection: close"]
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            assert connection.recv(100).split(b" ")[1] == b"400", length


def post_throughout(lent: Any, close: Callable[[Any, int], object]) -> tuple[Account, int, list[str]]:
    """An annotator posts answers from four threads while the project closes: account, project, comments right after."""
    account = lent.account()
    tasks = [{"assignment": f"t{n}", "definition1": "a", "definition2": "b", "entity": "c"} for n in range(200)]
    project, begun, over = lent.project(tasks, account), Event(), Event()
    ids = [task.id for task in lent.client._sdk.tasks.list(project=project, fields="task_only", page_size=200)]
    with Sitting(lent.running.url, account) as sitting, ThreadPoolExecutor(4) as threads:
        sitting.sign_in()

        def post(own_ids: Iterator[int]) -> list[int]:
            statuses = []
            for n, task in enumerate(own_ids):
                answer = sitting._browser.post(f"/api/tasks/{task}/annotations", json=labelled(f"answer {task}"))
                statuses.append(answer.status_code)
                if n == 2:
                    begun.set()
                if over.is_set() and statuses[-4:] == [statuses[-1]] * 4 != [201] * 4:
                    break
            return statuses

        posting = [threads.submit(post, islice(ids, n, None, 4)) for n in range(4)]
        assert begun.wait(60)
        close(account, project)
        comments = sorted(lent.client.collect(project)["comment"]) if project in lent.client.projects().values() else []
        over.set()
        statuses = [status for future in posting for status in future.result()]
    assert set(statuses) <= {201, 401, 403}
    assert {201} < set(statuses), "the closing came before the first answer or after the last"
    return account, project, comments


def check_closing_under_load(lent: Any) -> None:
    """Whatever is on its way: no answer comes after a round has closed, and no account that has closed reopens."""
    _, project, comments = post_throughout(
        lent, lambda account, project: lent.client.open_for({project: (account.email, False)})
    )
    assert sorted(lent.client.collect(project)["comment"]) == comments
    assert len(comments) >= 3
    account, project, _ = post_throughout(
        lent, lambda account, project: lent.client.withdraw([project], account.email, close=True)
    )
    assert project not in lent.client.projects().values()
    with Sitting(lent.running.url, account) as sitting, pytest.raises(ServerError):
        sitting.sign_in()


def rows(database: Path) -> dict[tuple[str, Any], dict[str, Any]]:
    """Every row of the server's database: (table, rowid) -> columns."""
    content = {}
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT rowid AS "rowid!", * FROM "{table}"'):
                content[table, row["rowid!"]] = dict(row)
    return content


def foreign_changes(
    before: dict[tuple[str, Any], dict[str, Any]], after: dict[tuple[str, Any], dict[str, Any]], own: Things
) -> list[tuple[str, Any]]:
    """The rows that were changed, added or deleted and do not belong to the prober."""
    changed = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
    changed = [key for key in changed if key in before or key[0] != "data_manager_filtergroup"]  # created with a tab
    return sorted(key for key in changed if not _belongs(key[0], after.get(key) or before[key], own))


def _belongs(table: str, row: dict[str, Any], own: Things) -> bool:
    if table in ("django_session", "sqlite_sequence", "sqlite_stat1", "parade_gate_attempt"):
        return True
    if table == "htx_user":
        return bool(row["id"] == own.user)
    if table == "project":
        return bool(row["id"] == own.project)
    people = {row[name] for name in ("user_id", "completed_by_id") if row.get(name) is not None}
    projects = {row[name] for name in ("project_id",) if row.get(name) is not None}
    return bool(people | projects) and people <= {own.user} and projects <= {own.project}
