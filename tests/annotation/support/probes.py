"""Material for probing the gate: the server's own URL table, two annotators' objects, and the rows of its database."""

import gzip
import json
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from annotation.campaign.accounts import Account
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from annotation.questions.declarations import shipped_question
from annotation.simulation.answering import simulate
from data.contract.questions import Question
from tests.annotation.support.frames import fields_of

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


def make_things(label_studio: Any, mark: str, question: Question | None = None) -> Things:
    """Create an annotator with a project, two tasks, an annotation with a comment, a draft and a tab."""
    account = label_studio.account()
    tasks = [
        {"assignment": f"{mark}-{n}", "entity": mark} | fields_of(question or shipped_question(), mark) for n in (1, 2)
    ]
    project = label_studio.project(tasks, account, question=question)
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in()
        user = sitting._json("GET", "/api/current-user/whoami")["id"]
        task = sitting.next_task(project)["id"]
        annotation = sitting._json("POST", f"/api/tasks/{task}/annotations?project={project}", labelled(mark, question))
        view = sitting._json("POST", f"/api/dm/views?project={project}", {"data": {}})["id"]
        second = sitting.next_task(project)["id"]
        draft = sitting._json("POST", f"/api/tasks/{second}/drafts?project={project}", labelled(mark, question))["id"]
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


def labelled(comment: str, question: Question | None = None) -> dict[str, Any]:
    """A body as the page sends it, with the same answers in every call."""
    answers = simulate(question or shipped_question(), 1, {"definition1": "words of another text"}) | {
        "comment": comment
    }
    result = [
        {"from_name": name, "to_name": "def1", "type": "textarea", "value": {"text": [given]}}
        if isinstance(given, str)
        else {"from_name": name, "to_name": "def1", "type": "choices", "value": {"choices": given}}
        for name, given in answers.items()
    ]
    return {"result": result, "lead_time": 1.5}


def forged(victim: Things, question: Question | None = None) -> dict[str, Any]:
    """A body that names the victim's objects wherever the server might look for them."""
    return {
        **labelled("forged", question),
        "completed_by": victim.user, "user": victim.user, "updated_by": victim.user, "task": victim.task,
        "project": victim.project, "id": victim.annotation, "pk": victim.annotation, "draft_id": victim.draft,
        "parent_annotation": victim.annotation, "annotation": victim.annotation, "ids": [victim.task],
        "selectedItems": {"all": True, "excluded": []}, "active_organization": 1, "is_staff": True, "title": "forged",
        "ground_truth": True, "tasks": [victim.task], "enabled": True, "email": "forged@x.invalid",
    }  # fmt: skip


def bodies(victim: Things, question: Question | None = None) -> dict[str, dict[str, Any]]:
    """The ways of writing a forged body, by name, as arguments for httpx; used for one request only."""
    body = forged(victim, question)
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
