"""The documents to accept before the first task, the page that asks for it, and the record of who accepted what."""

from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from projects.models import ProjectMember
from rest_framework.authentication import CSRFCheck

from parade_gate.models import Acceptance, Document, Requirement

ORDER = ("consent", "guide")
STATEMENTS = {
    "consent": "I have read this, my questions have been answered, and I am taking part of my own free will.",
    "guide": "I have read the guide and will follow it.",
}
"""The kinds of documents in the order of the page, and the statement that each box confirms."""

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Before you start</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 17px/1.5 sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em; color: #222; }}
section {{ border: 1px solid #bbb; border-radius: 6px; padding: 0 1.4em 1em; margin: 1.5em 0; }}
h2, h3 {{ line-height: 1.2; }} small {{ color: #555; }}
label {{ display: flex; gap: .7em; align-items: baseline; background: #eef4fb; padding: .6em .8em; border-radius: 6px;
  font-weight: bold; }}
button {{ font: inherit; padding: .5em 1.6em; }} .missing {{ color: #a00; font-weight: bold; }}
</style>
<body><h1>Before you start</h1>
<p>Please read the text below and tick every box to begin. We record what you accept, and when.</p>
{note}<form method="post" action="/agreement"><input type="hidden" name="csrfmiddlewaretoken" value="{token}">
{sections}<p><button type="submit">Continue</button></p></form><p><a href="/logout">Sign out</a></p></body></html>"""

SECTION = """<section>{text}<p><small>{kind}, version {version}{reference}</small></p>
<label><input type="checkbox" name="accept" value="{key}"> {statement}</label></section>"""

MISSING = (
    '<p class="missing">Please tick every box. If you do not agree, sign out and tell the person who runs the'
    " campaign.</p>"
)


def ready(user, projects: Iterable[int]) -> set[int]:
    """The projects of which the user has accepted every document; a project without documents is ready for no user."""
    accepted, required = _accepted(user), defaultdict(set)
    for project, document in Requirement.objects.filter(project__in=projects).values_list("project_id", "document_id"):
        required[project].add(document)
    return {project for project, documents in required.items() if documents <= accepted}


def pending(user) -> list[Document]:
    """The documents that the user's enabled projects require and the user has not accepted yet, in the page's order."""
    projects = ProjectMember.objects.filter(user=user, enabled=True, project__isnull=False).values("project_id")
    wanted = Requirement.objects.filter(project__in=projects).exclude(document__in=_accepted(user))
    documents = Document.objects.filter(key__in=wanted.values("document_id"))
    return sorted(documents, key=lambda document: (ORDER.index(document.kind), document.key))


def agreement(request: HttpRequest) -> HttpResponse:
    """The page with the caller's pending documents, or a redirection to the start if there are none."""
    waiting = pending(request.user)
    return _page(request, waiting) if waiting else HttpResponseRedirect("/")


def agree(request: HttpRequest) -> HttpResponse:
    """Record that the caller accepts all pending documents, for the caller alone: each of them has to be ticked."""
    if CSRFCheck(lambda _: None).process_view(request, None, (), {}):
        return HttpResponse(
            "This page is out of date. Please go back and reload it.", status=403, content_type="text/plain"
        )
    waiting, ticked = pending(request.user), set(request.POST.getlist("accept"))
    if not {document.key for document in waiting} <= ticked:
        return _page(request, waiting, note=mark_safe(MISSING))  # noqa: S308 - our own text
    with transaction.atomic():
        for document in waiting:
            Acceptance.objects.get_or_create(user=request.user, document=document)
    return HttpResponseRedirect("/")


def _accepted(user) -> set[str]:
    return set(Acceptance.objects.filter(user=user).values_list("document_id", flat=True))


def _page(request: HttpRequest, waiting: list[Document], note: str = "") -> HttpResponse:
    sections = [_section(document) for document in waiting]
    content = format_html(PAGE, note=note, token=get_token(request), sections=format_html_join("", "{}", sections))
    response = HttpResponse(content, headers={"Cache-Control": "no-store"})
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
    return response


def _section(document: Document) -> tuple[SafeString]:
    values = {"kind": document.kind.capitalize(), "version": document.version, "key": document.key}
    values["reference"] = format_html(" · ethics approval: {}", document.reference) if document.reference else ""
    return (format_html(SECTION, text=_html(document.text), statement=STATEMENTS[document.kind], **values),)


def _html(text: str) -> SafeString:
    """The text's headings, list items and paragraphs, one per line, escaped."""
    parts, in_list = [], False
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if (item := line.startswith("- ")) != in_list:
            parts.append(mark_safe("<ul>" if item else "</ul>"))  # noqa: S308 - our own text
            in_list = item
        level = min(len(line) - len(line.lstrip("#")), 3)
        form = "<li>{}</li>" if item else ("<p>{}</p>", "<h2>{}</h2>", "<h3>{}</h3>", "<h4>{}</h4>")[level]
        parts.append(format_html(form, line[2:] if item else line.lstrip("# ")))
    return format_html_join("", "{}", ((part,) for part in [*parts, *([mark_safe("</ul>")] if in_list else [])]))
