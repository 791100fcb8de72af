"""The gate's own answers."""

import json
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from projects.models import Project
from tasks.models import Task

from parade_gate.agreements import pending
from parade_gate.models import Seat
from parade_gate.requests.owners import open_projects

NOTHING_OPEN = (
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Nothing to label</title>"
    "<body style='font:18px sans-serif;max-width:40em;margin:4em auto'><h1>Nothing to label at the moment</h1>"
    "<p>No pairs are open to you. If you expected some, please ask the person who runs the campaign.</p>"
    "<p><a href='/logout'>Sign out</a></p></body></html>"
)


def start(request: HttpRequest) -> HttpResponse:
    """Redirect to pending documents, else to the newest project with unfinished tasks, else to the newest project."""
    if pending(request.user):
        return HttpResponseRedirect("/agreement")
    projects = open_projects(request.user)
    unfinished = Task.objects.filter(project__in=projects, is_labeled=False).order_by("-project_id")
    newest = unfinished.values_list("project_id", flat=True).first() or (projects[0] if projects else None)
    if newest is None:
        return HttpResponse(NOTHING_OPEN)
    if Seat.objects.filter(project=newest).exists():
        return HttpResponseRedirect(f"/game/{newest}")
    return HttpResponseRedirect(f"/projects/{newest}/data?labeling=1")


def users(request: HttpRequest) -> HttpResponse:
    """The caller alone."""
    user = request.user
    names = {"id": user.id, "first_name": "", "last_name": "", "username": user.username, "email": user.email}
    return JsonResponse([{**names, "avatar": None, "initials": user.get_initials()}], safe=False)


def projects(request: HttpRequest) -> HttpResponse:
    """The projects that are open to the caller, with the numbers of their tasks."""
    rows = Project.objects.filter(id__in=open_projects(request.user)).order_by("-id").values("id", "title")
    results = [{**row, **_progress(row["id"])} for row in rows]
    return JsonResponse({"count": len(results), "next": None, "previous": None, "results": results})


def empty(_: HttpRequest) -> HttpResponse:
    """An empty list."""
    return JsonResponse([], safe=False)


def no_results(_: HttpRequest) -> HttpResponse:
    """A page without results."""
    return JsonResponse({"count": 0, "next": None, "previous": None, "results": []})


def hide(response: HttpResponse, names: Iterable[str]) -> HttpResponse:
    """The JSON answer with the values of these fields emptied."""
    if response.status_code == 200 and response.get("Content-Type", "").startswith("application/json"):
        content = json.loads(response.content)
        if isinstance(content, dict):
            emptied: dict[str, Any] = {name: {} for name in names if name in content}
            response.content = json.dumps(content | emptied)
            response["Content-Length"] = str(len(response.content))
    return response


def too_many(seconds: int) -> HttpResponse:
    """The answer that says when the next attempt is allowed."""
    response = HttpResponse(
        "Too many attempts to sign in. Please wait a few seconds and try again.", status=429, content_type="text/plain"
    )
    response["Retry-After"] = str(seconds)
    return response


def _progress(project: int) -> dict[str, int]:
    tasks = Task.objects.filter(project=project)
    done = tasks.filter(is_labeled=True).count()
    return {"task_number": tasks.count(), "finished_task_number": done}
