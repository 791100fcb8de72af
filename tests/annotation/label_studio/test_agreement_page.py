"""Consent and guide before the first task: the gate's own page on a real server."""

import dataclasses
import secrets
import sqlite3
from contextlib import closing

import httpx
import pytest

from annotation.campaign.documents import Document, default_guide
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from data.console.errors import ServerError
from tests.annotation.support.probes import labelled

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def consent(**more):
    text = "# What we ask of you\n\nYou <b>label</b> pairs.\n\n- You may stop.\n- Nobody is named."
    return Document(kind="consent", version=secrets.token_hex(4), reference="IRB & co 2026/7", text=text, **more)


@pytest.fixture
def newcomer(label_studio, tasks):
    """The session of an annotator who has accepted nothing, a project, and the two documents that it requires."""
    account, documents = label_studio.account(), [consent(), default_guide()]
    project = label_studio.project(tasks)
    assert label_studio.client.open_for({project: (account.email, True)}, documents) == 1
    with Sitting(label_studio.running.url, account) as sitting:
        sitting.sign_in(accepts=False)
        yield sitting, project, documents


def task_of(label_studio, project):
    return label_studio.client._sdk.tasks.list(project=project, fields="task_only").items[0].id


def serves_nothing(label_studio, sitting, project):
    browser, task = sitting._browser, task_of(label_studio, project)
    for path in (f"/api/projects/{project}", f"/api/projects/{project}/next", f"/api/tasks/{task}",
                 f"/api/tasks?project={project}", f"/api/dm/project?project={project}"):  # fmt: skip
        answer = browser.get(path)
        assert answer.status_code == 403, path
        assert "a list of things" not in answer.text
    for path in (f"/api/tasks/{task}/annotations", f"/api/tasks/{task}/drafts"):
        assert browser.post(path, params={"project": project}, json=labelled("early")).status_code == 403
    assert browser.get("/api/projects").json()["results"] == []
    assert label_studio.client.collect({project: None}).empty
    return True


def accepted(label_studio, account):
    rows = label_studio.client.acceptances()
    return set(rows.loc[rows["email"] == account.email, "key"])


def csrf_token(browser):
    browser.get("/agreement").raise_for_status()
    return {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}


@pytest.mark.sweep
def test_no_task_or_label_passes_before_acceptance_but_all_do_afterwards(label_studio, newcomer):
    sitting, project, documents = newcomer
    assert serves_nothing(label_studio, sitting, project)
    for page in ("/", "/projects", f"/projects/{project}/data?labeling=1"):
        answer = sitting._browser.get(page)
        assert (answer.status_code, answer.headers["location"]) == (302, "/agreement")
    assert sitting.accept() == [document.key for document in documents]
    assert sitting.accept() == []
    assert sitting.next_task(project)["data"]["assignment"] == "a-1"
    assert sitting._browser.get("/").headers["location"] == f"/projects/{project}/data?labeling=1"
    rows = label_studio.client.acceptances()
    own = rows[rows["email"] == sitting.account.email]
    assert own["kind"].to_list() == ["consent", "guide"]
    assert own["version"].to_list() == [document.version for document in documents]
    assert own["accepted_at"].notna().all()


def test_the_page_escapes_the_texts(newcomer):
    sitting, _, documents = newcomer
    page = sitting._browser.get("/agreement")
    assert "You &lt;b&gt;label&lt;/b&gt; pairs." in page.text
    assert "<li>You may stop.</li>" in page.text
    assert "IRB &amp; co 2026/7" in page.text
    assert documents[0].version in page.text
    assert "A wrong statement still counts as a statement" in page.text
    assert page.text.index("What we ask of you") < page.text.index("How to score two definitions")
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.sweep
def test_accepting_only_some_documents_accepts_none(label_studio, newcomer):
    sitting, project, documents = newcomer
    for keys in ([], [documents[0].key], [documents[1].key], ["x", documents[0].key]):
        answer = sitting._send_form("/agreement", {"accept": keys})
        assert answer.status_code == 200
        assert "Please tick every box" in answer.text
    assert accepted(label_studio, sitting.account) == set()
    assert serves_nothing(label_studio, sitting, project)


def test_a_stranger_accepts_and_sees_nothing(label_studio, newcomer):
    _, _, documents = newcomer
    with httpx.Client(base_url=label_studio.running.url) as stranger:
        answer = stranger.get("/agreement")
        assert (answer.status_code, answer.headers["location"]) == (302, "/user/login/?next=/agreement")
        stranger.get("/user/login/")
        body = {
            "accept": [document.key for document in documents],
            "csrfmiddlewaretoken": stranger.cookies["csrftoken"],
        }
        assert stranger.post("/agreement", data=body).status_code == 401
        assert stranger.get("/parade/acceptances").status_code == 401
        assert stranger.get("/parade/accounts").status_code == 401


def test_no_one_accepts_for_another_person_or_before_being_asked(label_studio, newcomer):
    sitting, project, documents = newcomer
    other = label_studio.account()
    body = {
        "accept": [document.key for document in documents],
        "user": other.email,
        "user_id": "1",
        "email": other.email,
    }
    assert sitting._send_form("/agreement", body).status_code == 302
    assert accepted(label_studio, sitting.account) == {document.key for document in documents}
    assert accepted(label_studio, other) == set()
    foreign = consent()
    with Sitting(label_studio.running.url, other) as session:
        session.sign_in(accepts=False)
        assert session._browser.get("/agreement").headers["location"] == "/"
        forged = {"accept": [foreign.key, *(document.key for document in documents)]} | {
            "csrfmiddlewaretoken": sitting._browser.cookies["csrftoken"]}  # fmt: skip
        session._browser.cookies["csrftoken"] = sitting._browser.cookies["csrftoken"]
        session._browser.post("/agreement", data=forged)
        assert accepted(label_studio, other) == set()
        assert session._browser.get(f"/api/projects/{project}/next").status_code == 403


@pytest.mark.sweep
def test_a_form_from_another_site_or_without_token_or_with_another_type_has_no_effect(label_studio, newcomer):
    sitting, project, documents = newcomer
    browser, keys = sitting._browser, {"accept": [document.key for document in documents]}
    token = csrf_token(browser)
    attempts = (
        {"data": keys}, {"data": keys | {"csrfmiddlewaretoken": "x" * 64}}, {"json": keys | token},
        {"data": keys | token, "headers": {"Origin": "https://elsewhere.example"}},
        {"files": {"accept": (None, documents[0].key)}}, {"content": iter([b"accept=x"]), "headers": FORM},
        {"data": {"accept": ["x" * 70_000]} | token},
        {"data": keys | token, "headers": {"X-HTTP-Method-Override": "PUT"}},
    )  # fmt: skip
    assert {browser.post("/agreement", **attempt).status_code for attempt in attempts} <= {400, 403, 413, 415}
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"):
        assert browser.request(method, "/agreement").status_code == 403
    assert accepted(label_studio, sitting.account) == set()
    assert serves_nothing(label_studio, sitting, project)


@pytest.mark.sweep
def test_a_changed_guide_has_to_be_accepted_before_the_next_task(label_studio, newcomer):
    sitting, project, documents = newcomer
    sitting.accept()
    guide = dataclasses.replace(documents[1], version="next", text="# Another guide\n\nVersion next")
    members = {project: (sitting.account.email, True)}
    label_studio.client.open_for(members, [documents[0], guide])
    assert serves_nothing(label_studio, sitting, project)
    assert sitting.accept() == [guide.key]
    assert sitting.next_task(project)
    label_studio.client.open_for(members, documents)
    assert sitting.next_task(project)


def test_a_project_that_requires_no_document_is_open_to_no_one(label_studio, newcomer):
    sitting, project, _ = newcomer
    sitting.accept()
    assert sitting.next_task(project)
    with closing(sqlite3.connect(label_studio.folder / "data" / environment.DATABASE)) as database, database:
        database.execute("DELETE FROM parade_gate_requirement WHERE project_id = ?", (project,))
    assert sitting._browser.get(f"/api/projects/{project}/next").status_code == 403


@pytest.mark.parametrize("change", [{"text": "another"}, {"reference": "x"}, {"version": "9"}, {"kind": "consent"}])
def test_the_document_under_a_key_never_changes(label_studio, newcomer, change):
    _, project, documents = newcomer
    changed = dataclasses.asdict(documents[1]) | {"key": documents[1].key} | change
    body = {"members": [{"project": project, "email": "x@y.zz", "enabled": True}], "documents": [changed]}
    with pytest.raises(ServerError, match="status 400"):
        label_studio.client._post("parade/members", body)


def test_annotators_cannot_list_acceptances_or_accounts(newcomer):
    sitting, _, _ = newcomer
    assert sitting._browser.get("/parade/acceptances").status_code == 403
    assert sitting._browser.get("/parade/accounts").status_code == 403
