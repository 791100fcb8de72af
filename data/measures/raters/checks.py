"""How annotators do on the pairs that never vote, as rows of the table `quality`; pure.

Measures of an annotator, and of `all`, by round and over all rounds: `gold_accuracy`, the share of gold pairs with the
right vote; `trap_accuracy`, the share of traps with a vote against "paraphrase"; `self_agreement`, the share of
repeated pairs with the same vote both times. Limits: Wilson's 95 % interval.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from data.contract.vocabulary import ALL_ROUNDS, CHECKS, EVERYBODY
from data.measures.habits import COLUMNS, share
from data.measures.rules import VoteRule

UNANSWERED = "none has a score yet"


def assess_checks(ballots: pd.DataFrame, gold: Mapping[str, int], rule: VoteRule) -> pd.DataFrame:
    """The measures, with COLUMNS, of ballots of any kind; no row for a kind of check that was not planned.

    `gold`: pair id -> known score. A check without a score (open, skipped, flagged) does not count; where none has one,
    the measure is null, with that reason.
    """
    rows = ballots[ballots["state"] == "scored"].sort_values("round", kind="stable")
    rows = rows.assign(vote=(rows["score"] >= rule.lowest_yes).astype("int64"))
    work = rows[rows["kind"] == "work"].set_index(["annotator", "pair_id"])["vote"]
    first = pd.MultiIndex.from_frame(rows[["annotator", "pair_id"]]).map(work.to_dict())
    known = rows["pair_id"].map({pair: int(score >= rule.lowest_yes) for pair, score in gold.items()})
    expected = {"gold": known, "trap": pd.Series(0, index=rows.index), "repeat": pd.Series(first, index=rows.index)}
    measures = []
    for kind, votes in expected.items():
        asked = rows[(rows["kind"] == kind) & votes.notna()]
        right = asked.assign(right=asked["vote"] == votes[asked.index])
        for (number, name), part in _groups(ballots[ballots["kind"] == kind]):
            answers = right.loc[right.index.isin(part.index), "right"]
            about = {"round": number, "annotator": name}
            measures.append(about | share(CHECKS[kind], int(answers.sum()), len(answers), UNANSWERED))
    return pd.DataFrame(measures, columns=COLUMNS)


def _groups(ballots: pd.DataFrame) -> Any:
    """The ballots by round (and all rounds) and annotator (and everybody)."""
    rows = ballots.astype({"round": "int64", "annotator": "object"})
    both = pd.concat([rows, rows.assign(round=ALL_ROUNDS)])
    return pd.concat([both, both.assign(annotator=EVERYBODY)]).groupby(["round", "annotator"])
