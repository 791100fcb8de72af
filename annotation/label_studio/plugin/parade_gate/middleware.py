"""The gate: it sits between the session and the server's views and refuses every request that no rule allows.

Staff pass. An annotator gets what `rules` lists, limited to their own work, with query and body rebuilt; a stranger
gets the login page. Authorization headers are checked here, before the views see them: only the administrator's key
passes.
"""

import io
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from django.contrib.auth import logout
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import is_valid_path
from rest_framework.authtoken.models import Token
from tasks.models import Annotation

from parade_gate import accounts, agreements, attempts, erasure, staff, working_time
from parade_gate.game import play
from parade_gate.requests import answers, bodies, pages, progress, rules
from parade_gate.requests.owners import asked_of, owns

OVERRIDES = ("HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_METHOD_OVERRIDE", "HTTP_X_HTTP_METHOD")
ENCODINGS = ("HTTP_TRANSFER_ENCODING", "HTTP_CONTENT_ENCODING")
EXPORT = re.compile(r"/api/projects/[0-9]+/export")
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
ANSWERS = {
    **{name: getattr(answers, name) for name in ("start", "users", "projects", "empty", "no_results")},
    "progress": progress.progress,
    "progress_script": progress.script,
    "agreement": agreements.agreement,
    "agree": agreements.agree,
    "game": play.page,
    "game_check": play.check,
    "game_submit": play.submit,
}
"""The gate's own answers, by the names that the rules use."""

NAMED = {"project": ["project"], "task": ["task", "taskID"], "view": ["tab", "tabID", "view"]}
"""The kinds of objects that query parameters name."""


class Refused(Exception):  # noqa: N818 - an outcome, not an error
    """A request that no rule allows, with the status of the answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status

    @property
    def answer(self) -> JsonResponse:
        """What the browser gets."""
        return JsonResponse({"detail": str(self)}, status=self.status)


class ShownRefusal(Refused):
    """A refusal whose reason the labelling page shows instead of its own "please try again".

    The page does so for this status and context alone, with which the server tells annotators that they are paused.
    """

    def __init__(self, why: str) -> None:
        super().__init__(403, why)

    @property
    def answer(self) -> JsonResponse:
        """What the browser gets."""
        content = {"detail": str(self), "display_context": {"reason": "PAUSED"}}
        return JsonResponse(content, status=self.status)


class Gate:
    """A Django middleware, after authentication and before anything that reads a body."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The server's answer, or a refusal."""
        try:
            response = self._answer(request)
        except Refused as refused:
            response = refused.answer
        return _forbid_frames(response)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_AUTHORIZATION" in request.META:
            if not _is_staff_key(request.META["HTTP_AUTHORIZATION"]):
                raise Refused(401, "this key is not valid here")
            below = request.path_info.startswith("/parade")
            return staff.answer(request) if below else self._answer_staff(request)
        if request.user.is_authenticated and not accounts.has_session(request):
            logout(request)
        if request.user.is_authenticated and rules.find([rules.SIGN_OUT], request.method, request.path_info):
            accounts.end_session(request)
        if request.user.is_authenticated and request.user.is_staff:
            return self._answer_staff(request)
        return self._answer_annotator(request)

    def _answer_staff(self, request: HttpRequest) -> HttpResponse:
        """The server's answer; the files that it writes for an export are gone before it is sent."""
        if not EXPORT.match(request.path_info):
            return self.get_response(request)
        with erasure.one_export():
            return self.get_response(request)

    def _answer_annotator(self, request: HttpRequest) -> HttpResponse:
        """Answer an annotator or a stranger."""
        _require_plain(request)
        if not request.user.is_authenticated and rules.find(rules.PAGES, request.method, request.path_info):
            return HttpResponseRedirect(f"/user/login/?next={quote(request.path_info)}")
        rule, ids = _find(request)
        query = _rebuild_query(request, rule)
        ids = _merge(ids, query)
        if rule.form:
            _require_form(request)
        if rule.answer == "sign_in":
            return progress.fit_sign_in(self._sign_in(request))
        if request.method in WRITES and not rule.form and rule is not rules.SIGN_OUT:
            return self._write(request, rule, ids)
        if request.user.is_authenticated and not owns(request.user, ids):
            if rule in rules.PAGES and agreements.pending(request.user):
                return HttpResponseRedirect("/agreement")
            raise Refused(403, "not open to you")
        if rule.shows_tasks:
            working_time.start(request.user)
        if rule.answer:
            return ANSWERS[rule.answer](request)
        _add_slash(request)
        response = progress.dress(self.get_response(request), rule)
        return answers.hide(response, rule.hidden) if rule.hidden else response

    def _write(self, request: HttpRequest, rule: rules.Rule, ids: dict[str, int]) -> HttpResponse:
        """Let the server write in one transaction; whatever is closed in the meantime closes before or after it."""
        sent = _read_body(request, rule)  # before the transaction: a slow sender holds up no one else
        ids |= bodies.draft_id(sent) if rule.body is bodies.annotation else {}
        with transaction.atomic():
            accounts.lock_memberships(Q(user=request.user))
            if not (accounts.has_session(request) and owns(request.user, ids)):
                raise Refused(403, "not open to you")
            if rule.shows_tasks:
                working_time.start(request.user)
            body = _rebuild_body(request, rule, sent, ids)
            is_answer = rule.body is bodies.annotation
            if is_answer:
                body["lead_time"] = _admit_answer(request, ids, body)
                earlier = working_time.latest(request.user)
            _replace_body(request, b"" if rule.body is None else json.dumps(body).encode())
            _add_slash(request)
            response = self.get_response(request)
            if response.status_code >= 500:
                transaction.set_rollback(True)
            elif is_answer and response.status_code < 300:
                working_time.keep_order(request.user, ids, earlier)
        return response

    def _sign_in(self, request: HttpRequest) -> HttpResponse:
        """Let the server check a password, if not too many have been tried."""
        if not all(map(bodies.is_storable, [*request.POST, *request.POST.values()])):
            raise Refused(400, "a character that no address or password contains")
        if request.user.is_authenticated:
            return HttpResponseRedirect("/")
        email = request.POST.get("email", "")
        own_attempts, seconds = attempts.count(request, email)
        if seconds:
            return answers.too_many(seconds)
        response = self.get_response(request)
        if response.status_code == 302:
            if not accounts.begin_session(request):
                raise Refused(403, "this account is closed")
            own_attempts.delete()
            attempts.remember_browser(response, email)
        return response


def _forbid_frames(response: HttpResponse) -> HttpResponse:
    """The response, which no other site can show in a frame."""
    policy = response.get("Content-Security-Policy", "")
    response["X-Frame-Options"] = "SAMEORIGIN"
    response["Content-Security-Policy"] = "; ".join(filter(None, [policy, "frame-ancestors 'self'"]))
    return response


def _admit_answer(request: HttpRequest, ids: Mapping[str, int], body: Mapping[str, Any]) -> float:
    """The seconds that count for an answer. Raises Refused for a second answer, unless the first was a skip."""
    answered = Annotation.objects.filter(completed_by=request.user)
    if "annotation" in ids:
        task, before = answered.values_list("task_id", "lead_time").get(id=ids["annotation"])
    else:
        task, before = ids["task"], None
        earlier = answered.filter(task_id=task)
        if (earlier if body["was_cancelled"] else earlier.filter(was_cancelled=False)).exists():
            raise Refused(409, "this pair has been answered already: reload the page to go on")
    if _is_staff_key(request.META.get("HTTP_X_PARADE_SIMULATION", "")):
        return body["lead_time"]
    return working_time.bound(request.user, task, body["lead_time"], before or 0.0)


def _is_staff_key(header: str) -> bool:
    """Whether this is `Token KEY` with the key of an active member of staff."""
    kind, _, key = header.partition(" ")
    return kind == "Token" and Token.objects.filter(key=key, user__is_staff=True, user__is_active=True).exists()


def _find(request: HttpRequest) -> tuple[rules.Rule, dict[str, int]]:
    """The rule for a request and the ids in its path. Raises Refused if there is none."""
    method, path = request.method, request.path_info
    match = rules.find(rules.STRANGERS, method, path)
    if match:
        return match
    if not request.user.is_authenticated:
        raise Refused(401, "sign in first")
    match = rules.find(rules.PAGES + rules.ANNOTATORS, method, path)
    if not match:
        raise Refused(403, "not available to annotators")
    return match


def _rebuild_query(request: HttpRequest, rule: rules.Rule) -> dict[str, str]:
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    try:
        query = rules.rebuild_query(rule, pairs)
    except rules.QueryError as fault:
        raise Refused(400, f"parameter {fault}") from fault
    request.META["QUERY_STRING"] = urlencode(query)
    request.GET = QueryDict(request.META["QUERY_STRING"])
    return query


def _require_plain(request: HttpRequest) -> None:
    """Raise Refused for a compressed, chunked or too long body, a method in a header, or another site's request."""
    if any(name in request.META for name in OVERRIDES):
        raise Refused(400, "the method belongs in the request line only")
    if request.method not in WRITES:
        return
    if any(request.META.get(name) for name in ENCODINGS):
        raise Refused(415, "only a plain body with its length is accepted")
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not re.fullmatch("[0-9]{1,18}", length):
        raise Refused(400, "a length in decimal digits only")
    if int(length) > bodies.MAX_BYTES:
        raise Refused(413, f"a body has at most {bodies.MAX_BYTES} bytes")
    origin = request.META.get("HTTP_ORIGIN")
    if origin and origin.partition("://")[2] != request.get_host():
        raise Refused(403, "requested by another site")


def _require_form(request: HttpRequest) -> None:
    """Raise Refused for a body that is not a plain form."""
    if request.META.get("CONTENT_TYPE") != "application/x-www-form-urlencoded":
        raise Refused(415, "only a plain form is accepted")


def _read_body(request: HttpRequest, rule: rules.Rule) -> dict[str, Any]:
    """The JSON object of the body, as it came; empty where the rule allows none."""
    if rule.body is None:
        return {}
    if request.META.get("CONTENT_TYPE") != "application/json":
        raise Refused(415, "only JSON is accepted")
    try:
        return bodies.parse(request.body)
    except bodies.BodyError as fault:
        raise Refused(400, str(fault)) from fault


def _rebuild_body(
    request: HttpRequest, rule: rules.Rule, sent: dict[str, Any], ids: Mapping[str, int]
) -> dict[str, Any]:
    """The part of the body that the rule allows and the page of the task asks for."""
    if rule.body is None:
        return {}
    configuration, data = asked_of(ids) if rule.body in (bodies.annotation, bodies.draft) else ("<View/>", {})
    try:
        rebuilt = rule.body(sent, bodies.Asked(page=pages.read(configuration), data=data))
    except bodies.TextUnchangedError as fault:
        raise ShownRefusal(str(fault)) from fault
    except bodies.BodyError as fault:
        raise Refused(400, str(fault)) from fault
    if rule.body is bodies.view:
        rebuilt["project"] = int(request.GET["project"])
    return rebuilt


def _add_slash(request: HttpRequest) -> None:
    """Add the slash if only the path with a slash is known, which spares the server a redirection."""
    if request.path_info.endswith("/"):
        return
    with_slash = request.path_info + "/"
    if not is_valid_path(request.path_info) and is_valid_path(with_slash):
        request.path, request.path_info = request.path + "/", with_slash


def _merge(ids: dict[str, int], query: dict[str, str]) -> dict[str, int]:
    """The ids of path, body and query. Raises Refused if two of them name different objects."""
    merged = dict(ids)
    for name, parameters in NAMED.items():
        for value in (int(query[parameter]) for parameter in parameters if int(query.get(parameter, 0))):
            if merged.setdefault(name, value) != value:
                raise Refused(403, f"two different {name}s")
    return merged


def _replace_body(request: HttpRequest, content: bytes) -> None:
    """Set body, stream, length and type together, so that every reader of the request sees the same."""
    request._body = content
    request._stream = io.BytesIO(content)
    request._read_started = False
    request.META["CONTENT_LENGTH"] = str(len(content))
    request.META["CONTENT_TYPE"] = request.content_type = "application/json"
    request.content_params = {}
