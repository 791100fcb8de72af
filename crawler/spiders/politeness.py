"""Whom to ask, how fast, and when to stop: a refusal is taken as one, and nothing looks like a browser or a crowd."""

from typing import Any
from urllib.parse import urlsplit

from crawler.cards.outcome import Outcome
from data.console.errors import InputError

REFUSALS = frozenset({"blocked", "server_error", "unreachable", "private"})
"""Kinds of findings that count as refusals: a site that has had enough may call everything private."""
NO_WAITING = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 8,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}
"""Settings for sites and files on this machine."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(site: str) -> bool:
    """Whether the site runs on this machine."""
    return urlsplit(site).hostname in LOOPBACK


def check_site(site: str) -> str:
    """The site's address without a final slash. Raises InputError where it is not the address of a site."""
    try:
        parts = urlsplit(site)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        usable = None
    if not usable or parts.query or parts.fragment or parts.username:
        raise InputError(
            "site", expected="an address like https://quizlet.com", found=repr(site), remedy="give -a site=URL"
        )
    return f"{parts.scheme}://{parts.netloc}"


def pace(site: str, contact: str) -> dict[str, Any]:
    """The settings for one site: who we are; for a server on this machine, no waiting.

    Raises InputError for another machine without an address to which its operators can complain.
    """
    if is_loopback(site):
        return NO_WAITING
    if "@" not in contact and not contact.startswith("https://"):
        raise InputError(
            "contact",
            expected=f"an e-mail address or https page where {urlsplit(site).hostname} can reach you",
            found=repr(contact),
            remedy="give -a contact=MAIL or set PARADE_CONTACT",
        )
    return {"USER_AGENT": f"parade-builder (research crawler; {contact})"}


class Patience:
    """How many refusals in a row a site may give before the crawl ends."""

    def __init__(self, limit: int) -> None:
        """`limit` is the number of refusals in a row that ends the crawl."""
        self.limit = limit
        self.refusals = 0

    def is_over(self, outcome: Outcome) -> bool:
        """Note an outcome, and say whether the site has refused too often. Any other outcome resets the count."""
        refused = any(finding.kind in REFUSALS for finding in outcome.findings)
        self.refusals = self.refusals + 1 if refused else 0
        return self.refusals >= self.limit
