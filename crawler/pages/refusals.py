"""How a site says no, as read from the status and the body of its response."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from crawler.cards.outcome import Finding

HEAD = 4096
"""Bytes at the start of a page in which a challenge can be recognised."""
TITLES = (
    "captcha challenge",
    "just a moment",
    "one more step",
    "attention required",
    "access denied",
    "access to this page has been denied",
)
MARKS = (
    "enable javascript and cookies",
    "checking your browser",
    'id="challenge-form"',
    'id="challenge-error-text"',
    'id="cf-please-wait"',
    'id="px-captcha"',
    "px-captcha-container",
    "/cdn-cgi/challenge-platform/",
    "challenges.cloudflare.com",
)
_SIGN_IN = re.compile(
    r"^(?:https?://[^/]*)?(?:/[a-z]{2}(?:-[a-z]{2})?)?/(?:log-?in|sign-?in|sign-?up)\b", re.IGNORECASE
)
_ROBOTS_REFUSED = frozenset({401, 403, 429})


def is_challenge(content: bytes) -> bool:
    """Whether a page asks for proof of being human. Check only pages without cards: there are cards about CAPTCHAs."""
    head = content[:HEAD].decode("utf-8", "replace").lower()
    title = head.partition("<title")[2].partition(">")[2].partition("</title")[0]
    return any(mark in head for mark in MARKS) or any(name in title for name in TITLES)


def is_sign_in(address: str) -> bool:
    """Whether an address (absolute or a path) leads to a page for signing in or up."""
    return _SIGN_IN.match(address) is not None


def refusal(
    status: int, content: bytes, location: str = "", *, forbidden: str = "private", missing: str = "gone"
) -> Finding | None:
    """What a response with this status says instead of the page; None for 200.

    `location` is the target of a redirect that was not followed. The body decides, not the status: a challenge may
    come with 403 or with another one. `forbidden` is the kind of a 401 or 403 without a challenge, `missing` the kind
    of a 404 or 410.
    """
    if status == 200:
        return None
    if location:
        kind = "private" if is_sign_in(location) else "redirected"
        return Finding(kind=kind, detail=f"status {status} leads to {location}")
    if status in (404, 410):
        return Finding(kind=missing, detail=f"status {status}")
    if is_challenge(content):
        return Finding(kind="blocked", detail=f"status {status} with a challenge")
    kinds = {401: forbidden, 403: forbidden, 429: "blocked"}
    other = "server_error" if status >= 500 else "unexpected_status"
    return Finding(kind=kinds.get(status, other), detail=f"status {status}")


def robots_refusal(status: int, content: bytes) -> str | None:
    """Why a response to /robots.txt means that nothing may be requested; None where its rules apply.

    401, 403, 429, server errors and a web page in place of the file forbid everything; a missing file (404 and the
    like) forbids nothing, as RFC 9309 says.
    """
    if status in _ROBOTS_REFUSED or status >= 500:
        return f"status {status}"
    if 300 <= status < 400:
        return f"a redirect (status {status})"
    if status == 200 and (content.lstrip()[:1] == b"<" or is_challenge(content)):
        return "a web page in its place"
    return None


def retry_after(value: str, now: datetime) -> float | None:
    """Seconds from `now` until the time in a Retry-After header, 0 for the past; None where it gives no time."""
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
