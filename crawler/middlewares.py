"""A guest's manners, as parts of Scrapy: rules kept, waits waited, no way out of the site, an end after many refusals.

Nothing here makes the crawler look like a browser or a crowd: a refusal is taken as one.
"""

import logging
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import call_later

from crawler.cards.outcome import Outcome
from crawler.pages.refusals import is_sign_in, retry_after, robots_refusal
from data.errors import InputError

logger = logging.getLogger(__name__)

REFUSALS = frozenset({"blocked", "server_error", "unreachable", "private"})
"""Findings that count towards the end of a crawl: a site that has had enough may call everything private."""
NO_WAITING = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}
"""Settings for what is on this machine."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(site: str) -> bool:
    """Whether the site's address is this machine's own."""
    return urlsplit(site).hostname in LOOPBACK


def check_site(site: str) -> str:
    """The site's address without path and final slash. Raises InputError where it is no address of a site."""
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
    """The settings for one site: who asks, and for this machine's own servers no waiting.

    Raises InputError where another machine would be asked without an address to complain to.
    """
    if is_loopback(site):
        return NO_WAITING
    if "@" not in contact and not contact.startswith("https://"):
        raise InputError(
            "contact",
            expected=f"a mail address or https page where {urlsplit(site).hostname} can reach you",
            found=repr(contact),
            remedy="give -a contact=MAIL or set PARADE_CONTACT",
        )
    return {"USER_AGENT": f"parade-builder (research crawler; {contact})"}


class Patience:
    """How many refusals in a row a site may give before it is left alone."""

    def __init__(self, limit: int) -> None:
        """`limit` is the number of refusals in a row that ends the crawl."""
        self.limit = limit
        self.refusals = 0

    def is_over(self, outcome: Outcome) -> bool:
        """Takes note of an outcome; whether the site has refused too often. Any other answer starts anew."""
        refused = any(finding.kind in REFUSALS for finding in outcome.findings)
        self.refusals = self.refusals + 1 if refused else 0
        return self.refusals >= self.limit


class RobotsRefusedError(IgnoreRequest):
    """The site does not let its rules be read: nothing of it may be asked. Its text says what came instead."""


class DisallowedError(IgnoreRequest):
    """robots.txt does not allow this page."""


class StrictRobots(RobotsTxtMiddleware):
    """robots.txt, failing closed: where no rules come, every request ends with RobotsRefusedError.

    Scrapy's own reads a challenge page as a file without rules and allows everything, as it does after an error.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Called by Scrapy."""
        super().__init__(crawler)
        self._refusals: dict[str, str] = {}

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Lets a request pass, or raises RobotsRefusedError or DisallowedError."""
        host = urlsplit(request.url).netloc
        if host in self._refusals:
            raise RobotsRefusedError(f"{host} answers to /robots.txt with {self._refusals[host]}")
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as fault:
            raise DisallowedError(str(fault)) from fault

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        reason = robots_refusal(response.status, response.body)
        if reason is not None:
            self._refusals[netloc] = reason
        rules = response.body if response.status == 200 and reason is None else b""
        await super()._parse_robots(response.replace(body=rules), netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._refusals[netloc] = f"no answer ({type(exc).__name__})"
        super()._robots_error(exc, netloc)


class SameSiteRedirects(RedirectMiddleware):
    """Follows redirects within the site; one to elsewhere or to a sign-in page is the answer."""

    def process_response(
        self,
        request: Request,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002
    ) -> Request | Response:
        """The request to follow, or the response as it is."""
        location = response.headers.get("Location")
        if location is not None and not _stays(request.url, location.decode("utf-8", "replace")):
            return response
        return super().process_response(request, response)


def _stays(url: str, location: str) -> bool:
    """Whether a redirect leads to another page of the same site that is open to all."""
    try:
        here, target = urlsplit(url), urlsplit(urljoin(url, location))
    except ValueError:
        return False
    return (target.scheme, target.netloc) == (here.scheme, here.netloc) and not is_sign_in(target.path)


class PatientRetry(RetryMiddleware):
    """Asks again after an error, when the site's Retry-After has passed; nothing is asked of that site before.

    Scrapy's own asks again at once. A wait longer than RETRY_AFTER_MAX is cut to it; where 429 or 503 names none,
    it is RETRY_AFTER_DEFAULT.
    """

    def __init__(self, settings: BaseSettings) -> None:
        """Called by Scrapy."""
        super().__init__(settings)
        self._longest = settings.getfloat("RETRY_AFTER_MAX")
        self._default = settings.getfloat("RETRY_AFTER_DEFAULT")
        self._pauses: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy; listens to each response before the downloader turns to the next request."""
        retry = super().from_crawler(crawler)
        crawler.signals.connect(retry.heed, signal=signals.response_downloaded)
        return retry

    def heed(self, response: Response, request: Request) -> None:
        """Waits if the response asks for it."""
        if response.status not in self.retry_http_codes:
            return
        named = response.headers.get("Retry-After") or b""
        seconds = retry_after(named.decode("utf-8", "replace"), datetime.now(UTC))
        if seconds is None and response.status in (429, 503):
            seconds = self._default
        if seconds:
            self._pause(request, min(seconds, self._longest))

    def _pause(self, request: Request, seconds: float) -> None:
        """Holds back the site's queue; the downloader sends nothing from a slot that has a later call."""
        downloader, key = self.crawler.engine.downloader, request.meta["download_slot"]
        slot, end = downloader.slots.get(key), monotonic() + seconds
        if slot is None or end <= self._pauses.get(key, 0.0):
            return
        logger.warning("%s asks for patience: nothing is asked of it for %.0f s", key, seconds)
        self._pauses[key] = end
        if slot.latercall:
            slot.latercall.cancel()
        slot.latercall = call_later(seconds, downloader._latercall, slot)  # Scrapy has no public way to hold a slot
