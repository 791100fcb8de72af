"""The gate on a real server: whatever is not allowed is refused, and no one else's rows change."""

import collections
import itertools
import sqlite3
from contextlib import closing

import httpx
import pytest

from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from tests.annotation.support import probes, promises
from tests.annotation.support.probes import METHODS, WRITES, bodies, fill, forged, labelled, make_things

REFUSALS = {400, 401, 403, 404, 405, 413, 415, 501}
OPEN_TO_STRANGERS = {"/static/<path>", "/react-app/<path>", "/dm/<path>", "/label-studio-frontend/<path>", "/sw.js",
    "/sw-fallback.js", "/favicon.ico", "/health/", "/user/login/", "/static/fonts/roboto/roboto.css"}  # fmt: skip
PAGES = {"/", "/projects/", "/projects/<pk>/", "/projects/<pk>/data/", "/projects/<pk>", "/projects/<pk>/data"}
OPEN_TO_ANNOTATORS = {
    "GET": PAGES | {"/api/version/", "/api/current-user/whoami", "/api/current-user/hotkeys/", "/api/users/",
        "/api/projects/", "/api/ml/", "/api/webhooks/", "/api/dm/actions/", "/api/label_links/", "/api/projects/<pk>/",
        "/api/projects/<pk>/next/", "/api/projects/<pk>/label-stream-history/", "/api/dm/project/",
        "/api/dm/columns/", "/api/dm/views/", "/api/tasks/", "/api/tasks/<pk>/", "/api/tasks/<pk>/annotations/",
        "/api/tasks/<pk>/drafts", "/api/tasks/<pk>/annotations/<annotation_id>/drafts", "/api/annotations/<pk>/",
        "/api/drafts/<pk>/", "/logout"},
    "POST": {"/logout", "/api/dm/views/", "/api/dm/actions/", "/api/tasks/<pk>/annotations/", "/api/tasks/<pk>/drafts",
        "/api/tasks/<pk>/annotations/<annotation_id>/drafts", "/user/login/"},
    "PATCH": {"/api/annotations/<pk>/", "/api/drafts/<pk>/"},
    "DELETE": {"/api/drafts/<pk>/"},
}  # fmt: skip
OWN_WRITES = (
    ("POST", "/api/dm/views"), ("POST", "/api/dm/actions"), ("POST", "/api/tasks/<pk>/annotations"),
    ("POST", "/api/tasks/<pk>/drafts"), ("POST", "/api/tasks/<pk>/annotations/<pk>/drafts"),
    ("PATCH", "/api/annotations/<pk>"), ("PATCH", "/api/drafts/<pk>"), ("DELETE", "/api/drafts/<pk>"),
)  # fmt: skip


@pytest.fixture(scope="module")
def own(label_studio):
    return make_things(label_studio, "ownmark")


@pytest.fixture(scope="module")
def victim(label_studio):
    return make_things(label_studio, "victimmark")


@pytest.fixture
def database(label_studio):
    return label_studio.folder / "data" / environment.DATABASE


@pytest.fixture(scope="module")
def annotator(label_studio, own):
    """The prober's browser, signed in."""
    with Sitting(label_studio.running.url, own.account) as sitting:
        sitting.sign_in()
        yield sitting._browser


@pytest.fixture(scope="module")
def templates(label_studio, label_studio_environment):
    urls = probes.url_templates(label_studio.folder, label_studio_environment)
    assert len(urls) > 200
    return urls


def leaks(answer, victim):
    """The texts of the victim or the administrator that an answer shows."""
    secrets = [victim.mark, victim.account.email, "administrator@example.org"]
    return [secret for secret in secrets if secret in answer.text]


def print_statuses(who, statuses):
    """Print a line of the probe table, which `pytest -rP` shows."""
    refused = sum(n for status, n in statuses.items() if status in REFUSALS)
    print(f"{who}: {statuses.total()} requests, {refused} refused, answers {dict(sorted(statuses.items()))}")


MAIN_METHODS = ("GET", "POST", "PATCH", "DELETE")
OTHER_METHODS = tuple(sorted(set(METHODS) - set(MAIN_METHODS)))


@pytest.fixture(params=[*MAIN_METHODS, "others"])
def urls(request, templates):
    """Every URL with a method that some rule allows, and with all others."""
    return itertools.product(templates, OTHER_METHODS if request.param == "others" else [request.param])


def every_url(browser, urls, things, victim):
    """(template, method, status, leaks) for these URLs and methods with the ids of `things`."""
    for template, method in urls:
        if template.startswith("/logout") or (template, method) == ("/user/login/", "POST"):
            continue
        more = {"json": forged(victim)} if method in WRITES else {}
        query = {"project": things.project, "id": "next_task", "view": things.view}
        answer = browser.request(method, fill(template, things), params=query, **more)
        yield template, method, answer.status_code, leaks(answer, victim)


@pytest.mark.sweep
def test_a_stranger_is_refused_everywhere_but_on_the_login_page(label_studio, urls, victim, database):
    before = probes.rows(database)
    with httpx.Client(base_url=label_studio.running.url) as stranger:
        answers = list(every_url(stranger, urls, victim, victim))
    print_statuses("a stranger", collections.Counter(status for _, _, status, _ in answers))
    assert [answer for answer in answers if answer[3]] == []
    opened = {(template, method) for template, method, status, _ in answers if status not in REFUSALS}
    door = {(template, method) for template in OPEN_TO_STRANGERS for method in ("GET", "HEAD")}
    to_login = {(template, "GET") for template in PAGES}
    assert opened - door - to_login == set()
    assert probes.foreign_changes(before, probes.rows(database), victim) == []


@pytest.mark.sweep
def test_an_annotator_gets_nothing_of_another_by_any_url_or_method(annotator, urls, victim, own, database):
    before = probes.rows(database)
    answers = list(every_url(annotator, urls, victim, victim))
    print_statuses("an annotator, with another's ids", collections.Counter(status for _, _, status, _ in answers))
    assert [answer for answer in answers if answer[3]] == []
    assert probes.foreign_changes(before, probes.rows(database), own) == []
    opened = collections.defaultdict(set)
    for template, method, status, _ in answers:
        if status not in REFUSALS:
            opened[method].add(template)
    about_nothing = {"/api/version/", "/api/current-user/whoami", "/api/current-user/hotkeys/", "/", "/projects/",
        "/api/projects/", "/api/ml/", "/api/webhooks/", "/api/dm/actions/"}  # fmt: skip
    assert opened["GET"] <= OPEN_TO_STRANGERS | about_nothing
    assert opened["HEAD"] <= OPEN_TO_STRANGERS
    assert set(opened) <= {"GET", "HEAD"}


@pytest.mark.sweep
def test_an_annotator_reaches_only_the_listed_urls_of_their_own_work(annotator, urls, victim, own, database):
    before = probes.rows(database)
    answers = list(every_url(annotator, urls, own, victim))
    print_statuses("an annotator, with their own ids", collections.Counter(status for _, _, status, _ in answers))
    assert [answer for answer in answers if answer[3]] == []
    for template, method, status, _ in answers:
        if status not in REFUSALS and not (template in OPEN_TO_STRANGERS and method in ("GET", "HEAD")):
            assert template in OPEN_TO_ANNOTATORS.get(method, set()), (method, template, status)
    assert probes.foreign_changes(before, probes.rows(database), own) == []


@pytest.mark.sweep
def test_other_methods_are_refused_everywhere(annotator, own):
    paths = [fill(template, own) for template in OPEN_TO_ANNOTATORS["GET"] | OPEN_TO_ANNOTATORS["POST"]]
    for path, method in itertools.product(paths, OTHER_METHODS):
        assert annotator.request(method, path).status_code in REFUSALS, (method, path)


@pytest.mark.sweep
@pytest.mark.parametrize("url", OWN_WRITES)
def test_no_way_of_writing_a_body_reaches_the_victim(label_studio, annotator, own, victim, url):
    (method, template), database = url, label_studio.folder / "data" / environment.DATABASE
    before = probes.rows(database)
    whose = [(victim, victim), (own, victim), (victim, own), (own, own)]
    queries = ({"project": own.project, "id": "next_task"}, {"project": [own.project, victim.project]}, {})
    statuses = collections.Counter()
    for way, (first, second), query in itertools.product(bodies(victim), whose, queries):
        path = fill(template, first, other=second)
        answer = annotator.request(method, path, params=query, **bodies(victim)[way])
        statuses[answer.status_code] += 1
        assert leaks(answer, victim) == [], (way, path, query)
    print_statuses(f"{method} {template}", statuses)
    assert probes.foreign_changes(before, probes.rows(database), own) == []
    collected = label_studio.client.collect({victim.project: None})
    assert list(collected["completed_by"]) == [victim.account.email]


def test_an_annotation_belongs_to_the_session_and_has_only_fields_of_the_page(label_studio, annotator, own, victim):
    account = own.account
    tasks = [{"assignment": "fresh", "definition1": "a", "definition2": "b", "entity": "c"}]
    project = label_studio.project(tasks, account)
    task = label_studio.client._sdk.tasks.list(project=project, fields="task_only").items[0].id
    body = {**forged(victim), "draft_id": 0, **labelled("mine")}
    answer = annotator.post(f"/api/tasks/{task}/annotations", params={"project": project}, json=body)
    assert answer.status_code == 201
    stored = label_studio.client._sdk.annotations.get(answer.json()["id"])
    assert stored.completed_by == own.user
    assert not stored.ground_truth
    assert stored.parent_annotation is None
    for result in ([{"from_name": "score", "value": {"choices": ["9"]}}], [{"from_name": "other", "value": {}}], "x"):
        refused = annotator.post(f"/api/tasks/{own.task}/annotations", json={"result": result})
        assert refused.status_code == 400


@pytest.mark.parametrize(
    "path",
    ["/api/tasks/{victim.task}/annotations/{own.annotation}/drafts", "/api/tasks/{own.task}?project={victim.project}",
     "/api/annotations/{own.annotation}?taskID={victim.task}&project={own.project}",
     "/api/tasks?project={own.project}&view={victim.view}", "/api/tasks?project={own.project}&project={victim.project}",
     "/projects/{own.project}/data?task={victim.task}", "/api/dm/project?project={own.project}&project={own.project}"],
)  # fmt: skip
def test_ids_that_do_not_agree_are_refused(annotator, own, victim, path):
    method = "PATCH" if path.startswith("/api/annotations") else "GET"
    more = {"json": labelled("x")} if method == "PATCH" else {}
    assert annotator.request(method, path.format(own=own, victim=victim), **more).status_code in (400, 403)


def test_a_closed_project_is_closed_at_once(label_studio, annotator, own):
    client, email = label_studio.client, own.account.email
    assert annotator.get(f"/api/projects/{own.project}/next").status_code in (200, 404)
    assert client.open_for({own.project: (email, False)}) == 1
    for path in (f"/api/projects/{own.project}/next", f"/api/annotations/{own.annotation}", f"/api/tasks/{own.task}"):
        assert annotator.get(path).status_code == 403
    assert annotator.patch(f"/api/annotations/{own.annotation}", json=labelled("late")).status_code == 403
    assert own.project not in {project["id"] for project in annotator.get("/api/projects").json()["results"]}
    assert client.open_for({own.project: (email, True)}) == 1
    assert annotator.get(f"/api/tasks/{own.task}").status_code == 200


def test_keys_open_nothing_for_annotators(label_studio, annotator, own):
    key = label_studio.running.api_key
    for header in ({"Authorization": "Token " + "0" * 40}, {"Authorization": f"Bearer {key}"}, {"X-Api-Key": "x"}):
        assert annotator.get(f"/api/tasks/{own.task}", headers=header).status_code == 401
    assert annotator.get("/api/current-user/token").status_code == 403
    assert annotator.post("/api/token/").status_code == 403
    assert annotator.post("/parade/members", json={"members": []}).status_code == 403
    administrator = {"Authorization": f"Token {key}"}
    assert httpx.get(f"{label_studio.running.url}/api/users/", headers=administrator).status_code == 200


@pytest.mark.sweep
@pytest.mark.parametrize("check", promises.CHECKS)
def test_what_the_gate_promises_on_any_database(label_studio, check):
    check(label_studio)


@pytest.mark.sweep
def test_passwords_cannot_be_guessed_for_long(label_studio, database):
    def execute(statement):
        with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
            connection.execute(statement)

    promises.check_sign_in_limits(label_studio, execute)
    promises.check_order_of_answers(label_studio, execute)
