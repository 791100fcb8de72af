"""Campaigns in memory under a policy of further ratings: how right the labels are after how many ratings; pure.

world = simulated({"good": 17, "guessing": 3}, n_pairs=2_000, seed=1)
steps = allocate(world, settle(PlanRule(labels_per_pair=3, allocate="certain"), shipped_question(), 2_000), seed=1)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.aggregation.models import POOLED, posteriors
from annotation.assignment import design
from annotation.assignment.allocation import Target, need_by_doubt, need_by_majority, share_out, stop_rule
from annotation.config import PlanRule
from annotation.simulation.assumptions import AS_IN_PARADE, Assumptions
from annotation.simulation.in_memory import label_again, simulate
from annotation.simulation.noise import Kind
from data.contract.vocabulary import CERTAIN, FIXED, MAJORITY, MAJORITY_DECIDED
from data.measures.agreement import Integers, Mask
from data.measures.classes import PARADE, Classes
from data.measures.raters.pooled_dawid_skene import skills

AT_ONCE = 0.05
"""The share of the pairs that are asked about between two fits of the model: by 20 people who take half a minute for
each of 2,000 pairs, it is what `watch --every 1m` hands out at once."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Pairs of known truth, and annotators who answer."""

    truth: "pd.Series[bool]"
    """Whether each pair deserves a positive answer, by pair_id."""
    names: list[str]
    lowest_yes: int
    """The lowest positive answer."""
    deal: Callable[["pd.Series[int]", int], pd.DataFrame]
    """From the number of ratings of each pair (by pair_id) and a seed to pair_id, annotator at random."""
    ask: Callable[[pd.DataFrame, int], Integers]
    """From pair_id, annotator and a seed to the scores."""
    overlap: "pd.Series[float]"
    """The share of common words, by pair_id; null where no texts are known."""
    may: Mask
    """Who may rate which pair, of shape (pairs, annotators), in the order of `truth` and `names`."""


@dataclass(frozen=True, kw_only=True)
class CampaignOutcome:
    """A campaign at its end, and on its way there."""

    votes: pd.DataFrame
    """pair_id, annotator, score, vote, in the order in which they were given, and `random`: whether the rating is one
    of those that each pair of the random part gets."""
    chances: "pd.Series[float]"
    """Of a positive answer, by pair_id: a half where nothing is known."""
    steps: pd.DataFrame
    """After each step: `ratings` per pair, and `right`, the share of the model's labels that are; a tie counts half."""


def simulated(  # noqa: PLR0913 - all but the kinds by name
    kinds: Mapping[Kind, int],
    *,
    n_pairs: int,
    seed: int,
    unequal: float = 0.0,
    classes: Classes = PARADE,
    assumed: Assumptions = AS_IN_PARADE,
) -> World:
    """Annotators of these kinds, with the noise of `in_memory.simulate`."""
    campaign = simulate(
        kinds, n_pairs=n_pairs, labels_per_pair=1, seed=seed, unequal=unequal, classes=classes, assumed=assumed
    )
    names = list(campaign.annotators.index)
    quotas = pd.Series(pd.NA, index=names, dtype="Int64")
    lowest = classes.numbers[len(classes) - classes.n_positive]
    return World(
        truth=campaign.truth >= lowest,
        names=names,
        lowest_yes=int(lowest),
        deal=lambda numbers, seed: design.assign_in_parts(numbers, quotas, seed)[["pair_id", "annotator"]],
        ask=lambda asked, seed: label_again(campaign, asked, seed),
        overlap=campaign.overlap,
        may=np.ones((n_pairs, len(names)), dtype=bool),
    )


def recorded(votes: pd.DataFrame, truth: "pd.Series[int]") -> World:
    """People who answered before, asked again as they were: each only about what they rated.

    `votes`: pair_id, annotator, vote (0 or 1), of pairs with a truth.
    """
    known = votes[votes["pair_id"].isin(truth.index)].drop_duplicates(["pair_id", "annotator"])
    said = known.set_index(["pair_id", "annotator"])["vote"]
    names, pairs = sorted(known["annotator"].unique()), list(known["pair_id"].unique())

    def deal(numbers: "pd.Series[int]", seed: int) -> pd.DataFrame:
        shuffled = known.sample(frac=1, random_state=seed)
        kept = shuffled.groupby("pair_id").cumcount().to_numpy() < numbers.reindex(shuffled["pair_id"]).to_numpy()
        return shuffled.loc[kept, ["pair_id", "annotator"]]

    return World(
        truth=truth.reindex(pairs) == 1,
        names=names,
        lowest_yes=1,
        deal=deal,
        ask=lambda asked, _: said.loc[pd.MultiIndex.from_frame(asked[["pair_id", "annotator"]])].to_numpy("int64"),
        overlap=pd.Series(np.nan, index=pairs),
        may=~design.may_rate(pairs, pd.Index(names), known),
    )


def allocate(world: World, rule: PlanRule, seed: int, *, oracle: bool = False) -> CampaignOutcome:
    """A campaign under the policy of `rule` (as `allocation.settle` gives it), to its target or budget.

    `oracle`: gives further ratings only to pairs whose label is wrong, which no policy can know.
    """
    ids, raters = world.truth.index, int(rule.labels_per_pair or 1)
    stop = stop_rule(MAJORITY, raters) if rule.allocate == MAJORITY_DECIDED else None
    n_random = len(ids) if rule.allocate == FIXED else round((rule.random_share or 0) * len(ids))
    random = pd.Series(np.random.default_rng([seed, 8]).permutation(len(ids)) < n_random, index=ids)
    at_first = random.map({True: raters, False: stop.fewest if stop else 1})
    votes, steps, step = _ask(world, world.deal(at_first, seed), seed), [], 0
    votes["random"] = random[votes["pair_id"]].to_numpy(bool)
    while True:
        chances = posteriors(votes, POOLED).reindex(ids).fillna(0.5)
        right = _are_right(chances, world)
        steps.append({"ratings": len(votes) / len(ids), "right": float(right.mean())})
        if rule.allocate == FIXED:
            break
        tally, left = _tally(votes, ids), np.inf
        if rule.allocate == CERTAIN:
            target = Target(chance=float(rule.target or 1), raters=raters)
            worth = need_by_doubt(tally, chances, target, world.overlap)
            worth = worth.where(right < 1) if oracle else worth
            left = min(int(rule.budget or 0) - len(votes), max(round(AT_ONCE * len(ids)), 1))
        else:
            worth = tally["votes"] * np.nan if stop is None else need_by_majority(tally, stop)
        people = pd.DataFrame({"quota": np.inf, "room": np.inf}, index=world.names)
        people["skill"] = skills(votes, chances).reindex(people.index)
        may = world.may & design.may_rate(ids, people.index, votes)
        new, _ = share_out(worth, may, people, left, step)
        if new.empty:
            break
        step += 1
        further = _ask(world, new, 10_000 * seed + step).assign(random=False)
        votes = pd.concat([votes, further], ignore_index=True)
    return CampaignOutcome(votes=votes, chances=chances, steps=pd.DataFrame(steps))


def expect(  # noqa: PLR0913 - all but the seed by name
    seed: int,
    *,
    kinds: Mapping[Kind, int],
    n_pairs: int,
    rule: PlanRule,
    classes: Classes,
    assumed: Assumptions = AS_IN_PARADE,
) -> dict[str, float]:
    """`ratings` per pair and the share of labels that are `right` in one simulated campaign.

    Labels are those that the campaign would have: the model's by the policy `certain`, else the majority's.
    """
    world = simulated(kinds, n_pairs=n_pairs, seed=seed, classes=classes, assumed=assumed)
    outcome = allocate(world, rule, seed)
    chances = outcome.chances
    if rule.allocate != CERTAIN:
        chances = outcome.votes.groupby("pair_id")["vote"].mean().reindex(world.truth.index)
    return {"ratings": len(outcome.votes) / n_pairs, "right": float(_are_right(chances, world).mean())}


def _are_right(chances: "pd.Series[float]", world: World) -> "pd.Series[float]":
    """Whether each pair's label is right, 0 or 1; a half where the chance of a positive answer is a half."""
    return ((chances > 0.5) == world.truth).astype("float64").mask(chances == 0.5, 0.5)


def _ask(world: World, asked: pd.DataFrame, seed: int) -> pd.DataFrame:
    scores = world.ask(asked, seed)
    return asked[["pair_id", "annotator"]].assign(score=scores, vote=(scores >= world.lowest_yes).astype("int64"))


def _tally(votes: pd.DataFrame, ids: "pd.Index[str]") -> pd.DataFrame:
    by_pair = votes.groupby("pair_id")["vote"]
    positive, n = (part.reindex(ids, fill_value=0) for part in (by_pair.sum(), by_pair.size()))
    return pd.DataFrame({"votes": positive, "against": n - positive, "flagged": 0, "waits": False})
