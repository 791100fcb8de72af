"""The administrator's client with a real server."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pandas as pd
import pytest

from annotation.label_studio import client as client_module
from annotation.label_studio.annotations import COLUMNS
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.labelling import labelling
from annotation.label_studio.server.folder import ADMINISTRATOR
from annotation.label_studio.simulated.sitting import Sitting
from annotation.questions.declarations import shipped_question
from data.console.errors import ServerError
from demo.site import DemoSite

PAGE = labelling(shipped_question(), show_entity=False)


STATED = 0.01
"""Seconds that an answer is said to have taken: less than passes between two sign-ins."""


def annotate(label_studio, project, task, by, result, **more):
    """Post an annotation as the page does, in the session of `by`."""
    with Sitting(label_studio.running.url, by) as sitting:
        sitting.sign_in()
        path = f"/api/tasks/{task}/annotations/?project={project}"
        return sitting._json("POST", path, {"result": result, "lead_time": STATED, **more})


def choice(name, *values):
    return {"from_name": name, "to_name": "def1", "type": "choices", "value": {"choices": list(values)}}


def task_ids(label_studio, project):
    tasks = label_studio.client._sdk.tasks.list(project=project, fields="task_only")
    return {task.data["assignment"]: task.id for task in tasks}


@contextmanager
def recording_server(redirect, **headers):
    """A server that records the paths it is asked for; `redirect` gives a status and an address, or None for a 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.paths.append(self.path)
            status, address = redirect(self.path) or (404, None)
            self.send_response(status)
            if address:
                self.send_header("Location", address)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.paths, server.port = [], server.server_port
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_accounts_are_created_once(label_studio):
    account = label_studio.account()
    assert label_studio.client.ensure_accounts([account]) == 0
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in()


def test_a_refused_password_is_reported(label_studio):
    bad = type(label_studio.account())(annotator="a99", email=f"{secrets.token_hex(4)}@x.invalid", password="short")
    with pytest.raises(ServerError, match=r"status 400, .*a password has 8 to 128 characters"):
        label_studio.client.ensure_accounts([bad])


def test_a_project_is_found_by_its_exact_title(label_studio):
    client, title = label_studio.client, f"Definitions {secrets.token_hex(4)}"
    longer = client.ensure_project(title=title + "b", labelling=PAGE)
    number = client.ensure_project(title=title, labelling=PAGE)
    assert number != longer
    assert client.ensure_project(title=title, labelling=PAGE) == number
    projects = client.projects()
    assert (projects[title], projects[title + "b"]) == (number, longer)


@pytest.mark.sweep
def test_only_missing_tasks_are_imported_and_their_order_is_kept(label_studio, tasks):
    client = label_studio.client
    project = client.ensure_project(title=f"Definitions {secrets.token_hex(4)}", labelling=PAGE)
    assert client.ensure_tasks({project: tasks[:2]}) == 2
    assert client.ensure_tasks({project: tasks}) == 1
    assert client.ensure_tasks({project: tasks}) == 0
    assert client.progress()[project] == (0, 3)
    numbers = task_ids(label_studio, project)
    assert sorted(numbers, key=numbers.__getitem__) == ["a-1", "a-2", "a-3"]


def test_an_empty_collection_has_the_declared_columns(label_studio, tasks):
    collected = label_studio.client.collect({label_studio.project(tasks): None})
    assert {name: str(kind) for name, kind in collected.dtypes.items()} == COLUMNS
    assert collected.empty


@pytest.mark.sweep
def test_scores_flags_comments_and_skips_come_back(label_studio, tasks):
    account = label_studio.account()
    project = label_studio.project(tasks, account)
    numbers = task_ids(label_studio, project)
    comment = {"from_name": "comment", "to_name": "def1", "type": "textarea", "value": {"text": ["not sure"]}}
    annotate(label_studio, project, numbers["a-1"], account, [choice("score", "2"), comment])
    annotate(label_studio, project, numbers["a-2"], account, [choice("flag", "not_english", "cannot_judge")])
    annotate(label_studio, project, numbers["a-3"], account, [], was_cancelled=True)
    collected = label_studio.client.collect({project: None}).set_index("assignment").sort_index()
    assert collected["answers"].to_list() == [{"score": ["2"]}, {}, {}]
    assert collected["flags"].to_list() == [[], ["cannot_judge", "not_english"], []]
    assert collected["comment"].to_list() == ["not sure", pd.NA, pd.NA]
    assert collected["skipped"].to_list() == [False, False, True]
    assert collected["seconds"].to_list()[1:] == [STATED, STATED]
    assert collected["seconds"].iloc[0] < STATED  # the server saw no one at work before
    assert set(collected["completed_by"]) == set(collected["updated_by"]) == {account.email}
    age = pd.Timestamp.now("UTC") - collected["submitted_at"]
    assert age.between(pd.Timedelta(0), pd.Timedelta(hours=1)).all()
    assert label_studio.client.collect({project: None}).equals(label_studio.client.collect({project: None}))


def test_what_is_known_of_a_project_is_not_sent_again_unless_the_server_has_other_answers(label_studio, tasks):
    account, client = label_studio.account(), label_studio.client
    project = label_studio.project(tasks, account)
    numbers = task_ids(label_studio, project)
    annotate(label_studio, project, numbers["a-1"], account, [choice("score", "2")])
    known = client.latest()[project]
    assert known == (1, client.collect({project: None})["submitted_at"].max())
    assert client.collect({project: known}).empty
    annotate(label_studio, project, numbers["a-2"], account, [choice("score", "1")])
    assert client.collect({project: known})["assignment"].to_list() == ["a-2"]
    for other in ((known[0] + 1, known[1]), (known[0], known[1] + pd.Timedelta("1us")), None):
        assert client.collect({project: other})["assignment"].to_list() == ["a-1", "a-2"]
    assert client.collect({}).empty


@pytest.mark.sweep
def test_tasks_that_are_sent_by_several_at_once_are_added_once(label_studio, tasks):
    client = label_studio.client
    project = client.ensure_project(title=f"Definitions {secrets.token_hex(4)}", labelling=PAGE)
    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(lambda _: client.ensure_tasks({project: tasks}), range(8))) == len(tasks)
    assert client.progress()[project] == (0, len(tasks))


@pytest.mark.sweep
def test_a_changed_annotation_comes_back_with_its_new_time_and_author(label_studio, tasks):
    author = label_studio.account()
    project = label_studio.project(tasks, author)
    annotation = annotate(label_studio, project, task_ids(label_studio, project)["a-1"], author, [choice("score", "3")])
    before = label_studio.client.collect({project: None})
    label_studio.client._sdk.annotations.update(annotation["id"], result=[choice("score", "0")])
    after = label_studio.client.collect({project: None})
    assert (before["answers"].item(), after["answers"].item()) == ({"score": ["3"]}, {"score": ["0"]})
    assert after["submitted_at"].item() > before["submitted_at"].item()
    assert after["created_at"].item() == before["created_at"].item()
    assert (after["completed_by"].item(), after["updated_by"].item()) == (author.email, ADMINISTRATOR)


def test_the_browser_gets_no_pair_id_and_no_guide_dialog(label_studio, tasks):
    account = label_studio.account()
    project = label_studio.project(tasks, account)
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in()
        task = sitting.next_task(project)
    assert task["data"] == tasks[0]
    assert not label_studio.client._sdk.projects.get(project).show_instruction


@pytest.mark.parametrize(
    ("key", "found"), [("0" * 40, "one that the server refuses"), ("zwölf\n", "one that the server refuses")]
)
def test_a_wrong_key_is_one_line_and_not_repeated(label_studio, key, found):
    with pytest.raises(ServerError, match=found) as caught:
        LabelStudio(url=label_studio.running.url, api_key=key)
    assert "\n" not in str(caught.value)
    assert key.strip() not in str(caught.value)


@pytest.mark.sweep
@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "127.0.0.1:8080", "http://[::"])
def test_no_answer_is_one_line(url):
    with pytest.raises(ServerError, match="expected Label Studio to answer") as caught:
        LabelStudio(url=url, api_key="k")
    assert "\n" not in str(caught.value)


def test_another_web_server_is_one_line_that_does_not_repeat_its_page():
    with DemoSite() as site, pytest.raises(ServerError, match="a page of HTML") as caught:
        LabelStudio(url=site.url, api_key="k")
    assert "<" not in str(caught.value)


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize(
    "place", ["http://127.0.0.1:{other}", "//127.0.0.1:{other}", "http://127.0.0.1:{own}@127.0.0.1:{other}",
              "http://localhost:{own}", "https://127.0.0.1:{own}", "///127.0.0.1:{other}"]
)  # fmt: skip
def test_no_redirect_leads_the_key_to_another_server(status, place):
    with recording_server(lambda path: None) as other, recording_server(lambda path: (status, address + path)) as own:
        address = place.format(own=own.port, other=other.port)
        with pytest.raises(ServerError) as refused:
            LabelStudio(url=f"http://127.0.0.1:{own.port}", api_key="secret")
    assert other.paths == []
    assert "secret" not in str(refused.value)


def test_a_compressed_answer_is_not_unpacked():
    refused = pytest.raises(ServerError, match="uncompressed answers, as was asked for, found the encoding gzip, gzip")
    with recording_server(lambda path: (200, None), Content_Encoding="gzip, gzip") as own, refused:
        LabelStudio(url=f"http://127.0.0.1:{own.port}", api_key="k")


def test_a_redirect_within_the_server_is_followed():
    redirect = lambda path: None if path.startswith("/moved") else (307, "/moved" + path)  # noqa: E731
    with recording_server(redirect) as own, pytest.raises(ServerError, match="status 404"):
        LabelStudio(url=f"http://127.0.0.1:{own.port}", api_key="secret")
    assert [path.startswith("/moved") for path in own.paths] == [False, True]


def test_a_server_with_another_gate_is_refused(label_studio, monkeypatch):
    monkeypatch.setattr(client_module, "gate_version", lambda: "newer")
    with pytest.raises(
        ServerError, match="expected Label Studio behind the gate of this version, found another version of the gate"
    ):
        LabelStudio(url=label_studio.running.url, api_key=label_studio.running.api_key)
