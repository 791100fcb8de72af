"""What counts as a no, and how long a site asks us to wait."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.refusals import is_challenge, refusal, retry_after, robots_refusal

CHALLENGE = b'<title>Just a moment...</title><form id="challenge-form" action="/"></form>'
NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


# -- what is a no


@pytest.mark.parametrize(
    ("status", "body", "location", "kind"),
    [
        (200, CHALLENGE, "", None),
        (403, CHALLENGE, "", "blocked"),
        (503, CHALLENGE, "", "blocked"),
        (429, b"", "", "blocked"),
        (403, b"This set is private", "", "private"),
        (401, b"", "", "private"),
        (404, CHALLENGE, "", "gone"),
        (410, b"", "", "gone"),
        (500, b"", "", "server_error"),
        (418, b"", "", "unexpected_status"),
        (302, b"", "/login?next=/1/", "private"),
        (302, b"", "https://quizlet.com/gb/sign-up", "private"),
        (301, b"", "https://elsewhere.example/1/", "redirected"),
        (301, b"", "https://elsewhere.example/logins/", "redirected"),
    ],
)
def test_the_kinds_of_no(status, body, location, kind):
    found = refusal(status, body, location)
    assert (found.kind if found else None) == kind


def test_what_a_plain_403_means_depends_on_the_page():
    assert refusal(403, b"", forbidden="blocked").kind == "blocked"
    assert refusal(404, b"", forbidden="blocked", missing="changed_markup").kind == "changed_markup"


@pytest.mark.parametrize(
    "page",
    [
        CHALLENGE,
        b"<TITLE>Captcha Challenge...</TITLE>",
        b"<p>Enable JavaScript and cookies to continue</p>",
        b"<title>Attention Required! | Cloudflare</title>",
        b'<div class="px-captcha-container"></div>',
    ],
)
def test_challenges_are_known_by_their_body(page):
    assert is_challenge(page)


@pytest.mark.parametrize(
    "page", [b"", b"<title>CAPTCHA flashcards</title><p>just a moment</p>", b"x" * 5000 + CHALLENGE]
)
def test_a_page_that_talks_of_challenges_is_none(page):
    assert not is_challenge(page)


# -- robots.txt


@pytest.mark.parametrize(
    ("status", "body", "refuses"),
    [
        (200, b"User-agent: *\nDisallow:\n", False),
        (200, b"", False),
        (404, b"<html>not found</html>", False),
        (410, b"", False),
        (200, b"  <!DOCTYPE html><title>Welcome</title>", True),
        (200, b"Just a line: checking your browser", True),
        (403, CHALLENGE, True),
        (401, b"", True),
        (429, b"", True),
        (500, b"", True),
        (503, b"User-agent: *\nDisallow:\n", True),
        (302, b"", True),
    ],
)
def test_only_rules_or_their_absence_allow(status, body, refuses):
    assert (robots_refusal(status, body) is not None) == refuses


# -- waiting


@given(st.integers(0, 10**9))
def test_retry_after_in_seconds(seconds):
    assert retry_after(f" {seconds} ", NOW) == seconds


@given(st.integers(-(10**6), 10**6))
def test_retry_after_as_a_date_counts_from_now_and_never_below_zero(seconds):
    assert retry_after(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == max(0, seconds)


@pytest.mark.parametrize("value", ["", "soon", "-5", "1.5", "٣", "Wed, 99 Nov 2026 00:00:00 GMT"])
def test_a_retry_after_that_names_no_time(value):
    assert retry_after(value, NOW) is None


@given(st.text(max_size=40))
def test_any_retry_after_is_a_time_or_none(value):
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds >= 0
