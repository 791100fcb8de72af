"""What the builder asks about games with the administrator's key: open a round, close it, read its checks."""

import re
from datetime import datetime

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from parade_gate.game import judge
from parade_gate.game.play import judge_now
from parade_gate.models import Check, Game, Seat, Sentence

SCORER = re.compile(r"http://(127\.0\.0\.1|localhost):[0-9]{1,5}")
RULES = {
    "base": int,
    "highest": int,
    "cap": int,
    "budget": int,
    "per_minute": int,
    "practice": bool,
    "judges_note": str,
}


def open_round(body: dict) -> dict[str, int]:
    """Open a round or change its rules; sentences and seats that are there already stay as they are.

    {"campaign", "round", "scorer", "rules", "ends", "sentences": [{"key", "text", "entity"}], "seats": [{"project",
    "email", "order"}]}.
    """
    rules = body["rules"]
    if {name: type(value) for name, value in rules.items()} != RULES or not SCORER.fullmatch(body["scorer"]):
        raise ValueError("expected the rules of a game, and a judge on this machine")
    ends = datetime.fromisoformat(body["ends"]) if body["ends"] else None
    with transaction.atomic():
        game, _ = Game.objects.update_or_create(
            campaign=body["campaign"],
            round=body["round"],
            defaults={"scorer": body["scorer"], "rules": rules, "ends": ends},
        )
        known = set(Sentence.objects.filter(game=game).values_list("key", flat=True))
        new = [Sentence(game=game, **sentence) for sentence in body["sentences"] if sentence["key"] not in known]
        Sentence.objects.bulk_create(new)
        seated = 0
        for seat in body["seats"]:
            user = get_user_model().objects.get(email=seat["email"].lower())
            _, created = Seat.objects.get_or_create(
                project_id=seat["project"], defaults={"game": game, "user": user, "order": seat["order"]}
            )
            seated += created
    return {"sentences": len(new), "seats": seated}


def ask_judges(body: dict) -> dict[str, object]:
    """What the judges at an address on this machine say of themselves, if they know the secret: {"scorer"}."""
    return {"about": judge.about(body["scorer"]) if SCORER.fullmatch(body["scorer"]) else None}


def close_round(body: dict) -> dict[str, int]:
    """End all rounds of the campaign that have not ended: {"campaign"}."""
    now = timezone.now()
    games = Game.objects.filter(campaign=body["campaign"]).exclude(ends__lte=now)
    return {"closed": games.update(ends=now)}


def read_checks(body: dict) -> dict[str, object]:
    """All checks of a campaign, after the unjudged ones were given to the judge: {"campaign"}."""
    rows = Check.objects.filter(seat__game__campaign=body["campaign"]).select_related("sentence", "seat__game")
    judge_now(rows.filter(judged_at__isnull=True).order_by("id"))
    columns = (
        "key", "seat__project_id", "seat__user__email", "seat__game__round", "sentence__key", "text", "at", "seconds",
        "judged_at", "judgement", "submitted_at", "base", "bonus", "seat__game__rules__practice",
    )  # fmt: skip
    spent = sum(Game.objects.filter(campaign=body["campaign"]).values_list("spent", flat=True))
    return {
        "columns": columns,
        "checks": [list(row) for row in rows.order_by("id").values_list(*columns)],
        "spent": spent,
    }
