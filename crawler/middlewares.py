"""Scrapy's middlewares, made stricter: obey robots.txt, wait when asked to, stay on the site."""

import logging
from datetime import UTC, datetime
from time import monotonic
from typing import Self
from urllib.parse import urlsplit

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

from crawler.pages.refusals import is_sign_in, retry_after, robots_refusal

logger = logging.getLogger(__name__)


class RobotsRefusedError(IgnoreRequest):
    """The site's robots.txt cannot be read, so nothing may be requested; the message says what came instead."""


class DisallowedError(IgnoreRequest):
    """robots.txt does not allow this page."""


class StrictRobots(RobotsTxtMiddleware):
    """robots.txt, failing closed: without rules, every request ends with RobotsRefusedError.

    Scrapy's middleware takes a challenge page for a file without rules and allows everything, and so it does after an
    error.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Called by Scrapy."""
        super().__init__(crawler)
        self._refusals: dict[str, str] = {}

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Let a request pass, or raise RobotsRefusedError or DisallowedError."""
        host = urlsplit(request.url).netloc
        if host in self._refusals:
            raise RobotsRefusedError(f"{host} responds to /robots.txt with {self._refusals[host]}")
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
    """Follow redirects within the site; a redirect to another site or to a sign-in page is the response itself."""

    def process_response(
        self,
        request: Request,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002
    ) -> Request | Response:
        """The request to follow, or the unchanged response."""
        try:
            onward = super().process_response(request, response)
        except ValueError:  # half an address
            return response
        if isinstance(onward, Request) and not _stays(request.url, onward.url):
            return response
        return onward


def _stays(url: str, target: str) -> bool:
    """Whether a request that follows a redirect is for a page of the same site that needs no sign-in.

    Judged by the address of that request: Scrapy reads `Location: ///host/` otherwise than `urljoin` does.
    """
    return origin(target) == origin(url) and not is_sign_in(urlsplit(target).path)


def origin(url: str) -> tuple[str, str]:
    """Scheme, and host with port."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


class SameOrigin:
    """The last look at every request before it is sent: none leaves the spider's site, so neither does its cookie."""

    def __init__(self, site: str) -> None:
        """`site` is the address of the spider's site; empty where it reads files."""
        self._site = site

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(getattr(crawler.spider, "site", ""))

    def process_request(self, request: Request) -> None:
        """Let a request pass, or raise IgnoreRequest."""
        if self._site and origin(request.url) != origin(self._site):
            raise IgnoreRequest(f"{request.url} is not a page of {self._site}")


class PatientRetry(RetryMiddleware):
    """Retry after an error once the site's Retry-After has passed; nothing is requested from the site before.

    Scrapy's middleware retries at once. A wait longer than RETRY_AFTER_MAX is cut to it; where a 429 or 503 gives none,
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
        """Called by Scrapy; connects to the signal that is sent before the downloader turns to the next request."""
        retry = super().from_crawler(crawler)
        crawler.signals.connect(retry.wait, signal=signals.response_downloaded)
        return retry

    def wait(self, response: Response, request: Request) -> None:
        """Hold back the site's queue if the response asks for it."""
        if response.status not in self.retry_http_codes:
            return
        header = response.headers.get("Retry-After") or b""
        seconds = retry_after(header.decode("utf-8", "replace"), datetime.now(UTC))
        if seconds is None and response.status in (429, 503):
            seconds = self._default
        if seconds:
            self._pause(request, min(seconds, self._longest))

    def _pause(self, request: Request, seconds: float) -> None:
        """Hold back the site's queue: the downloader sends nothing from a slot that has a later call."""
        downloader, key = self.crawler.engine.downloader, request.meta["download_slot"]
        slot, end = downloader.slots.get(key), monotonic() + seconds
        if slot is None or end <= self._pauses.get(key, 0.0):
            return
        logger.warning("%s asked for patience: no request to it for %.0f s", key, seconds)
        self._pauses[key] = end
        if slot.latercall:
            slot.latercall.cancel()
        slot.latercall = call_later(seconds, downloader._latercall, slot)  # Scrapy has no public way to pause a slot
