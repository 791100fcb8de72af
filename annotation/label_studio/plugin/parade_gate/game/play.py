"""The paraphrasing game: one sentence at a time, Check and Submit.

A check is stored before it is judged, and judged before its answer is shown. What it earns comes from the judge and
from the rules alone, never from a request. No player sees another's sentences.
"""

import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from rest_framework.authentication import CSRFCheck

from parade_gate.game import display, judge
from parade_gate.models import Check, Game, Seat, Sentence
from parade_gate.requests import bodies

KEY = re.compile(r"[0-9a-f]{32}")
MAX_TEXT_CHARS = 10_000
"""Characters of a text that is stored; the judge refuses far shorter ones."""
JUDGING_TIME = timedelta(seconds=10)
"""How long a check that is with the judge keeps the next one waiting, even if the server is killed meanwhile."""

OUT_OF_DATE = "This page is out of date. Please go back and reload it."
NO_JUDGE = "The judge does not answer at the moment. Your sentence is stored: please press Check again in a while."
BUSY = "Your last sentence is being judged. Please wait a moment."
TOO_FAST = "Please take your time: at most {n} checks per minute."
EMPTY = "Please write a sentence first."
TOO_LONG = "Please write a shorter sentence."


def page(request: HttpRequest) -> HttpResponse:
    """The page with the caller's current sentence, their checks of it, and what they have earned."""
    return _show(request, _seat(request))


def check(request: HttpRequest) -> HttpResponse:
    """Store the text, let it be judged, and lead back to the page; the same request again changes nothing."""
    if _is_forged(request):
        return _refuse(OUT_OF_DATE, 403)
    seat, key, text = _seat(request), request.POST.get("key", ""), " ".join(request.POST.get("text", "").split())
    if not KEY.fullmatch(key) or not bodies.is_storable(text):
        return _refuse("A character that cannot be stored, or a page of another kind.", 400)
    row = Check.objects.filter(key=key).select_related("sentence", "seat__game").first()
    if row and row.seat_id != seat.id:
        return _refuse("not open to you", 403)
    return _lead_back(seat) if row and row.judged_at else _check(request, seat, row, key, text)


def _check(request: HttpRequest, seat: Seat, row: Check | None, key: str, text: str) -> HttpResponse:
    """Store the check, if `row` is none, and let it be judged."""
    sentence = row.sentence if row else current(seat)
    if row is None:
        if sentence is None or closed(seat) or request.POST.get("sentence") != sentence.key:
            return _lead_back(seat)
        if note := EMPTY if not text else TOO_LONG if len(text) > MAX_TEXT_CHARS else "":
            return _show(request, seat, 400, note=note)
    row, wait = _begin(seat, sentence, key, text)
    if row is None:
        return _later(_show(request, seat, 429, note=wait, text=text))
    try:
        judged = judge_now([row])
    finally:
        Seat.objects.filter(id=seat.id, asked_at=seat.asked_at).update(asked_at=None)
    return _lead_back(seat) if judged else _later(_show(request, seat, 503, note=NO_JUDGE, text=row.text, key=key))


def submit(request: HttpRequest) -> HttpResponse:
    """Pay for a check of the current sentence what the page shows, at most what is left; a second time nothing."""
    if _is_forged(request):
        return _refuse(OUT_OF_DATE, 403)
    seat, key = _seat(request), request.POST.get("key", "")
    if not KEY.fullmatch(key):
        return _refuse("not open to you", 403)
    try:
        with transaction.atomic():
            games = list(Game.objects.select_for_update().filter(campaign=seat.game.campaign).order_by("id"))
            row = Check.objects.select_for_update().filter(key=key, seat=seat).first()
            if row is None:
                return _refuse("not open to you", 403)
            sentence = current(seat)
            is_current = row.submitted_at is None and sentence and row.sentence_id == sentence.id
            if is_current and _is_final(row) and not closed(seat):
                rules = next(game.rules for game in games if game.id == seat.game_id)
                _pay(row, seat, rules, _left_to_pay(seat, games))
    except IntegrityError:
        pass  # two requests at once: the other one has submitted
    return _lead_back(seat)


def current(seat: Seat) -> Sentence | None:
    """The first sentence of the seat's order without a submission; None once all are done."""
    done = set(Check.objects.filter(seat=seat, submitted_at__isnull=False).values_list("sentence__key", flat=True))
    key = next((key for key in seat.order if key not in done), None)
    return Sentence.objects.filter(game=seat.game_id, key=key).first() if key else None


def closed(seat: Seat) -> str:
    """Why the seat's player cannot go on, in their words; empty where they can."""
    game = seat.game
    if game.ends is not None and game.ends <= timezone.now():
        return "This round has ended. Thank you for playing!"
    if game.rules["practice"]:
        return ""
    if seat.game.rules["cap"] <= earned(seat):
        return "You have earned all that one person can earn in this study. Thank you for playing!"
    if _budget_left(Game.objects.filter(campaign=game.campaign)) <= 0:
        return "The study has spent its budget and is over. Thank you for playing!"
    return ""


def earned(seat: Seat) -> int:
    """What the seat's player has earned in all rounds of the campaign, in cents."""
    rows = Check.objects.filter(seat__user=seat.user_id, seat__game__campaign=seat.game.campaign)
    sums = rows.aggregate(base=Sum("base"), bonus=Sum("bonus"))
    return (sums["base"] or 0) + (sums["bonus"] or 0)


def judge_now(rows: Iterable[Check]) -> bool:
    """Let the judge judge these stored checks; False where none that pays answers: they stay unjudged."""
    for row in rows:
        answer = judge.ask(row.seat.game.scorer, row.sentence.text, row.text, _earlier(row))
        rules = row.seat.game.rules
        if answer is None or (answer["practice"] and not rules["practice"]):
            return False  # judges that do not pay were started where people play for money
        if answer.get("reward", 0) > rules["highest"]:
            return False  # judges that pay more than the players were promised
        Check.objects.filter(id=row.id, judged_at__isnull=True).update(judgement=answer, judged_at=timezone.now())
    return True


def _earlier(row: Check) -> dict[str, list[str]]:
    """The latest texts before the check: its player's, of this sentence and of others, and other players' of this."""
    before = Check.objects.filter(seat__game__campaign=row.seat.game.campaign, id__lt=row.id).order_by("-id")
    of_player, of_sentence = Q(seat__user=row.seat.user_id), Q(sentence__key=row.sentence.key)
    parts = {
        "own": (of_player & of_sentence, 200),
        "elsewhere": (of_player & ~of_sentence, 200),
        "others": (~of_player & of_sentence, 500),
    }
    return {
        name: list(before.filter(which).values_list("text", flat=True)[:most]) for name, (which, most) in parts.items()
    }


def _begin(seat: Seat, sentence: Sentence, key: str, text: str) -> tuple[Check | None, str]:
    """The check, committed before anybody judges it and alone with the judge; or None and why it has to wait.

    The first write locks the seat until the check is stored, so that equal requests are counted one after another.
    """
    now, most = timezone.now(), seat.game.rules["per_minute"]
    with transaction.atomic():
        if not Seat.objects.filter(id=seat.id).exclude(**_within(now, "asked_at", JUDGING_TIME)).update(asked_at=now):
            return None, BUSY
        seat.asked_at = now
        rows = Check.objects.filter(seat=seat)
        row = rows.filter(key=key).select_related("sentence", "seat__game").first()
        if row is None and rows.filter(**_within(now, "at", timedelta(minutes=1))).count() >= most:
            transaction.set_rollback(True)
            return None, TOO_FAST.format(n=most)
        return row or _store(seat, sentence, key, text), ""


def _within(now: datetime, column: str, span: timedelta) -> dict[str, datetime]:
    """Rows of this time before or after now: a clock that was ahead holds no one up once it is right."""
    return {f"{column}__gt": now - span, f"{column}__lt": now + span}


def _store(seat: Seat, sentence: Sentence, key: str, text: str) -> Check:
    """Write the check, with the seconds since the previous one was judged."""
    now = timezone.now()
    latest = Check.objects.filter(seat=seat).order_by("-id").values_list("judged_at", flat=True).first()
    since = max(filter(None, (seat.since, latest)), default=now)
    seconds = max(0.0, (now - since).total_seconds())
    return Check.objects.create(key=key, seat=seat, sentence=sentence, text=text, at=now, seconds=seconds)


def _is_final(row: Check) -> bool:
    """Whether the check can be submitted: it has been judged, or only refusals leave no way but to give up."""
    return display.is_payable(row) or display.can_give_up(Check.objects.filter(seat=row.seat, sentence=row.sentence))


def _pay(row: Check, seat: Seat, rules: dict[str, Any], left: int) -> None:
    """Submit the check for base pay and bonus, never above `left` cents; nothing for practice or a refused one.

    The bonus is never above the highest of the round, whatever the judges say.
    """
    pays = display.is_payable(row) and not rules["practice"] and not row.judgement["practice"]
    base = min(rules["base"], left) if pays else 0
    bonus = min(row.judgement["reward"], rules["highest"], left - base) if pays else 0
    row.base, row.bonus, row.submitted_at = base, bonus, timezone.now()
    row.save(update_fields=["base", "bonus", "submitted_at"])
    Game.objects.filter(id=seat.game_id).update(spent=F("spent") + base + bonus)
    Seat.objects.filter(id=seat.id).update(since=None)


def _left_to_pay(seat: Seat, games: Iterable[Game]) -> int:
    """What the player can still be paid, in cents: up to the cap per person and the campaign's budget."""
    return min(seat.game.rules["cap"] - earned(seat), _budget_left(games))


def _budget_left(games: Iterable[Game]) -> int:
    """What the campaign has left, in cents: the budget of its latest round, less what all rounds have spent."""
    rounds = sorted(games, key=lambda game: game.round)
    return rounds[-1].rules["budget"] - sum(game.spent for game in rounds)


def _seat(request: HttpRequest) -> Seat:
    """The caller's seat; the gate has checked that the project is theirs and open."""
    number = int(request.path_info.split("/")[2])
    return Seat.objects.select_related("game").get(project=number, user=request.user)


def _lead_back(seat: Seat) -> HttpResponse:
    return HttpResponseRedirect(f"/game/{seat.project_id}")


def _later(response: HttpResponse) -> HttpResponse:
    response["Retry-After"] = "10"
    return response


def _show(request: HttpRequest, seat: Seat, status: int = 200, **shown: str) -> HttpResponse:
    """The page; `shown`: a note, and the text and key of the form if they are not new."""
    sentence, over = current(seat), closed(seat)
    if sentence and not over and seat.since is None:
        Seat.objects.filter(id=seat.id).update(since=timezone.now())
    checks = list(Check.objects.filter(seat=seat, sentence=sentence).order_by("id")) if sentence else []
    submitted = list(Check.objects.filter(seat=seat, submitted_at__isnull=False).order_by("submitted_at"))
    view = display.View(
        path=f"/game/{seat.project_id}",
        game=seat.game,
        sentence=sentence,
        checks=checks,
        done=len(submitted),
        n_sentences=len(seat.order),
        points=sum(check.judgement.get("reward", 0) for check in submitted if display.is_payable(check)),
        last=submitted[-1] if submitted else None,
        earned=earned(seat),
        left=_left_to_pay(seat, Game.objects.filter(campaign=seat.game.campaign)),
        over=over or ("" if sentence else "You have played all your sentences. Thank you!"),
        note=shown.get("note", ""),
        text=shown.get("text") or (checks[-1].text if checks else ""),
        key=shown.get("key") or secrets.token_hex(16),
    )
    return display.render(request, view, status)


def _is_forged(request: HttpRequest) -> bool:
    return CSRFCheck(lambda _: None).process_view(request, None, (), {}) is not None


def _refuse(why: str, status: int) -> HttpResponse:
    return HttpResponse(why, status=status, content_type="text/plain")
