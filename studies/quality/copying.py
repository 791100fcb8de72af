"""What people who copy do to the verdict, and how many are named: `python -m studies.quality.copying`.

Teams of given chances of a right vote, at PARADE's noise (`simulation.in_memory`). `HONEST` teams err independently, on
pairs that are equally hard or not; in `COPYING` ones some take over answers. `untuned` designs played no part in
choosing the thresholds of `quality.copying`. For each design: in how many campaigns a couple is named wrongly, in how
many one who copied is; how many good annotators the verdict accuses and how many copiers it finds, and how many labels
of pooled Dawid-Skene are right, without and with `--one-vote` for the true couples. `--gold N` gives everybody N gold
pairs. With `--annotations DIR`, the couples named among the real raters of `truth_inference` and of LeWiDi.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from annotation.aggregation.models import posteriors
from annotation.config import VerdictRule
from annotation.quality.copying import MIN_COMMON_PAIRS, find_copying
from annotation.quality.verdict import judge
from annotation.simulation.in_memory import Simulated, label_again, simulate
from data.console.commands import run
from data.console.messages import progress, say
from data.contract.vocabulary import CARELESS
from data.measures.ballots import count_once, votes_of
from studies.rating_data import read_lewidi, read_truth_inference

RULE = VerdictRule()


@dataclass(frozen=True, kw_only=True)
class Design:
    """A team and its work; people are a01, a02, … in the order of `right`."""

    right: Sequence[float | None]
    """Each one's chance of a right vote; None for a guesser."""
    n_pairs: int = 300
    labels_per_pair: int = 5
    unequal: float = 0.0
    copies: Sequence[tuple[str, str]] = ()
    """Who copies, and from whom."""
    share: float = 1.0
    """Of the answers that can be copied."""

    @property
    def bad(self) -> set[str]:
        """Who copies or is copied from."""
        return {name for couple in self.copies for name in couple}


HONEST = {
    "five people": Design(right=(0.8, 0.8, 0.8, None, 0.7)),
    "five people, unequal pairs": Design(right=(0.8, 0.75, 0.7, 0.6, 0.75), unequal=0.2),
    "eight people, three guess": Design(right=(*[0.78] * 5, *[None] * 3), n_pairs=800, labels_per_pair=3),
    "twenty, very unequal pairs": Design(right=np.linspace(0.6, 0.85, 20).tolist(), n_pairs=1_000, labels_per_pair=3,
                                         unequal=0.3),
    "forty, as PARADE": Design(right=(*np.linspace(0.68, 0.8, 36), *[None] * 4), n_pairs=10_182, labels_per_pair=3,
                               unequal=0.1),
    "untuned: three people": Design(right=(0.85, 0.8, 0.55), labels_per_pair=3),
    "untuned: four, unequal pairs": Design(right=(0.85, 0.8, 0.75, 0.65), n_pairs=200, labels_per_pair=4, unequal=0.4),
    "untuned: six, few pairs": Design(right=(0.9, 0.9, 0.8, 0.7, 0.6, None), n_pairs=60, labels_per_pair=6),
    "untuned: ten, nearly perfect": Design(right=(*[0.97] * 7, 0.6, 0.6, None), n_pairs=500, labels_per_pair=3),
    "untuned: fifteen, hardest pairs": Design(right=np.linspace(0.55, 0.75, 15).tolist(), n_pairs=1_500,
                                              labels_per_pair=3, unequal=0.5),
}  # fmt: skip
COPYING = {
    "guesser copied": Design(right=(0.8, 0.8, 0.8, None, None), copies=[("a05", "a04")]),
    "75 % and 60 %": Design(right=(0.75, 0.75, 0.75, 0.6, 0.6), copies=[("a05", "a04")]),
    "three people": Design(right=(0.85, 0.55, 0.55), labels_per_pair=3, copies=[("a03", "a02")]),
    "guesser copied by two": Design(right=(*[0.78] * 5, *[None] * 3), n_pairs=800, labels_per_pair=3,
                                    copies=[("a07", "a06"), ("a08", "a06"), ("a08", "a07")]),
    "half copied": Design(right=(0.75, 0.75, 0.75, 0.6, 0.6), copies=[("a05", "a04")], share=0.5),
    "untuned: twenty, one couple": Design(right=(*[0.75] * 18, 0.6, 0.6), n_pairs=3_000, labels_per_pair=3,
                                          copies=[("a20", "a19")]),
    "untuned: a good one copied": Design(right=(0.8, 0.75, 0.75, 0.7, 0.6, 0.6), labels_per_pair=6, unequal=0.2,
                                         copies=[("a06", "a01")]),
    "untuned: a third copied": Design(right=(0.75, 0.75, 0.7, 0.7, 0.6, 0.6), labels_per_pair=6, unequal=0.2,
                                      copies=[("a06", "a05")], share=0.33),
    "untuned: four people": Design(right=(0.8, 0.8, 0.6, 0.6), labels_per_pair=4, copies=[("a04", "a03")]),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulate teams, and say whom `find_copying` names and whom the verdict accuses."""

    campaigns: int = 12
    """How many campaigns per design."""
    only: str = ""
    """Only designs with this in their name."""
    seed: int = 0
    """The seed of the first campaign."""
    gold: int = 0
    """How many gold pairs everybody rates, too."""
    annotations: Path | None = None
    """The folder with truth_inference and lewidi2025."""


def make(design: Design, seed: int) -> Simulated:
    """A campaign of the design."""
    campaign = simulate(
        {"good": len(design.right)}, n_pairs=design.n_pairs, labels_per_pair=design.labels_per_pair, seed=seed,
        unequal=design.unequal,
    )  # fmt: skip
    return _with_copies(_answer_again(campaign, design.right, seed), design.copies, design.share, seed)


def _with_copies(campaign: Simulated, copies: Sequence[tuple[str, str]], share: float, seed: int) -> Simulated:
    """The campaign where people copy: of the pairs that both have, the answers to this share are the other's.

    `copies`: pairs of an annotator who copies and the one who is copied.
    """
    random, ballots = np.random.default_rng([seed, 13]), campaign.ballots.copy()
    for copier, source in copies:
        answers = ballots[ballots["annotator"] == source].set_index("pair_id")["score"]
        copied = (ballots["annotator"] == copier) & ballots["pair_id"].isin(answers.index)
        copied &= random.random(len(ballots)) < share
        ballots.loc[copied, "score"] = ballots.loc[copied, "pair_id"].map(answers)
    return replace(campaign, ballots=ballots)


def _answer_again(campaign: Simulated, accuracy: Sequence[float | None], seed: int) -> Simulated:
    """The same campaign by people with these chances of a right vote, in their order; None for one who guesses."""
    given = np.array(accuracy, dtype="float64")
    kinds = np.where(np.isnan(given), "guessing", "good")
    people = replace(campaign, annotators=campaign.annotators.assign(accuracy=given, kind=kinds))
    scores = label_again(people, campaign.ballots[["pair_id", "annotator"]], seed)
    return replace(people, ballots=campaign.ballots.assign(score=pd.array(scores, dtype="Int64")))


def gold_of(campaign: Simulated, n: int, seed: int) -> pd.DataFrame:
    """Everybody's own answers to `n` more pairs of known truth, as `judge` takes them."""
    drawn = np.random.default_rng([seed, 17]).choice(campaign.truth.index, size=n)
    names = campaign.annotators.index.to_numpy(object)
    asked = pd.DataFrame({"pair_id": np.tile(drawn, len(names)), "annotator": np.repeat(names, n)})
    scores, truth = label_again(campaign, asked, seed + 1), campaign.truth.loc[asked["pair_id"]].to_numpy("int64")
    number = np.tile(np.arange(n), len(names))
    return pd.DataFrame({
        "pair_id": [f"gold {one}" for one in number], "annotator": asked["annotator"], "score": scores,
        "vote": scores // 2, "place": number, "truth": truth // 2,
    })  # fmt: skip


def main(arguments: Arguments) -> None:
    """Print a line for each design."""
    n = arguments.campaigns
    say(f"{n} campaigns per design, {arguments.gold} gold pairs each")
    say(f"{'':34} {'':>14} {'':>12}  without --one-vote           with --one-vote")
    say(f"{'design':34} {'wrongly named':>14} {'found':>12}  honest  copiers  labels   honest  copiers  labels")
    for name, design in (HONEST | COPYING).items():
        if arguments.only in name:
            seeds = progress(range(arguments.seed, arguments.seed + n), label="campaigns", unit="campaigns")
            rows = pd.DataFrame([_outcome(design, seed, arguments.gold) for seed in seeds])
            wrong, found = int(rows["wrong"].sum()), int(rows["found"].sum())
            shares = "   ".join(f"{rows[column].mean():6.3f}" for column in rows.columns[2:])
            say(f"{name:34} {wrong:>8} of {n:>2} {f'{found} of {n}' if design.copies else '':>12}  {shares}")
    if arguments.annotations:
        _count_real(arguments.annotations)


def _outcome(design: Design, seed: int, n_gold: int) -> dict[str, float]:
    campaign = make(design, seed)
    votes = votes_of(campaign.ballots, RULE).assign(place=campaign.ballots["position"])
    gold = gold_of(campaign, n_gold, seed) if n_gold else None
    named = [{first, second} for first, second in find_copying(votes)[["first", "second"]].to_numpy()]
    true = [set(couple) for couple in design.copies]
    outcome: dict[str, float] = {
        "wrong": any(couple not in true for couple in named), "found": any(couple in true for couple in named)
    }  # fmt: skip
    for name, couples in (("alone", ()), ("once", [(source, copier) for copier, source in design.copies])):
        careless = judge(votes, RULE, None, gold, couples).set_index("annotator")["verdict"] == CARELESS
        is_bad, is_good = careless.index.isin(design.bad), campaign.annotators["accuracy"] >= GOOD
        chances = posteriors(votes[count_once(votes, couples)], "dawid-skene-pooled", gold=gold)
        right = (chances.reindex(campaign.truth.index) > 0.5) == (campaign.truth >= RULE.lowest_yes)
        honest = careless[~is_bad & is_good.reindex(careless.index).to_numpy(bool)]
        outcome |= {f"{name}: honest": honest.mean(), f"{name}: copiers": careless[is_bad].mean(),
                    f"{name}: labels": right.mean()}  # fmt: skip
    return outcome


GOOD = 0.68
"""The chance of a right vote from which an accusation is wrong beyond doubt: a good annotator's."""


def _count_real(folder: Path) -> None:
    for name in ("product", "duck"):
        votes, _ = read_truth_inference(folder / "truth_inference", name)
        _say_real(name, votes.assign(score=votes["vote"]))
    scores, _ = read_lewidi(folder / "lewidi2025")
    _say_real("LeWiDi Paraphrase", scores)
    _say_real("LeWiDi Paraphrase, yes or no", scores.assign(score=(scores["score"] > 0).astype("int64")))


def _say_real(name: str, votes: pd.DataFrame) -> None:
    pairs = votes.merge(votes, on="pair_id")
    sizes = pairs[pairs["annotator_x"] < pairs["annotator_y"]].groupby(["annotator_x", "annotator_y"]).size()
    n = int((sizes >= MIN_COMMON_PAIRS).sum())
    say(f"{name}: {len(find_copying(votes))} of {n} couples with {MIN_COMMON_PAIRS} common pairs are named")


if __name__ == "__main__":
    run(main, prog="python -m studies.quality.copying")
