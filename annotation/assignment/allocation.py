"""Which pairs get a further rating, and which annotator gives it; pure.

A policy says which pairs need one and how much each is worth (`Needs`); who gets which is decided here, the same for
all policies: the worthiest pair goes to the annotator whose answers tell most, among those who may have it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit, ndtri

from annotation.aggregation.stopping import StopRule
from annotation.assignment.reassignment import ALL_HAVE_SEEN_IT, NOBODY_QUALIFIES, QUOTAS_USED_UP
from annotation.config import PlanRule
from data.console.errors import InputError
from data.contract.questions import Question
from data.contract.vocabulary import AT_LEAST, CERTAIN, FIXED, MAJORITY, MAJORITY_DECIDED, Allocation
from data.measures.agreement import Integers, Mask, Reals
from data.measures.raters.finished import FLAGS_TO_REJECT, MOST, doubts

CARELESS_BELOW = 0.2
"""The skill below which an annotator gets only pairs that no other can take: of one right in 60 % of the pairs."""

RANDOM_SHARE, MIN_RANDOM = 0.15, 100
"""The random part by default: this share of the pairs, but at least this number where no policy is asked for."""

TARGET = 0.95
"""How certain a label is by default before its pair gets no further rating."""

AHEAD, SPARE = 40, 2
"""How many open pairs an annotator has at most by the policy `certain`, and how many more than they need until the next
ones, since some take less time than others."""

UNTOLD = 50.0
"""How many pairs are added that overlap does not tell apart, before it is believed."""

MIN_ANSWERS = 5
"""From how many answers on it is known how long an annotator takes."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """When a pair is certain enough."""

    chance: float
    """The chance of its more probable answer."""
    raters: int
    """How many ratings a fixed plan gives a pair."""

    @property
    def most(self) -> int:
        """The largest number of ratings of a pair."""
        return MOST * self.raters


def settle(rule: PlanRule, question: Question, n_pairs: int) -> PlanRule:
    """The rule with policy, target, budget and random share decided for this question and number of pairs.

    Raises InputError for a policy that the question does not allow, or values that it cannot follow.
    """
    n_labels, share = int(rule.labels_per_pair or question.raters), rule.random_share
    wanted = round((RANDOM_SHARE if share is None else share) * n_pairs)
    if share is None and rule.allocate is None:
        wanted = max(wanted, MIN_RANDOM)
    stop = stop_rule(" ".join(rule.rule) or question.rule, n_labels) if question.vote else None
    by_default: Allocation = MAJORITY_DECIDED if stop and wanted < n_pairs and not rule.double_share else FIXED
    policy = rule.allocate or by_default
    _require_possible(rule, policy, question, n_pairs, stop)
    if policy == FIXED:
        return replace(rule, allocate=FIXED)
    random_share = min(wanted, n_pairs) / n_pairs
    if policy == MAJORITY_DECIDED:
        return replace(rule, allocate=MAJORITY_DECIDED, random_share=random_share)
    target, budget = rule.target or TARGET, rule.budget or n_pairs * n_labels
    return replace(rule, allocate=CERTAIN, random_share=random_share, target=target, budget=budget)


def _require_possible(rule: PlanRule, policy: str, question: Question, n_pairs: int, stop: StopRule | None) -> None:
    """Raises InputError for a policy that the question does not allow, or values that it cannot follow."""
    is_certain, share, target, budget = policy == CERTAIN, rule.random_share, rule.target, rule.budget
    n_random = round((RANDOM_SHARE if share is None else share) * n_pairs)
    at_first = n_pairs + n_random * (int(rule.labels_per_pair or question.raters) - 1)
    for flag, value, is_wrong, expected in (
        ("--allocate", policy, policy != FIXED and question.vote is None,
         f"{FIXED} for question {question.name}, which asks for no vote"),
        ("--allocate", policy, policy == MAJORITY_DECIDED and stop is None,
         f"{FIXED} for question {question.name}: by its rule no label is certain before all ratings"),
        ("--allocate", policy, is_certain and (rule.labels_per_pair or question.raters) < 2,
         f"{FIXED} with one rating per pair"),
        ("--random-share", share, share is not None and (policy == FIXED or not 0 <= share <= 1),
         "a share from 0 to 1, with --allocate majority-decided or certain"),
        ("--target", target, target is not None and not (is_certain and 0.5 < target < 1),
         "a chance between 0.5 and 1, with --allocate certain"),
        ("--budget", budget, budget is not None and not is_certain, "none without --allocate certain"),
        ("--budget", budget, budget is not None and budget < at_first,
         f"at least {at_first}: one rating of each of {n_pairs} pairs, and all of the {n_random} of the random part"),
        ("--rule", " ".join(rule.rule), bool(rule.rule) and not _is_rule(rule),
         "majority, or at-least M with more than half of the raters and at most all"),
    ):  # fmt: skip
        if is_wrong:
            raise InputError(flag, expected=expected, found=str(value), remedy="correct it, or leave it out")


def _is_rule(rule: PlanRule) -> bool:
    name, *number = rule.rule
    if name != AT_LEAST or len(number) != 1 or not number[0].isdecimal():
        return rule.rule == (MAJORITY,)
    return (rule.labels_per_pair or 0) / 2 < int(number[0]) <= (rule.labels_per_pair or 0)


def stop_rule(rule: str, raters: int) -> StopRule | None:
    """When a pair needs no further rater by this rule of labels; None where all have to be asked."""
    name, *number = rule.split()
    if name not in (MAJORITY, AT_LEAST):
        return None
    stop = StopRule(raters=raters, at_least=int(number[0]) if number else 1)
    return stop if stop.fewest < raters else None


def ratings_at_first(rule: PlanRule, question: Question, pair_ids: list[str], seed: int) -> "pd.Series[int]":
    """How many ratings each pair gets in the first round, by pair_id: all of them in the random part."""
    raters, ids = int(rule.labels_per_pair or question.raters), np.array(sorted(pair_ids), dtype=object)
    stop = stop_rule(" ".join(rule.rule) or question.rule, raters) if rule.allocate == MAJORITY_DECIDED else None
    drawn = np.random.default_rng([seed, 8]).permutation(len(ids))[: round((rule.random_share or 0) * len(ids))]
    numbers = np.full(len(ids), stop.fewest if stop else 1)
    numbers[drawn] = raters
    return pd.Series(numbers, index=ids).reindex(pair_ids)


def need_by_majority(tally: pd.DataFrame, rule: StopRule) -> "pd.Series[float]":
    """What a further rating of each pair is worth: 1 where it can change the label, else null.

    `tally`, by pair_id: votes, against, flagged, waits (whether a rating is open).
    """
    votes, against, flagged = (tally[name].to_numpy("int64") for name in ("votes", "against", "flagged"))
    needed = ~rule.is_decided(votes, against, flagged) & (votes + against + flagged < rule.raters)
    return pd.Series(np.where(needed & ~tally["waits"].to_numpy(bool), 1.0, np.nan), index=tally.index)


def need_by_doubt(
    tally: pd.DataFrame, chances: "pd.Series[float]", target: Target, overlap: "pd.Series[float] | None" = None
) -> "pd.Series[float]":
    """What a further rating of each pair is worth: how far its chance is from the target, null where it needs none.

    `tally`: as in `need_by_majority`. `chances`: of a positive answer by the votes, by pair_id; they alone say which
    pairs need one. `overlap`, by pair_id: a pair is worth more where its votes and common words disagree.
    """
    chances = chances.reindex(tally.index).fillna(0.5)
    doubt = doubts(chances, target.chance)
    n = tally[["votes", "against", "flagged"]].sum(axis=1).to_numpy("int64")
    needed = (doubt > 0) & (n < target.most) & (tally["flagged"].to_numpy("int64") < FLAGS_TO_REJECT)
    needed &= ~tally["waits"].to_numpy(bool)
    if overlap is not None:
        several = (tally["votes"] + tally["against"] > 1).to_numpy(bool)
        doubt = doubts(with_overlap(chances, overlap, several), target.chance)
    return pd.Series(np.where(needed, doubt, np.nan), index=tally.index)


def with_overlap(chances: "pd.Series[float]", overlap: "pd.Series[float]", several: Mask) -> "pd.Series[float]":
    """The chances (of a positive answer, by pair_id) with what the share of common words adds to their odds.

    It adds as much as it tells apart the pairs with `several` votes, by linear discriminant analysis of its normal
    scores, and nothing where it is null.
    """
    ranks = overlap.reindex(chances.index).rank().astype("float64")
    score = np.nan_to_num(ndtri((ranks.to_numpy() - 0.5) / max(ranks.notna().sum(), 1)))
    seen, sides = score[several], [side[several] for side in (chances.to_numpy(), 1 - chances.to_numpy())]
    yes, no = (side @ seen / (side.sum() + UNTOLD / 2) for side in sides)
    spread = (sides[0] @ (seen - yes) ** 2 + sides[1] @ (seen - no) ** 2 + UNTOLD) / (len(seen) + UNTOLD)
    return pd.Series(expit(logit(chances.to_numpy()) + (yes - no) / spread * score), index=chances.index)


def pairs_ahead(answers: pd.DataFrame, names: "pd.Index[str]", wait: float | None) -> "pd.Series[float]":
    """How many open pairs each annotator has at most: as many as they answer in twice the seconds to wait, and SPARE.

    `answers`: annotator, seconds (null: unknown). Annotators with fewer than MIN_ANSWERS count as typical. Where
    nothing is known, and where `wait` is None, it is AHEAD, which is also the most.
    """
    known = answers[answers["seconds"].astype("Float64") > 0]
    if wait is None or known.empty:
        return pd.Series(float(AHEAD), index=names)
    by_person = known["seconds"].astype("float64").groupby(known["annotator"]).agg(["median", "size"])
    own = by_person.loc[by_person["size"] >= MIN_ANSWERS, "median"].reindex(names)
    times = own.fillna(float(known["seconds"].astype("float64").median()))
    return pd.Series((np.ceil(2 * wait / times) + SPARE).clip(upper=AHEAD), index=names)


def share_out(
    worth: "pd.Series[float]", may: Mask, people: pd.DataFrame, budget: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Who rates which of the pairs that need a rating, in the order in which they should, and the pairs that none can.

    `worth`: of a further rating, by pair_id; null for none. `may`: who may have which pair, of shape (pairs,
    annotators), in the order of `worth` and `people`. `people`, by annotator: `room` (how many pairs they can take
    now), `quota` (how many they can still take in all, at least `room`) and `skill` (null where nothing is known of
    them). `budget`: the most ratings. New: pair_id, annotator, each pair once. Rejects: id (the pair's), reason,
    detail.

    In turn each takes the worthiest pair that is left, the most skilled first. The careless get only what no other
    could ever take.
    """
    random = np.random.default_rng([seed, 6])
    pairs = _in_order(worth, random)
    pairs = pairs[worth.notna().to_numpy(bool)[pairs]]
    order = _in_order(people["skill"].fillna(np.inf), random)
    people, can = people.iloc[order], may[np.ix_(pairs, order)]
    room, quota = people["room"].to_numpy("float64"), people["quota"].to_numpy("float64")
    careless = (people["skill"].fillna(1.0) < CARELESS_BELOW).to_numpy(bool)
    taken: dict[int, int] = {}
    for part in (~careless, careless):
        free: Mask = np.ones(len(pairs), dtype=bool)
        if careless[part].any():
            free = _are_stuck(can, quota, taken, ~careless)
        free[list(taken)] = False
        for place, person in _take_turns(can & free[:, None], np.where(part, room, 0)):
            if len(taken) >= budget:
                break
            taken[place] = person
    ids, names = worth.index.to_numpy(object)[pairs], people.index.to_numpy(object)
    new = pd.DataFrame({"pair_id": ids[list(taken)], "annotator": names[list(taken.values())]}, dtype="object")
    stuck = _are_stuck(can, quota, taken, np.ones(len(people), dtype=bool))
    stuck[list(taken)] = False
    all_have_seen = ~can[stuck].any(axis=1)
    reasons = np.where(all_have_seen, NOBODY_QUALIFIES if people.empty else ALL_HAVE_SEEN_IT, QUOTAS_USED_UP)
    return new, pd.DataFrame({"id": ids[stuck], "reason": reasons, "detail": ""}, dtype="object")


def _in_order(values: "pd.Series[float]", random: np.random.Generator) -> Integers:
    """The places of the values, the highest first; equal ones in a random order, whatever order they came in."""
    ties = np.empty(len(values))
    ties[values.index.argsort()] = random.permutation(len(values))
    return np.asarray(np.lexsort((ties, -values.to_numpy("float64"))), dtype="int64")


def _take_turns(can: Mask, room: Reals) -> Iterator[tuple[int, int]]:
    """Pair and annotator, in turn, until no annotator can take a pair; none is given twice.

    A loop, since each choice depends on the earlier ones; each annotator passes each pair once.
    """
    own = {person: iter(np.flatnonzero(can[:, person]).tolist()) for person in np.flatnonzero(room >= 1).tolist()}
    gone: set[int] = set()
    left = room.copy()
    while own:
        for person in list(own):
            place = next((place for place in own[person] if place not in gone), None)
            if place is not None:
                gone.add(place)
                left[person] -= 1
                yield place, person
            if place is None or left[person] < 1:
                del own[person]


def _are_stuck(can: Mask, quota: Reals, taken: dict[int, int], among: Mask) -> Mask:
    """The pairs that none among these people can ever take; the others wait for room or budget."""
    loads = np.bincount(list(taken.values()), minlength=len(quota))
    return np.asarray(~can[:, among & (quota > loads)].any(axis=1))
