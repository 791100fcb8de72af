"""The gate: between the session and the server's views, it refuses every request that no rule allows.

Staff pass. An annotator gets what `rules` lists, about what is their own, with query and body rebuilt; a stranger
gets the login page. Header authentication is seen here, before the views see it: only the administrator's key passes.
"""

import io
import json
from urllib.parse import parse_qsl, quote, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import is_valid_path
from rest_framework.authtoken.models import Token

from parade_gate import agreements, answers, bodies, rules, staff
from parade_gate.owners import owns

OVERRIDES = ("HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_METHOD_OVERRIDE", "HTTP_X_HTTP_METHOD")
ENCODINGS = ("HTTP_TRANSFER_ENCODING", "HTTP_CONTENT_ENCODING")
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
ANSWERS = {
    **{name: getattr(answers, name) for name in ("start", "users", "projects", "empty", "no_results")},
    "agreement": agreements.agreement,
    "agree": agreements.agree,
}
"""What the gate answers by itself, by the rules' names for it."""

NAMED = {"project": ["project"], "task": ["task", "taskID"], "view": ["tab", "tabID", "view"]}
"""What the parameters of a query name."""


class Refused(Exception):  # noqa: N818 - an outcome, not an error
    """A request that no rule allows; the status that says so."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Gate:
    """Django's middleware, after authentication and before everything that reads a body."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The server's answer, or a refusal."""
        try:
            return self._answer(request)
        except Refused as refused:
            return JsonResponse({"detail": str(refused)}, status=refused.status)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_AUTHORIZATION" in request.META:
            _demand_staff_key(request.META["HTTP_AUTHORIZATION"])
            below = request.path_info.startswith("/parade")
            return staff.answer(request) if below else self.get_response(request)
        if request.user.is_authenticated and request.user.is_staff:
            return self.get_response(request)
        return self._answer_others(request)

    def _answer_others(self, request: HttpRequest) -> HttpResponse:
        """An annotator's request, or a stranger's."""
        _demand_plain(request)
        if not request.user.is_authenticated and rules.find(rules.PAGES, request.method, request.path_info):
            return HttpResponseRedirect(f"/user/login/?next={quote(request.path_info)}")
        rule, ids = _find(request)
        query = _rebuild_query(request, rule)
        if rule.answer == "sign_in":
            return self._sign_in(request)
        if rule.form:
            _demand_form(request)
        elif request.method in WRITES:
            ids |= _rebuild_body(request, rule)
        if request.user.is_authenticated and not owns(request.user, _merge(ids, query)):
            if rule in rules.PAGES and agreements.pending(request.user):
                return HttpResponseRedirect("/agreement")
            raise Refused(403, "not open for you")
        if rule.answer:
            return ANSWERS[rule.answer](request)
        _add_slash(request)
        response = self.get_response(request)
        return answers.hide(response, rule.hidden) if rule.hidden else response

    def _sign_in(self, request: HttpRequest) -> HttpResponse:
        email = request.POST.get("email", "")
        seconds = answers.seconds_to_wait(email)
        if seconds:
            return answers.too_many(seconds)
        response = self.get_response(request)
        answers.note_attempt(email, right=response.status_code == 302)
        return response


def _demand_staff_key(header: str) -> None:
    """Raises Refused for every header but `Token KEY` of an active member of the staff."""
    kind, _, key = header.partition(" ")
    if kind != "Token" or not Token.objects.filter(key=key, user__is_staff=True, user__is_active=True).exists():
        raise Refused(401, "this key opens nothing here")


def _find(request: HttpRequest) -> tuple[rules.Rule, dict[str, int]]:
    """The rule for a request. Raises Refused where there is none."""
    method, path = request.method, request.path_info
    found = rules.find(rules.STRANGERS, method, path)
    if found:
        return found
    if not request.user.is_authenticated:
        raise Refused(401, "sign in first")
    found = rules.find(rules.PAGES + rules.ANNOTATORS, method, path)
    if not found:
        raise Refused(403, "annotators do not need this")
    return found


def _rebuild_query(request: HttpRequest, rule: rules.Rule) -> dict[str, str]:
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    try:
        query = rules.rebuild_query(rule, pairs)
    except rules.QueryError as fault:
        raise Refused(400, f"parameter {fault}") from fault
    request.META["QUERY_STRING"] = urlencode(query)
    request.GET = QueryDict(request.META["QUERY_STRING"])
    return query


def _demand_plain(request: HttpRequest) -> None:
    """Raises Refused for a body that is packed, cut in pieces or too long, another method in a header, another site."""
    if any(name in request.META for name in OVERRIDES):
        raise Refused(400, "a method stands in the request line alone")
    if request.method not in WRITES:
        return
    if any(request.META.get(name) for name in ENCODINGS):
        raise Refused(415, "a plain body with its length only")
    if int(request.META.get("CONTENT_LENGTH") or 0) > bodies.MAX_BYTES:
        raise Refused(413, f"at most {bodies.MAX_BYTES} bytes")
    origin = request.META.get("HTTP_ORIGIN")
    if origin and origin.partition("://")[2] != request.get_host():
        raise Refused(403, "asked for by another site")


def _demand_form(request: HttpRequest) -> None:
    """Raises Refused for a body that is no plain form."""
    if request.META.get("CONTENT_TYPE") != "application/x-www-form-urlencoded":
        raise Refused(415, "a plain form only")


def _rebuild_body(request: HttpRequest, rule: rules.Rule) -> dict[str, int]:
    """Replaces the body by what the rule leaves of it; returns the id of the draft that it names, if any."""
    if rule.body is None:
        _replace_body(request, b"")
        return {}
    if request.META.get("CONTENT_TYPE") != "application/json":
        raise Refused(415, "JSON only")
    try:
        rebuilt = rule.body(bodies.parse(request.body))
    except bodies.BodyError as fault:
        raise Refused(400, str(fault)) from fault
    if rule.body is bodies.view:
        rebuilt["project"] = int(request.GET["project"])
    _replace_body(request, json.dumps(rebuilt).encode())
    return {"draft": rebuilt["draft_id"]} if "draft_id" in rebuilt else {}


def _add_slash(request: HttpRequest) -> None:
    """Where only the path with a slash is known: else the server answers through all its middleware twice."""
    if request.path_info.endswith("/"):
        return
    with_slash = request.path_info + "/"
    if not is_valid_path(request.path_info) and is_valid_path(with_slash):
        request.path, request.path_info = request.path + "/", with_slash


def _merge(ids: dict[str, int], query: dict[str, str]) -> dict[str, int]:
    """The ids of path, body and query. Raises Refused where two of them name different things."""
    merged = dict(ids)
    for name, parameters in NAMED.items():
        for value in (int(query[one]) for one in parameters if int(query.get(one, 0))):
            if merged.setdefault(name, value) != value:
                raise Refused(403, f"two different {name}s")
    return merged


def _replace_body(request: HttpRequest, content: bytes) -> None:
    """Body, stream, length and type together: whatever reads the request sees the same."""
    request._body = content
    request._stream = io.BytesIO(content)
    request._read_started = False
    request.META["CONTENT_LENGTH"] = str(len(content))
    request.META["CONTENT_TYPE"] = request.content_type = "application/json"
    request.content_params = {}
