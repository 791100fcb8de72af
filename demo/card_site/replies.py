"""The site's replies to requests for sets that it does not serve normally: refusals, challenges."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from demo.card_site import pages, webapi
from demo.card_site.studiable import Json

CAPTCHA = """<!DOCTYPE html><html><head><title>Captcha Challenge...</title>
<link rel="icon" href="data:,"></head><body><div id="challenge-error-text">
Enable JavaScript and cookies to continue</div></body></html>"""
CHALLENGE = """<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>
<form id="challenge-form" class="challenge-form" action="{path}?__cf_chl_f_tk=abc" method="POST">
<div id="cf-please-wait">Please stand by, while we are checking your browser...</div></form></body></html>"""

BLOCKS = {"captcha", "challenge", "rate_limited", "webapi_blocked"}
"""Behaviours that `blocks=False` switches off."""
FAULTS = {
    "next_object",
    "other_payload",
    "malformed",
    "wall",
    "webapi_missing",
    "changed_markup",
    "truncated",
}
"""Behaviours that `faults=False` switches off."""
OTHER_PAYLOAD = {611002002: 611003001}
"""Set -> the set whose page is served instead."""


@dataclass(frozen=True, kw_only=True)
class SiteReply:
    """What is sent to the client."""

    body: str
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


def html(title: str, status: int, text: str) -> SiteReply:
    return SiteReply(body=pages.document(title, f"<h1>{title}</h1><p>{text}</p>"), status=status)


def as_json(answer: tuple[int, Json]) -> SiteReply:
    status, value = answer
    return SiteReply(body=json.dumps(value, ensure_ascii=False), status=status, type="application/json")


def error_json(code: int, identifier: str, message: str) -> SiteReply:
    return as_json((code, webapi.failure(code, identifier, message)))


def challenge(path: str) -> SiteReply:
    return SiteReply(body=CHALLENGE.format(path=path), status=403)


LOGIN = SiteReply(body="", status=302, headers={"Location": "/login"})
NOT_FOUND = html("Page not found", 404, "We cannot find this page.")
PRIVATE = html("Private set", 403, "This set is private. Only its author can see it.")
GONE = html("Set deleted", 410, "This set has been deleted by its author.")
CAPTCHA_REPLY = SiteReply(body=CAPTCHA)
SLOW_DOWN = SiteReply(body="Too many requests", status=429, type="text/plain", headers={"Retry-After": "1"})
API_NOT_FOUND = error_json(404, "not_found", "No such set")
API_PRIVATE = error_json(403, "private", "This set is private")
API_GONE = error_json(410, "deleted", "This set has been deleted")

CLOSED: dict[str, tuple[SiteReply, SiteReply]] = {
    "private": (PRIVATE, API_PRIVATE),
    "login": (LOGIN, API_PRIVATE),
    "missing": (NOT_FOUND, API_NOT_FOUND),
    "gone": (GONE, API_GONE),
    "captcha": (CAPTCHA_REPLY, CAPTCHA_REPLY),
}
"""Behaviour -> reply of every page, reply of every JSON resource."""

PAGES: dict[str, pages.Page] = {
    "password": pages.password_page,
    "next_object": pages.next_object_page,
    "malformed": pages.malformed_page,
    "wall": pages.walled_page,
    "changed_markup": pages.changed_page,
}
"""Behaviour -> page instead of the page of the set's generation."""

RESOURCES: dict[str, SiteReply] = {
    "password": API_PRIVATE,
    "webapi_blocked": CAPTCHA_REPLY,
    "webapi_missing": API_NOT_FOUND,
    "changed_markup": API_NOT_FOUND,
}
"""Behaviour -> reply of the JSON resources where pages are served."""

FIXED: dict[str, SiteReply] = {
    "/": html("Demo flashcards", 200, 'Try <a href="/search?query=hash+table&amp;type=sets">a search</a>.'),
    "/robots.txt": SiteReply(body="User-agent: *\nDisallow: /login\n", type="text/plain; charset=utf-8"),
    "/login": html("Log in", 200, '<form><input name="username"><input type="password"></form>'),
}
"""Path -> reply, for requests that ask for no set."""
