"""The gate: it sits between the session and the server's views and refuses every request that no rule allows.

Staff pass. An annotator gets what `rules` lists, limited to their own work, with query and body rebuilt; a stranger
gets the login page. Authorization headers are checked here, before the views see them: only the administrator's key
passes.
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
"""The gate's own answers, by the names that the rules use."""

NAMED = {"project": ["project"], "task": ["task", "taskID"], "view": ["tab", "tabID", "view"]}
"""The kinds of objects that query parameters name."""


class Refused(Exception):  # noqa: N818 - an outcome, not an error
    """A request that no rule allows, with the status of the answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Gate:
    """A Django middleware, after authentication and before anything that reads a body."""

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
        return self._answer_annotator(request)

    def _answer_annotator(self, request: HttpRequest) -> HttpResponse:
        """Answer an annotator or a stranger."""
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
            raise Refused(403, "not open to you")
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
    """Raise Refused for any header but `Token KEY` with the key of an active member of staff."""
    kind, _, key = header.partition(" ")
    if kind != "Token" or not Token.objects.filter(key=key, user__is_staff=True, user__is_active=True).exists():
        raise Refused(401, "this key is not valid here")


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


def _demand_plain(request: HttpRequest) -> None:
    """Raise Refused for a compressed, chunked or too long body, a method in a header, or another site's request."""
    if any(name in request.META for name in OVERRIDES):
        raise Refused(400, "the method belongs in the request line only")
    if request.method not in WRITES:
        return
    if any(request.META.get(name) for name in ENCODINGS):
        raise Refused(415, "only a plain body with its length is accepted")
    if int(request.META.get("CONTENT_LENGTH") or 0) > bodies.MAX_BYTES:
        raise Refused(413, f"a body has at most {bodies.MAX_BYTES} bytes")
    origin = request.META.get("HTTP_ORIGIN")
    if origin and origin.partition("://")[2] != request.get_host():
        raise Refused(403, "requested by another site")


def _demand_form(request: HttpRequest) -> None:
    """Raise Refused for a body that is not a plain form."""
    if request.META.get("CONTENT_TYPE") != "application/x-www-form-urlencoded":
        raise Refused(415, "only a plain form is accepted")


def _rebuild_body(request: HttpRequest, rule: rules.Rule) -> dict[str, int]:
    """Replace the body with what the rule allows of it; return the id of the draft that it names, if any."""
    if rule.body is None:
        _replace_body(request, b"")
        return {}
    if request.META.get("CONTENT_TYPE") != "application/json":
        raise Refused(415, "only JSON is accepted")
    try:
        rebuilt = rule.body(bodies.parse(request.body))
    except bodies.BodyError as fault:
        raise Refused(400, str(fault)) from fault
    if rule.body is bodies.view:
        rebuilt["project"] = int(request.GET["project"])
    _replace_body(request, json.dumps(rebuilt).encode())
    return {"draft": rebuilt["draft_id"]} if "draft_id" in rebuilt else {}


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
