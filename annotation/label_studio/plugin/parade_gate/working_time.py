"""The seconds of an answer, bounded by the server's own clock: what a browser claims is only a claim.

Nobody works on an answer for longer than has passed since the previous one, or since the first task was shown. Claims
above that are listed for the lead.
"""

from django.db.models import Count, F, Sum
from django.utils import timezone

from parade_gate.models import Claim, Clock

TOLERANCE = 1.0
"""Seconds by which a claim may exceed what has passed without being listed: clocks differ."""


def start(user) -> None:
    """Start the clock of somebody who is shown a task, if it does not run yet."""
    Clock.objects.get_or_create(user=user)


def bound(user, task: int, claimed: float, before: float) -> float:
    """The seconds that count, for an answer with `before` seconds so far; the clock starts again."""
    now = timezone.now()
    clock, _ = Clock.objects.get_or_create(user=user, defaults={"since": now})
    possible = before + max(0.0, (now - clock.since).total_seconds())
    if claimed > possible + TOLERANCE:
        Claim.objects.create(user=user, task=task, claimed=claimed, possible=possible)
    Clock.objects.filter(user=user).update(since=now)
    return min(claimed, possible)


def excess_claims() -> list[dict[str, object]]:
    """Per person, the number of claims above what had passed, and by how many seconds: [{"email", "n", "seconds"}]."""
    excess = Claim.objects.values(email=F("user__email")).annotate(
        n=Count("id"), seconds=Sum(F("claimed") - F("possible"))
    )
    return list(excess.order_by("email"))
