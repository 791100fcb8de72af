"""Whom to ask, how fast, and when to stop."""

import pytest

from crawler.cards.outcome import Finding, Outcome
from crawler.spiders.politeness import NO_WAITING, Patience, check_site, is_loopback, pace
from data.console.errors import InputError

# -- patience


def outcome(kind):
    return Outcome(findings=(Finding(kind=kind, detail=""),)) if kind else Outcome()


@pytest.mark.parametrize(
    ("kinds", "over"),
    [
        (["blocked", "server_error", "unreachable"], True),
        (["private"] * 3, True),
        (["blocked", "blocked", None, "blocked", "blocked"], False),
        (["blocked", "blocked", "gone", "blocked"], False),
        (["changed_markup"] * 9, False),
    ],
)
def test_patience_ends_with_three_refusals_in_a_row(kinds, over):
    patience = Patience(3)
    assert any(patience.is_over(outcome(kind)) for kind in kinds) == over


# -- who asks whom


@pytest.mark.parametrize("site", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80"])
def test_this_machine_is_asked_without_waiting_and_without_contact(site):
    assert is_loopback(site)
    assert pace(site, "") == NO_WAITING


def test_another_machine_is_told_whom_to_write_to_and_is_not_hurried():
    assert pace("https://quizlet.com", "me@example.org") == {
        "USER_AGENT": "parade-builder (research crawler; me@example.org)"
    }


@pytest.mark.parametrize("site", ["https://quizlet.com", "http://127.0.0.1.example.org", "http://10.0.0.1"])
@pytest.mark.parametrize("contact", ["", "nobody"])
def test_another_machine_is_not_asked_without_contact(site, contact):
    with pytest.raises(InputError, match=r"^contact: expected .*; give -a contact=MAIL or set PARADE_CONTACT$"):
        pace(site, contact)


@pytest.mark.parametrize(
    "site",
    [
        "",
        "quizlet.com",
        "ftp://quizlet.com",
        "https://",
        "https://quizlet.com/search",
        "https://q.com?x=1",
        "http://[",
        "http://h:99999",
    ],
)
def test_what_is_no_site(site):
    with pytest.raises(InputError, match=r"^site: expected"):
        check_site(site)


def test_a_final_slash_does_not_matter():
    assert check_site("https://quizlet.com/") == check_site("https://quizlet.com") == "https://quizlet.com"
