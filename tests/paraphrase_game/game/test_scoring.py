"""The judge's process: batches, memory, and whatever is sent to it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from paraphrase_game.config import RewardRule
from paraphrase_game.game.guards import GuardRule
from paraphrase_game.game.scoring import BATCH_CHECKS, JudgeQueue, SentCheck

SENTENCE = "The three priests were careful to go through church channels first."
TEXTS = [f"A trio of clergymen made sure to use official routes before {word}." for word in
         ("others", "asking", "leaving", "writing", "speaking", "anything", "trying", "everything")]  # fmt: skip


class Slow:
    """Judges that wait for the signal before their second batch, and count."""

    sha256, stand_ins = "slow", ""

    def __init__(self):
        self.batches, self.go = [], threading.Event()

    def judge(self, first, second, rule):
        if self.batches:
            self.go.wait(20)
        self.batches.append(list(second))
        return [{"implied": True, "reward": len(text)} for text in second]


def bench(judges):
    return JudgeQueue(judges, RewardRule(), GuardRule(other_language=0), practice=True)


def test_what_waits_is_judged_together_and_remembered():
    judges = Slow()
    ours = bench(judges)
    ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(ours.answer, SentCheck(sentence=SENTENCE, text=text)) for text in TEXTS]
        while sum(future.done() for future in futures) < 1:  # the first is remembered
            pass
        judges.go.set()
        answers = [future.result() for future in futures]
    assert [answer["reward"] for answer in answers] == list(map(len, TEXTS))
    assert sorted(text for batch in judges.batches for text in batch) == sorted(TEXTS)
    assert 2 <= len(judges.batches) <= 1 + len(TEXTS)
    assert max(map(len, judges.batches)) <= BATCH_CHECKS


def test_a_fault_reaches_each_player_who_waits_and_the_next_check_is_judged():
    judges = Slow()
    ours = bench(judges)
    judges.judge = lambda *_: (_ for _ in ()).throw(RuntimeError("no memory"))
    with pytest.raises(RuntimeError, match="no memory"):
        ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))
    del judges.judge
    assert ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))["reward"] == len(TEXTS[0])


def test_judges_that_leave_a_check_out_keep_no_one_waiting():
    judges = Slow()
    ours = bench(judges)
    judges.judge = lambda *_: []
    with pytest.raises(ValueError, match="shorter"):
        ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))
    del judges.judge
    assert ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))["reward"] == len(TEXTS[0])


def test_equal_pairs_are_judged_once_while_they_wait():
    judges = Slow()
    ours = bench(judges)
    ours.answer(SentCheck(sentence=SENTENCE, text=TEXTS[0]))
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(ours.answer, SentCheck(sentence=SENTENCE, text=TEXTS[1])) for _ in range(8)]
        judges.go.set()
        assert {future.result()["reward"] for future in futures} == {len(TEXTS[1])}
    assert sorted(text for batch in judges.batches for text in batch) == sorted(TEXTS[:2])
