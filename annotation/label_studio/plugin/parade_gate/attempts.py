"""The limit on attempts to sign in: counted before the password is checked, and slowed down instead of locked out.

Attempts count for a client, and for a client and an address together: strangers elsewhere slow no one down. A browser
that has signed in to an address before counts for itself alone, even where a stranger shares its network.
"""

import hashlib
import ipaddress
import math
import os
import secrets
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner
from django.db import connection, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from parade_gate.models import Attempt

WINDOW = timedelta(minutes=5)
PAUSE = timedelta(seconds=5)
"""Between two attempts, once the free ones within WINDOW are used up."""

FREE, FREE_PER_CLIENT = 10, 60

COOKIE, COOKIE_AGE = "parade_browser", timedelta(days=180)
SIGNER = TimestampSigner(salt="parade_gate.attempts")


def count(request: HttpRequest, email: str) -> tuple[QuerySet[Attempt], int]:
    """Count an attempt: the attempts to forget if it succeeds, and the seconds to wait first (0: check the password).

    An attempt that has to wait is not counted, so that waiting is all it takes.
    """
    now, address, browser = timezone.now(), _digest(email.strip().lower()), _known_browser(request, email)
    client = _digest(browser or _client(request))
    recent = {"at__gt": now - WINDOW, "at__lt": now + WINDOW}  # beyond, by a clock that was ahead
    rows = Attempt.objects.filter(**recent)
    own = rows.filter(address=address, client=client)
    limits = [(own, FREE)]
    if not browser:
        limits += [(rows.filter(client=client), FREE_PER_CLIENT)]
    with transaction.atomic():
        _lock()
        Attempt.objects.exclude(**recent).delete()
        times = [part.latest("at").at for part, free in limits if part.count() >= free]
        wait = max([at + PAUSE - now for at in times], default=timedelta(0))
        if wait > timedelta(0):
            return own, math.ceil(wait.total_seconds())
        Attempt.objects.create(address=address, client=client, at=now)
    return own, 0


def remember_browser(response: HttpResponse, email: str) -> None:
    """Let the browser prove later that it has signed in to this address."""
    value = SIGNER.sign(f"{_digest(email.strip().lower())}.{secrets.token_hex(8)}")
    age = int(COOKIE_AGE.total_seconds())
    response.set_cookie(COOKIE, value, max_age=age, httponly=True, samesite="Lax", secure=_behind_proxy())


def _known_browser(request: HttpRequest, email: str) -> str:
    """What identifies a browser that has signed in to this address before, else nothing."""
    try:
        value = SIGNER.unsign(request.COOKIES.get(COOKIE, ""), max_age=COOKIE_AGE)
    except BadSignature:
        return ""
    return value if value.partition(".")[0] == _digest(email.strip().lower()) else ""


def _client(request: HttpRequest) -> str:
    """The client's address, as the proxy on this machine states it if there is one; of IPv6 the network (/64)."""
    stated = request.META.get("HTTP_X_REAL_IP") if _behind_proxy() else None
    address = stated or request.META.get("REMOTE_ADDR", "")
    return str(ipaddress.ip_network((address, 64), strict=False)) if ":" in address else address


def _behind_proxy() -> bool:
    return bool(os.environ.get("PARADE_PROXY"))


def _lock() -> None:
    """Let attempts be counted one after another; SQLite does so by itself."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {Attempt._meta.db_table} IN EXCLUSIVE MODE")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
