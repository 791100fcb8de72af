"""What the builder asks of the gate with the administrator's key: accounts, and who may see which project."""

import json
import os

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Count, Max
from django.http import HttpRequest, JsonResponse
from organizations.models import Organization
from projects.models import Project, ProjectMember
from tasks.models import Annotation, AnnotationDraft

from parade_gate.agreements import ORDER
from parade_gate.models import Acceptance, Document, Requirement


def answer(request: HttpRequest) -> JsonResponse:
    """The answer to a request below /parade/."""
    views = {
        ("POST", "/parade/accounts"): _accounts,
        ("POST", "/parade/members"): _members,
        ("POST", "/parade/withdraw"): _withdraw,
    }
    view = views.get((request.method, request.path_info.rstrip("/")))
    if request.method == "GET" and request.path_info.rstrip("/") == "/parade/acceptances":
        return JsonResponse({"acceptances": _acceptances()})
    if request.method == "GET" and request.path_info.rstrip("/") == "/parade":
        return JsonResponse({"gate": os.environ["PARADE_GATE"], "latest": _latest()})
    if view is None:
        return JsonResponse({"detail": "nothing here"}, status=404)
    try:
        return JsonResponse(view(json.loads(request.body)))
    except (ValueError, KeyError, TypeError, AttributeError, Project.DoesNotExist) as fault:
        return JsonResponse({"detail": f"{type(fault).__name__}: {fault}"}, status=400)


def _latest() -> dict[int, tuple[int, str]]:
    """Of each project with annotations their number and the time of the latest change."""
    rows = Annotation.objects.values("project_id").annotate(n=Count("id"), at=Max("updated_at"))
    return {row["project_id"]: (row["n"], row["at"].isoformat()) for row in rows}


def _accounts(body: dict) -> dict[str, int]:
    """Makes the accounts that are missing: {"accounts": [{"email", "password"}]}; ordinary users without a token."""
    users, organization = get_user_model().objects, Organization.objects.order_by("id").first()
    made = 0
    for one in body["accounts"]:
        if not 8 <= len(one["password"]) <= 128:
            raise ValueError("a password has 8 to 128 characters")
        if users.filter(email__iexact=one["email"]).exists():
            continue
        with transaction.atomic():
            user = users.create_user(email=one["email"].lower(), password=one["password"])
            organization.add_user(user)
            user.active_organization = organization
            user.save(update_fields=["active_organization"])
        made += 1
    return {"made": made}


def _members(body: dict) -> dict[str, int]:
    """Opens and closes projects for people: {"members": [{"project", "email", "enabled"}]}; all or nothing.

    Only the people named for a project are its members afterwards, and only after they accepted the "documents"
    ([{"key", "kind", "version", "reference", "text"}]), at least one of which is the guide.
    """
    changed = 0
    with transaction.atomic():
        documents = [_document(one) for one in body["documents"]]
        if "guide" not in {one.kind for one in documents}:
            raise ValueError("a guide among the documents")
        for one in body["members"]:
            if one["enabled"]:
                _require(one["project"], documents)
            project = Project.objects.get(id=one["project"])
            user = get_user_model().objects.get(email=one["email"].lower())
            ProjectMember.objects.filter(project=project).exclude(user=user).delete()
            rows = ProjectMember.objects.filter(project=project, user=user)
            if rows.count() != 1:
                rows.delete()
                ProjectMember.objects.create(project=project, user=user, enabled=bool(one["enabled"]))
                changed += 1
            else:
                changed += rows.exclude(enabled=bool(one["enabled"])).update(enabled=bool(one["enabled"]))
    return {"changed": changed}


def _withdraw(body: dict) -> dict[str, int]:
    """Deletes these projects with all that was said in them, and closes the account: {"projects", "email", "close"}.

    A project that somebody else is a member of is refused; what is gone already does not count. An address that is not
    known any more, as after a restored backup, stands for the one person whose projects these are.

    SQLite overwrites what it deletes (`secure_delete`); PostgreSQL's files hold it until they are written anew.
    """
    user = get_user_model().objects.filter(email=body["email"].lower(), is_staff=False).first()
    with transaction.atomic():
        members = set(ProjectMember.objects.filter(project__in=body["projects"]).values_list("user_id", flat=True))
        if len(members) > 1 or (user and members - {user.id}):
            raise ValueError("projects of this person alone")
        user = user or get_user_model().objects.filter(id__in=members, is_staff=False).first()
        annotations = Annotation.objects.filter(project__in=body["projects"]).count()
        for project in Project.objects.filter(id__in=body["projects"]):
            project.delete()
        if user and body["close"]:
            AnnotationDraft.objects.filter(user=user).delete()
            user.is_active = False
            user.set_unusable_password()
            user.save(update_fields=["is_active", "password"])
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM FULL")
    return {"annotations": annotations}


def _document(given: dict) -> Document:
    """The document of this key, kept as it is first given. Raises ValueError for another content under its key."""
    if given["kind"] not in ORDER or not given["text"].strip():
        raise ValueError("a document is a consent or a guide, with a text")
    fields = {name: str(given[name]) for name in ("kind", "version", "reference", "text")}
    kept, _ = Document.objects.get_or_create(key=given["key"], defaults=fields)
    if any(getattr(kept, name) != value for name, value in fields.items()):
        raise ValueError("another document has this key")
    return kept


def _require(project: int, documents: list[Document]) -> None:
    """Lets the project ask for these documents and no others."""
    Requirement.objects.filter(project_id=project).exclude(document__in=documents).delete()
    for one in documents:
        Requirement.objects.get_or_create(project_id=project, document=one)


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
