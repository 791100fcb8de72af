"""How long people wait while `watch` runs, by a simulated clock: `python -m studies.labels.waiting`.

Everybody answers at their own speed, with seconds that vary. At each look the answers so far are fitted, and what is
due is handed out by the rules of `watch`; it is open once the look ends. Printed: the share of the working time in
which people had nothing open while the budget was not used up; and the time from an answer to the assignment that its
pair got at the next look.
"""

import time
from collections import deque
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.aggregation.models import POOLED, posteriors
from annotation.assignment.allocation import CARELESS_BELOW, Target, need_by_doubt, pairs_ahead, share_out
from annotation.assignment.design import may_rate
from annotation.simulation.allocating import World, simulated
from annotation.simulation.noise import Kind
from data.console.commands import run
from data.console.messages import say
from data.measures.raters.pooled_dawid_skene import skills

RATERS, RANDOM_SHARE = 3, 0.15
SPEEDS, TIMES = 0.4, 0.6
"""How far people's typical seconds differ, and one person's (standard deviations of the logarithm)."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulate a campaign by the clock."""

    people: int = 40
    """The number of annotators; a tenth of them are careless."""
    pairs: int = 4_000
    """Pairs."""
    seconds: float = 30.0
    """The typical time of an answer."""
    every: float = 30.0
    """Seconds between the end of a look and the next."""
    look: float = 10.0
    """Seconds that a look takes: collecting, fitting, opening."""
    seed: int = 1
    """Seed of people, answers and times."""


class Floor:
    """People at work, with what each has before them."""

    def __init__(self, arguments: Arguments, world: World) -> None:
        self.random = np.random.default_rng(arguments.seed)
        speeds = arguments.seconds * self.random.lognormal(sigma=SPEEDS, size=len(world.names))
        self.world, self.speeds = world, dict(zip(world.names, speeds, strict=True))
        self.queues: dict[str, deque[tuple[str, float]]] = {name: deque() for name in world.names}
        self.free = dict.fromkeys(world.names, 0.0)
        """Since when each has had nothing open, or works on the next pair."""
        self.votes = pd.DataFrame()
        self.idle = dict.fromkeys(world.names, 0.0)

    def hand_out(self, rows: pd.DataFrame) -> None:
        """Open these pairs (pair_id, annotator), behind what everybody has."""
        for pair, name in rows[["pair_id", "annotator"]].itertuples(index=False):
            self.queues[name].append((pair, self.speeds[name] * self.random.lognormal(sigma=TIMES)))

    def work(self, until: float) -> None:
        """Answer what can be by then; who has nothing open is idle."""
        rows = []
        for name, queue in self.queues.items():
            while queue and self.free[name] + queue[0][1] <= until:
                pair, seconds = queue.popleft()
                self.free[name] += seconds
                rows.append((pair, name, seconds, self.free[name]))
            if not queue:
                self.idle[name] += until - self.free[name]
                self.free[name] = until
        answered = pd.DataFrame(rows, columns=["pair_id", "annotator", "seconds", "at"])
        scores = self.world.ask(answered, int(until))
        vote = (scores >= self.world.lowest_yes).astype("int64")
        self.votes = pd.concat([self.votes, answered.assign(score=scores, vote=vote)], ignore_index=True)

    def hand_out_next(self, wait: float, had: pd.DataFrame, left: int) -> pd.DataFrame:
        """What is due by the answers so far, as `watch` decides it."""
        ids, names, votes = self.world.truth.index, pd.Index(self.world.names), self.votes
        chances = posteriors(votes, POOLED).reindex(ids).fillna(0.5)
        by_pair = votes.groupby("pair_id")["vote"]
        positive, n = (part.reindex(ids, fill_value=0) for part in (by_pair.sum(), by_pair.size()))
        waits = ids.isin([pair for queue in self.queues.values() for pair, _ in queue])
        tally = pd.DataFrame({"votes": positive, "against": n - positive, "flagged": 0, "waits": waits})
        people = pd.DataFrame({"quota": np.inf, "skill": skills(votes, chances).reindex(names)}, index=names)
        people["room"] = pairs_ahead(votes, names, wait) - [len(self.queues[name]) for name in names]
        worth = need_by_doubt(tally, chances, Target(chance=0.999, raters=RATERS), self.world.overlap)
        return share_out(worth, may_rate(ids, names, had), people, left, len(had))[0]


def main(arguments: Arguments) -> None:
    """Print idle time and delays."""
    n_careless = arguments.people // 10
    kinds: dict[Kind, int] = {"good": arguments.people - n_careless, "careless": n_careless}
    world = simulated(kinds, n_pairs=arguments.pairs, seed=arguments.seed, unequal=0.1)
    floor, budget = Floor(arguments, world), RATERS * arguments.pairs
    first = np.where(floor.random.random(arguments.pairs) < RANDOM_SHARE, RATERS, 1)
    had = world.deal(pd.Series(first, index=world.truth.index), arguments.seed)
    had = had.sample(frac=1, random_state=arguments.seed)
    floor.hand_out(had)
    now, longest, delays = 0.0, 0.0, list[float]()
    while len(had) < budget:
        now += arguments.every
        floor.work(now)
        latest, began = floor.votes.groupby("pair_id")["at"].max(), time.process_time()
        new = floor.hand_out_next(arguments.every + arguments.look, had, budget - len(had))
        longest = max(longest, time.process_time() - began)
        now += arguments.look
        floor.work(now)
        seen = latest[latest > now - 2 * arguments.look - arguments.every]
        delays += (now - seen.reindex(new["pair_id"]).dropna()).tolist()
        floor.hand_out(new)
        had = pd.concat([had, new])
    tells = skills(floor.votes, posteriors(floor.votes, POOLED)).reindex(world.names) >= CARELESS_BELOW
    idle = pd.Series(floor.idle) / now
    say(f"{len(had):,} ratings in {now / 3600:.2f} hours by {len(world.names)} people")
    say(f"idle: {idle[tells].mean():.2%} of the time of {tells.sum()}, {idle[~tells].mean():.2%} of those who guess")
    say(f"from an answer to its pair's next assignment: median {np.median(delays):.0f} s, at most {max(delays):.0f} s")
    say(f"fitting and sharing out: at most {longest:.2f} s of the processor, with {len(floor.votes):,} ratings")


if __name__ == "__main__":
    run(main, prog="python -m studies.labels.waiting")
