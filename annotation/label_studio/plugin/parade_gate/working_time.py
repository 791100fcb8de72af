"""The seconds of an answer, bounded by the server's own clock, and its time: what a browser claims is only a claim.

No one works on an answer for longer than has passed since the previous one, or since the first task was shown. Claims
above that are listed for the lead.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Sum
from django.utils import timezone
from tasks.models import Annotation

from parade_gate.models import Claim, Clock

TOLERANCE = 1.0
"""Seconds by which a claim may exceed what has passed without being listed: clocks differ."""


def start(user) -> None:
    """Start the clock of a person who is shown a task, if it does not run yet."""
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


def latest(user) -> datetime | None:
    """The time of the person's latest answer; None if there is none."""
    return Annotation.objects.filter(completed_by=user).aggregate(at=Max("updated_at"))["at"]


def keep_order(user, ids: Mapping[str, int], earlier: datetime | None) -> None:
    """Give the answer just written a time after the earlier ones, where the clock was set back: the latest counts.

    `ids` names its annotation, or the task for which it is the newest one.
    """
    which = {"id": ids["annotation"]} if "annotation" in ids else {"task": ids["task"]}
    written = Annotation.objects.filter(completed_by=user, **which).latest("id")
    if earlier and written.updated_at <= earlier:
        Annotation.objects.filter(id=written.id).update(updated_at=earlier + timedelta(microseconds=1))


def excess_claims() -> list[dict[str, object]]:
    """Per person, the number of claims above what had passed, and by how many seconds: [{"email", "n", "seconds"}]."""
    excess = Claim.objects.values(email=F("user__email")).annotate(
        n=Count("id"), seconds=Sum(F("claimed") - F("possible"))
    )
    return list(excess.order_by("email"))
