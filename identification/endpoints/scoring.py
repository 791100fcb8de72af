"""Pairs scored by a language model: both orders asked, a bounded number at once, within a budget."""

import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pandas as pd

from data.console.errors import ServerError
from data.console.messages import progress
from identification.endpoints.answer import Reply, ReplyOutcome
from identification.endpoints.answers import ReplyCache, question_id
from identification.endpoints.client import BudgetSpentError, Connection
from identification.endpoints.prompt import Prompt

ERRORS_IN_A_ROW = 10
"""Errors, one after the other, from which on the server counts as gone."""


def score_pairs(pairs: pd.DataFrame, prompt: Prompt, connection: Connection, answers: ReplyCache) -> pd.DataFrame:
    """The pairs' scores and outcomes: columns score, outcome, outcome_flipped, error; the index of `pairs`.

    `pairs`: first, second. A score is the mean of both orders, 0 to 1; null unless both were answered by one of the two
    words. An outcome is null where the question was not asked, since the budget was spent; `error` says what was wrong
    where one of them is an error, else it is null. Kept answers are not asked again. Raises ServerError where nothing
    was answered so far and the first question, the shortest, has an error that others would have, too.
    """
    sides = pairs["first"].tolist(), pairs["second"].tolist()
    orders = [list(zip(*sides, strict=True)), list(zip(*reversed(sides), strict=True))]
    questions = {question_id(*texts): prompt.fill(*texts) for order in orders for texts in order}
    kept = answers.read()
    known = {question: answer for question, answer in kept.items() if question in questions}
    missing = {question: text for question, text in questions.items() if question not in known}
    known |= _ask(missing if kept else _put_shortest_first(missing), connection, answers, is_first=not kept)
    given = [[known.get(question_id(*texts)) for texts in order] for order in orders]
    scores = [[math.nan if answer is None or answer.score is None else answer.score for answer in one] for one in given]
    outcomes = [[None if answer is None else str(answer.outcome) for answer in one] for one in given]
    faults = [_find_fault(pair) for pair in zip(*given, strict=True)]
    columns = {"score": np.mean(scores, axis=0), "outcome": outcomes[0], "outcome_flipped": outcomes[1]}
    columns["error"] = pd.Series(faults, index=pairs.index, dtype="object")
    return pd.DataFrame(columns, index=pairs.index)


def _find_fault(pair: tuple[Reply | None, ...]) -> str | None:
    """What is wrong with the first answer of a pair that is an error; None where none is."""
    faults = [answer.fault for answer in pair if answer is not None and answer.outcome is ReplyOutcome.ERROR]
    return next(iter(faults), None)


def _put_shortest_first(questions: dict[str, str]) -> dict[str, str]:
    """A server that refuses the shortest question does so for another reason than its length."""
    shortest = min(questions, key=lambda question: len(questions[question]), default=None)
    return questions if shortest is None else {shortest: questions[shortest]} | questions


def _ask(questions: dict[str, str], connection: Connection, answers: ReplyCache, *, is_first: bool) -> dict[str, Reply]:
    """The answers to the questions, each stored as it comes; fewer where the budget is spent.

    The first question ever is asked alone.
    """
    budget, found, errors, lost = connection.budget, dict[str, Reply](), 0, 0
    form = connection.form = answers.form
    left = iter(progress(questions.items(), label="questions", unit="questions", total=len(questions)))
    running: dict[Future[Reply], str] = {}
    with _workers(connection) as pool:
        while True:
            spent = budget.max_tokens is not None and answers.count_tokens() + lost >= budget.max_tokens
            room = 0 if spent else (1 if is_first else budget.concurrency) - len(running)
            running |= {pool.submit(connection.ask, text): question for question, text in islice(left, room)}
            if not running:
                return found
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                question = running.pop(future)
                try:
                    answer = found[question] = future.result()
                except BudgetSpentError:
                    left = iter(())
                    continue
                answers.keep(question, answer)
                if connection.form != form:
                    form = connection.form
                    answers.keep_form(form)
                is_error = answer.outcome is ReplyOutcome.ERROR
                errors, lost = (errors + 1, lost + answer.tokens) if is_error else (0, lost)
                _require_answers(errors, answer, connection, is_first=is_first)
                is_first = False


@contextmanager
def _workers(connection: Connection) -> Iterator[ThreadPoolExecutor]:
    """Threads that ask; where the block fails or is interrupted, they make no further attempts."""
    with ThreadPoolExecutor(connection.budget.concurrency) as pool:
        try:
            yield pool
        except BaseException:
            connection.stop()
            raise


def _require_answers(errors: int, answer: Reply, connection: Connection, *, is_first: bool) -> None:
    """Raise ServerError where other questions would have the first one's error, too, or there are too many in a row."""
    if errors >= ERRORS_IN_A_ROW or (errors and is_first and answer.remedy):
        raise ServerError(
            connection.endpoint.url,
            expected=f"answers by {connection.endpoint.model}",
            found=answer.text if errors == 1 else f"{errors} errors in a row, the last: {answer.text}",
            remedy=answer.remedy or "look at the server, then run the same command again: answers are kept",
        )


def summarise(scored: pd.DataFrame) -> dict[str, int]:
    """How many questions of both orders ended in each way, those not asked under `not asked`."""
    counts = Counter(scored["outcome"].fillna("not asked")) + Counter(scored["outcome_flipped"].fillna("not asked"))
    return {name: counts[name] for name in [*ReplyOutcome, "not asked"] if counts[name]}
