"""The requests that the builder makes with the administrator's key: accounts, and who may see which project."""

import json
import os
from collections import defaultdict
from datetime import datetime

from data_import.serializers import ImportApiSerializer
from django.contrib.auth import get_user_model
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.http import HttpRequest, JsonResponse
from organizations.models import Organization
from projects.models import Project, ProjectMember
from rest_framework.exceptions import ValidationError
from tasks.models import Annotation, AnnotationDraft, Task

from parade_gate import accounts, erasure, working_time
from parade_gate.agreements import ORDER
from parade_gate.game import staff
from parade_gate.models import Acceptance, Document, Requirement


class ExactTimes(DjangoJSONEncoder):
    """Times with all their digits: Django's encoder drops the microseconds, by which answers are told to be known."""

    def default(self, o: object) -> object:
        """The time in ISO 8601."""
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def answer(request: HttpRequest) -> JsonResponse:
    """The answer to a request below /parade/."""
    views = {
        ("POST", "/parade/accounts"): _accounts,
        ("POST", "/parade/members"): _members,
        ("POST", "/parade/tasks"): _add_tasks,
        ("POST", "/parade/answers"): _answers,
        ("POST", "/parade/work"): _work,
        ("POST", "/parade/withdraw"): _withdraw,
        ("POST", "/parade/game"): staff.open_round,
        ("POST", "/parade/game/judges"): staff.ask_judges,
        ("POST", "/parade/game/close"): staff.close_round,
        ("POST", "/parade/game/checks"): staff.read_checks,
    }
    reads = {
        "/parade": lambda: {
            "gate": os.environ["PARADE_GATE"], "latest": _latest(), "claims": working_time.excess_claims()
        },
        "/parade/projects": lambda: {"projects": dict(Project.objects.order_by("-id").values_list("title", "id"))},
        "/parade/tasks": lambda: {"counts": _count_tasks()},
        "/parade/acceptances": lambda: {"acceptances": _acceptances()},
        "/parade/accounts": lambda: {"accounts": dict(get_user_model().objects.values_list("id", "email"))},
    }  # fmt: skip
    path = request.path_info.rstrip("/")
    if request.method == "GET" and path in reads:
        return JsonResponse(reads[path](), encoder=ExactTimes)
    view = views.get((request.method, path))
    if view is None:
        return JsonResponse({"detail": "nothing here"}, status=404)
    try:
        return JsonResponse(view(json.loads(request.body)), encoder=ExactTimes)
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError, Project.DoesNotExist) as fault:
        return JsonResponse({"detail": f"{type(fault).__name__}: {fault}"}, status=400)


def _latest() -> dict[int, tuple[int, str]]:
    """Project -> the number of its annotations and the time of the latest change."""
    rows = Annotation.objects.values("project_id").annotate(n=Count("id"), at=Max("updated_at"))
    return {row["project_id"]: (row["n"], row["at"].isoformat()) for row in rows}


def _accounts(body: dict) -> dict[str, int]:
    """Create the accounts that are missing: {"accounts": [{"email", "password"}]}; ordinary users without a token."""
    users, organization = get_user_model().objects, Organization.objects.order_by("id").first()
    created = 0
    for account in body["accounts"]:
        if not 8 <= len(account["password"]) <= 128:
            raise ValueError("a password has 8 to 128 characters")
        if users.filter(email__iexact=account["email"]).exists():
            continue
        with transaction.atomic():
            user = users.create_user(email=account["email"].lower(), password=account["password"])
            organization.add_user(user)
            user.active_organization = organization
            user.save(update_fields=["active_organization"])
        created += 1
    return {"created": created}


def _members(body: dict) -> dict[str, int]:
    """Open and close projects for people: {"members": [{"project", "email", "enabled"}]}; all or nothing.

    Afterwards a project is open only to the people named for it, and only once they have accepted the "documents"
    ([{"key", "kind", "version", "reference", "text"}]), at least one of which is the guide.
    """
    changed = 0
    with transaction.atomic():
        accounts.lock_memberships(Q(project__in=[member["project"] for member in body["members"]]))
        documents = [_document(document) for document in body["documents"]]
        if "guide" not in {document.kind for document in documents}:
            raise ValueError("there must be a guide among the documents")
        wanted = {member["project"]: (member["email"].lower(), bool(member["enabled"])) for member in body["members"]}
        _require([project for project, (_, enabled) in wanted.items() if enabled], documents)
        members = defaultdict(list)
        for row in ProjectMember.objects.filter(project__in=wanted).select_related("user"):
            members[row.project_id].append((row.user.email.lower(), row.enabled))
        for number, (email, enabled) in wanted.items():
            if members[number] != [(email, enabled)]:
                project, user = Project.objects.get(id=number), get_user_model().objects.get(email=email)
                ProjectMember.objects.filter(project=project).exclude(user=user).delete()
                rows = ProjectMember.objects.filter(project=project, user=user)
                if rows.count() == 1:
                    rows.update(enabled=enabled)
                else:
                    rows.delete()
                    ProjectMember.objects.create(project=project, user=user, enabled=enabled)
                changed += 1
    return {"changed": changed}


def _add_tasks(body: dict) -> dict[str, int]:
    """Add the tasks that are missing, in their order: {"tasks": {project: [data]}}; their key is "assignment".

    Each project's in one transaction, so that two requests at once, or one that is sent again, add none twice.
    """
    added = 0
    for number, tasks in body["tasks"].items():
        with transaction.atomic():
            project = Project.objects.select_for_update().get(id=number)
            there = set(Task.objects.filter(project=project).values_list("data__assignment", flat=True))
            missing = [{"data": task} for task in tasks if task["assignment"] not in there]
            if missing:
                _import(project, missing)
        added += len(missing)
    return {"added": added}


def _import(project: Project, rows: list[dict]) -> None:
    """Add tasks as the server's own import does."""
    serializer = ImportApiSerializer(data=rows, many=True, context={"project": project})
    serializer.is_valid(raise_exception=True)
    tasks = serializer.save(project_id=project.id)
    project.update_tasks_counters_and_task_states(
        tasks_queryset=tasks,
        maximum_annotations_changed=False,
        overlap_cohort_percentage_changed=False,
        tasks_number_changed=True,
    )
    project.summary.update_data_columns(rows)


def _count_tasks() -> dict[int, tuple[int, int]]:
    """Project -> the number of its finished tasks and of all its tasks."""
    rows = Task.objects.values("project_id").annotate(done=Count("id", filter=Q(is_labeled=True)), n=Count("id"))
    return {row["project_id"]: (row["done"], row["n"]) for row in rows}


def _answers(body: dict) -> dict[str, list[dict[str, object]]]:
    """The annotations of projects, of which {"known": {project: [number, latest time] or null}} are known.

    Where a project has as many until that time, the last of them at that time, only later ones; else all.
    """
    rows = Annotation.objects.order_by("id").annotate(
        assignment=F("task__data__assignment"),
        by=F("completed_by__email"),
        last_by=F("updated_by__email"),
    )
    fields = ["project_id", "assignment", "by", "last_by", "created_at", "updated_at", "was_cancelled", "result"]
    answers = []
    for number, known in body["known"].items():
        own = rows.filter(project=number)
        if known:
            at = datetime.fromisoformat(known[1])
            until = own.filter(updated_at__lte=at).aggregate(n=Count("id"), at=Max("updated_at"))
            own = own.filter(updated_at__gt=at) if (until["n"], until["at"]) == (known[0], at) else own
        answers += own.values(*fields, "lead_time")
    return {"answers": answers}


def _work(body: dict) -> dict[str, list[list[object]]]:
    """Per annotation in {"projects"}: assignment, time, whether skipped, seconds; read where an export fails, too."""
    rows = Annotation.objects.filter(project__in=body["projects"]).select_related("task").order_by("id")
    rows = rows.only("task__data", "updated_at", "was_cancelled", "lead_time")
    work = [[row.task.data.get("assignment"), row.updated_at, row.was_cancelled, row.lead_time] for row in rows]
    return {"work": work}


def _withdraw(body: dict) -> dict[str, int]:
    """Delete these projects with all answers in them, and close the account: {"projects", "email", "close", "tasks",
    "votes"}.

    A project that has another member is refused; a project that is already gone is ignored. An address that is no
    longer known, as after restoring a backup, means the one owner of the projects. "tasks" are tasks
    of other people's projects that show what the person wrote: {project: [assignment]}; they go with their answers.
    "votes" are what seniors' tasks are to show of the votes from now on: {project: {assignment: text}}.

    Afterwards no file of the server or its database holds any of it, if "clean" is true in the answer.
    """
    user = get_user_model().objects.filter(email=body["email"].lower(), is_staff=False).first()
    with transaction.atomic():
        accounts.lock_memberships(Q(project__in=[*body["projects"], *body["tasks"], *body["votes"]]) | Q(user=user))
        members = set(ProjectMember.objects.filter(project__in=body["projects"]).values_list("user_id", flat=True))
        if len(members) > 1 or (user and members - {user.id}):
            raise ValueError("expected projects of this person alone")
        user = user or get_user_model().objects.filter(id__in=members, is_staff=False).first()
        annotations = Annotation.objects.filter(project__in=body["projects"]).count()
        for project in Project.objects.filter(id__in=body["projects"]):
            project.delete()
        for number, assignments in body["tasks"].items():
            tasks = Task.objects.filter(project=number).only("data")
            shown = [task.id for task in tasks if task.data.get("assignment") in assignments]
            Task.delete_tasks_without_signals_from_task_ids(shown)
        for number, votes in body["votes"].items():
            for task in Task.objects.filter(project=number).only("data"):
                if (text := votes.get(task.data.get("assignment"))) is not None:
                    Task.objects.filter(id=task.id).update(data=task.data | {"votes": text})
        if user and body["close"]:
            AnnotationDraft.objects.filter(user=user).delete()
            accounts.close(user)
    erasure.remove_snapshots()
    return {"annotations": annotations, "clean": erasure.clean_database()}


def _document(fields: dict) -> Document:
    """The document with this key, as first stored. Raises ValueError if the key has other content."""
    if fields["kind"] not in ORDER or not fields["text"].strip():
        raise ValueError("a document is a consent or a guide, with a text")
    content = {name: str(fields[name]) for name in ("kind", "version", "reference", "text")}
    document, _ = Document.objects.get_or_create(key=fields["key"], defaults=content)
    if any(getattr(document, name) != value for name, value in content.items()):
        raise ValueError("another document has this key")
    return document


def _require(projects: list[int], documents: list[Document]) -> None:
    """Let the projects require these documents and no others."""
    keys = {document.key for document in documents}
    required = defaultdict(set)
    for project, key in Requirement.objects.filter(project__in=projects).values_list("project_id", "document_id"):
        required[project].add(key)
    for project in projects:
        if required[project] != keys:
            Requirement.objects.filter(project_id=project).exclude(document__in=documents).delete()
            for document in documents:
                Requirement.objects.get_or_create(project_id=project, document=document)


def _acceptances() -> list[dict[str, str]]:
    """Who accepted which document when."""
    rows = Acceptance.objects.select_related("user", "document").order_by("id")
    return [
        {
            "email": row.user.email.lower(),
            "kind": row.document.kind,
            "version": row.document.version,
            "key": row.document.key,
            "at": row.at.isoformat(),
        }
        for row in rows
    ]
