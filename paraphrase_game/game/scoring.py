"""The judges' bench: checks come in one by one, are judged in batches, and are remembered."""

import json
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from typing import Any

from paraphrase_game.config import RewardRule
from paraphrase_game.game.guards import REASONS, Earlier, GuardRule, refuse
from paraphrase_game.judges.judging import Judges

BATCH_CHECKS = 16
"""Checks that are judged together."""
REMEMBERED = 20_000
EARLIER = [part.name for part in fields(Earlier)]

Pair = tuple[str, str]
"""A sentence and what was written for it."""
Judgements = Future[dict[Pair, dict[str, Any]]]
"""Of a batch."""


@dataclass(frozen=True, kw_only=True)
class SentCheck:
    """A check as the game's server sends it."""

    sentence: str
    text: str
    earlier: Earlier = field(default_factory=Earlier)


class CheckError(ValueError):
    """A body that is no check."""


def parse(body: bytes) -> SentCheck:
    """The check of a body. Raises CheckError for anything else."""
    try:
        sent = json.loads(body)
        texts = {name: sent[name] for name in ("sentence", "text")}
        lists = {name: sent.get(name, []) for name in EARLIER}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise CheckError(f"expected a sentence and a text: {type(fault).__name__}") from fault
    if not all(isinstance(text, str) and text.strip() for text in texts.values()):
        raise CheckError("expected a sentence and a text, neither empty")
    if not all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in lists.values()):
        raise CheckError("expected lists of texts")
    return SentCheck(**texts, earlier=Earlier(**lists))


class JudgeQueue:
    """The judges, asked one batch at a time: what waits meanwhile is judged together, an equal pair once."""

    def __init__(self, judges: Judges, reward: RewardRule, guards: GuardRule, *, practice: bool) -> None:
        """`practice`: no player is paid by its answers."""
        self.judges, self.reward, self.guards, self.practice = judges, reward, guards, practice
        self._known: OrderedDict[Pair, Judgements] = OrderedDict()
        self._waiting: dict[Pair, None] = {}
        self._lock, self._one_at_a_time = threading.Lock(), ThreadPoolExecutor(1)

    def about(self) -> dict[str, Any]:
        """What an organiser has to know before anybody plays."""
        return {
            "judges": self.judges.sha256, "stand_ins": self.judges.stand_ins, "practice": self.practice,
            "highest": self.reward.highest,
        }  # fmt: skip

    def answer(self, check: SentCheck) -> dict[str, Any]:
        """The refusal of a guard, or what the judges say; what they raise reaches each check of their batch."""
        refused = refuse(check.text, check.sentence, check.earlier, self.guards)
        if refused:
            return {"refused": refused, "reason": REASONS[refused], "practice": self.practice}
        pair = (check.sentence, check.text)
        return self._judgements(pair).result()[pair] | {"practice": self.practice}

    def _judgements(self, pair: Pair) -> Judgements:
        """The answers of the pair's batch: as remembered, unless the judges failed, or of the batch that waits."""
        with self._lock:
            known = self._known.get(pair)
            if known and not (known.done() and known.exception()):
                return known
            if len(self._waiting) in (0, BATCH_CHECKS):
                self._waiting = {}
                self._next = self._one_at_a_time.submit(self._judge, self._waiting)
            self._waiting[pair] = None
            self._known[pair] = self._next
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
            return self._next

    def _judge(self, batch: dict[Pair, None]) -> dict[Pair, dict[str, Any]]:
        with self._lock:
            if self._waiting is batch:
                self._waiting = {}  # no other check joins it
        first, second = zip(*batch, strict=True)
        return dict(zip(batch, self.judges.judge(first, second, self.reward), strict=True))
