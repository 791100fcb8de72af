"""Which rule finds careless annotators, and which good ones it accuses: `python -m studies.quality.verdict`.

Simulated campaigns at PARADE's noise (`simulation.in_memory`: 40 annotators, 10,182 pairs, three labels per pair) are
judged

- by the paper's rule (kappa with the majority, one's own vote included, below 0.4);
- by the left-out kappa and by Dawid-Skene skill (Youden's J of the votes against its labels), each with the threshold
  that accuses 2 % of the good annotators in these same campaigns, which is unknown outside a simulation;
- by `quality.verdict`, alone, and with a pilot of 50 pairs that everybody labelled before and 38 gold pairs each (5 %)
  among the work;
- by the same rule with the truth of every pair known, which no verdict can surpass.

`half never 0 or 3`: every second annotator, good or not, uses only two scores. `unequal pairs`: everybody who looks at
the pair errs up to 0.1 more or less often, depending on the pair. Intervals: the mean over campaigns plus or minus two
standard errors. With `--annotations DIR`, careless raters are also put among the real ones of `truth_inference` and of
LeWiDi; there a real rater counts as good whose kappa with the known truth reaches the rule's threshold (if accused of
drifting, in the last third). The rule's values were chosen on campaigns with seeds from 100 on.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Memory

from annotation.aggregation.models import posteriors
from annotation.config import VerdictRule
from annotation.quality.verdict import judge
from annotation.simulation.in_memory import Simulated, answer, simulate
from annotation.simulation.noise import Kind
from data.console.commands import run
from data.console.messages import progress, say
from data.contract.vocabulary import CARELESS, UNDECIDED
from data.measures import agreement
from data.measures.ballots import votes_of
from data.measures.raters.skill import GOLD_CHANCE, Skill, likelihood
from data.measures.rules import QualityRule, VoteRule
from studies.rating_data import read_lewidi, read_truth_inference

ANNOTATORS, PAIRS, LABELS = 40, 10_182, 3
PILOT, GOLD = 50, 38
MAY_ACCUSE = 0.02
CROWDS: dict[str, dict[Kind, int]] = {
    "8 guessing": {"guessing": 8},
    "8 right in 60 %": {"careless": 8},
    "4 guessing, 4 right in 60 %": {"guessing": 4, "careless": 4},
    "8 drifting": {"drifting": 8},
    "8 tiring": {"tiring": 8},
    "4 always 2, 4 by overlap": {"always-2": 4, "overlap": 4},
    "none": {},
    "4 + 4, half never 0 or 3": {"guessing": 4, "careless": 4},
    "4 + 4, unequal pairs": {"guessing": 4, "careless": 4},
    "8 in 60 %, unequal pairs": {"careless": 8},
}
TIMID, UNEQUAL = "half never 0 or 3", "unequal pairs"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulate campaigns and count whom each rule accuses."""

    campaigns: int = 24
    """How many campaigns per crowd."""
    only: str = ""
    """Only crowds with this in their name."""
    lower: float = 0.0
    """How much lower the accuracy of good annotators is."""
    seed: int = 0
    """The seed of the first campaign."""
    keep: Path | None = None
    """A folder for the campaigns judged so far, to resume a stopped run; empty it when a rule has changed."""
    annotations: Path | None = None
    """The folder with truth_inference and lewidi2025."""


def main(arguments: Arguments) -> None:
    """Print one line per crowd and rule."""
    n = arguments.campaigns
    judge_campaign = _judged if arguments.keep is None else Memory(arguments.keep, verbose=0).cache(_judged)
    say(f"{n} campaigns per crowd: {ANNOTATORS} annotators, {PAIRS} pairs, {LABELS} labels per pair")
    say(f"{'careless annotators':28} {'rule':30} {'careless found':>22} {'good accused':>22}")
    for crowd in [name for name in CROWDS if arguments.only in name]:
        seeds = progress(range(arguments.seed, arguments.seed + n), label="campaigns", unit="campaigns")
        judged = pd.concat([judge_campaign(crowd, seed, arguments.lower) for seed in seeds])
        for rule, rows in judged.groupby("rule", sort=False):
            bad = rows["kind"] != "good"
            cut = 0.5 if rows["value"].isin([0, 1]).all() else rows.loc[~bad, "value"].quantile(MAY_ACCUSE)
            accused = (
                (rows["value"] < cut).groupby([rows["campaign"], bad]).mean().unstack().reindex(columns=[True, False])
            )
            say(f"{crowd:28} {rule:30} {_interval(accused[True]):>22} {_interval(accused[False]):>22}")
    if arguments.annotations:
        _judge_among_real(arguments.annotations, n)


def _interval(values: "pd.Series[float]") -> str:
    if values.isna().all():
        return ""
    error = 2 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.3f} ({max(values.mean() - error, 0):.3f} to {min(values.mean() + error, 1):.3f})"


def _judged(crowd: str, seed: int, lower: float) -> pd.DataFrame:
    """How each rule judges the annotators of a campaign: rule, kind, value (0: accused, 1: not; or a measure)."""
    kinds: dict[Kind, int] = {"good": ANNOTATORS - sum(CROWDS[crowd].values())} | CROWDS[crowd]
    unequal = 0.1 if UNEQUAL in crowd else 0.0
    campaign = simulate(kinds, n_pairs=PAIRS, labels_per_pair=LABELS, seed=seed, lower=lower, unequal=unequal)
    votes = votes_of(campaign.ballots, VoteRule()).assign(place=campaign.ballots["position"])
    if TIMID in crowd:
        timid = votes["annotator"].isin(campaign.annotators.index[::2])
        votes["score"] = votes["score"].mask(timid, votes["score"].clip(1, 2))
    truth = campaign.truth >= VoteRule().lowest_yes
    pilot, gold = _asked_all(campaign, seed)
    both, overlap, rule = pd.concat([votes, pilot], ignore_index=True), campaign.overlap, VerdictRule()
    measures: dict[str, pd.Series[Any]] = {
        "paper: kappa below 0.4": kappas(votes) >= QualityRule().low_kappa,
        "left-out kappa, 2 % accused": kappas(votes, left_out=True),
        "Dawid-Skene skill, 2 % accused": skills(votes, posteriors(votes, "dawid-skene") > 0.5),
        "verdict": _cleared(judge(votes, rule, overlap)),
        "verdict, pilot and gold": _cleared(judge(both, rule, overlap, gold)),
        "truth known": ~with_truth(votes, truth, rule),
    }
    kind = campaign.annotators["kind"]
    rows = [
        pd.DataFrame({"rule": name, "kind": kind, "value": values.reindex(kind.index).astype("float64")})
        for name, values in measures.items()
    ]
    return pd.concat(rows).assign(campaign=seed)


def _cleared(verdicts: pd.DataFrame) -> "pd.Series[bool]":
    return verdicts.set_index("annotator")["verdict"] != CARELESS


def kappas(votes: pd.DataFrame, *, left_out: bool = False) -> "pd.Series[float]":
    """Each annotator's kappa where every pair has three votes, as in the paper or with one's own vote left out."""
    yes = votes.groupby("pair_id")["vote"].transform("sum")
    others = yes - votes["vote"]
    majority = (others == 2).where(others != 1) if left_out else yes >= 2
    return votes.assign(reference=majority).dropna().groupby("annotator")[["vote", "reference"]].apply(_kappa)


def _kappa(rows: pd.DataFrame) -> float:
    table = agreement.counts(rows["reference"].to_numpy("int64"), rows["vote"].to_numpy("int64"), 2)
    return float(agreement.chance_corrected(table.astype("float64"), agreement.distances(2)))


def skills(votes: pd.DataFrame, truth: "pd.Series[bool]") -> "pd.Series[float]":
    """Youden's J of each annotator against these labels; null without pairs of both kinds."""
    right = votes.assign(truth=votes["pair_id"].map(truth).astype("int64"))
    right["right"] = right["vote"] == right["truth"]
    return right.groupby(["annotator", "truth"])["right"].mean().unstack().sum(axis=1, skipna=False) - 1


def with_truth(votes: pd.DataFrame, truth: "pd.Series[bool]", rule: VerdictRule) -> "pd.Series[bool]":
    """Whether each annotator's skill is below the rule's threshold, with the truth known."""
    known = votes.assign(chance=np.where(votes["pair_id"].map(truth), GOLD_CHANCE, 1 - GOLD_CHANCE))
    share = float(truth.mean())
    return (
        known.groupby("annotator")[["chance", "vote"]].apply(
            lambda own: Skill(likelihood(own["chance"].to_numpy(), own["vote"].to_numpy()), share).below(
                rule.careless_below
            )
        )
        > 0.5
    )


def _asked_all(campaign: Simulated, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Everybody's ratings of further pairs: the votes of a pilot before the work, and gold at any time during it."""
    n, people = PILOT + GOLD, campaign.annotators
    random = np.random.default_rng([seed, n])
    drawn = random.choice(campaign.truth.index, size=n)
    number = np.tile(np.arange(n), len(people))
    asked = pd.DataFrame({"rater": np.repeat(np.arange(len(people)), n), "pair": np.tile(drawn, len(people))})
    by_overlap = pd.qcut(campaign.overlap.rank(), 4, labels=False)
    asked = asked.assign(
        truth=campaign.truth.loc[asked["pair"]].to_numpy("int64"),
        by_overlap=by_overlap.loc[asked["pair"]].to_numpy("int64"),
        progress=np.where(number < PILOT, 0.0, random.random(len(asked))),
        ease=campaign.ease.loc[asked["pair"]].to_numpy("float64"),
    )
    scores = answer(people, asked, random)
    rows = pd.DataFrame({"annotator": people.index[asked["rater"]], "score": scores, "vote": scores // 2})
    rows["place"] = np.where(number < PILOT, number - n, asked["progress"] * PAIRS * LABELS / ANNOTATORS)
    rows["pair_id"] = [f"{'pilot' if pair < PILOT else 'gold'} {pair}" for pair in number]
    return rows[number < PILOT], rows.assign(truth=asked["truth"] // 2)[number >= PILOT]


def _judge_among_real(folder: Path, repeats: int) -> None:
    say("")
    say(f"careless raters put among real ones, {repeats} times: how many are found, and how many real ones are accused")
    for name, n_put, n_tasks in (("product", 6, 200), ("duck", 2, 108)):
        votes, truth = read_truth_inference(folder / "truth_inference", name)
        votes = votes.assign(score=3 * votes["vote"], place=votes.groupby("annotator").cumcount())
        _put(f"{name} ({votes['annotator'].nunique()} raters)", (votes, truth, None), (n_put, n_tasks), repeats)
    scores, overlap = read_lewidi(folder / "lewidi2025")
    vote = (scores["score"] > 0).astype("int64")
    scale = np.digitize(scores["score"], [-2, 1, 3])
    votes = scores.assign(vote=vote, score=scale, place=scores.groupby("annotator").cumcount())
    majority = (votes.groupby("pair_id")["vote"].mean() >= 0.5).astype("int64")
    _put("LeWiDi Paraphrase (4 raters)", (votes, majority, overlap), (1, 500), repeats)


def _put(
    title: str,
    real: tuple[pd.DataFrame, "pd.Series[int]", "pd.Series[float] | None"],
    size: tuple[int, int],
    repeats: int,
) -> None:
    """Print the verdicts where careless raters are put among real ones. `size`: how many of each kind, tasks each."""
    votes, truth, overlap = real
    kinds = ["guessing", "always-2", "drifting", *(["overlap"] if overlap is not None else [])]
    crowds = [[kind] for kind in kinds] if size[0] == 1 else [[kind for kind in kinds for _ in range(size[0])]]
    last = votes[votes["place"] >= votes.groupby("annotator")["place"].transform("max") * 2 / 3]
    whole, late = (_true_kappas(rows, truth) for rows in (votes, last))
    found, accused = [], []
    for seed in progress(range(repeats), label=title, unit="times"):
        for crowd in crowds:  # one rater at a time where one is a fifth of all
            put = _careless(crowd, truth, overlap, (size[1], seed))
            if overlap is None:  # the real raters gave votes only
                put = put.assign(score=3 * put["vote"])
            rows = pd.concat([votes, put], ignore_index=True)
            verdicts = judge(rows, VerdictRule(), overlap).set_index("annotator")
            known = with_truth(put, truth == 1, VerdictRule())
            names = [f"put {number}" for number in range(len(crowd))]
            found += list(zip(crowd, verdicts.loc[names, "verdict"], known.loc[names], strict=True))
            wrongly = verdicts[(verdicts["verdict"] == CARELESS) & ~verdicts.index.isin(names)]
            drifted = wrongly["reasons"].map(lambda why: why == ["drifts"]).astype(bool)
            true = whole.reindex(wrongly.index).where(~drifted, late.reindex(wrongly.index))
            accused.append((len(wrongly), int((true >= VerdictRule().careless_below).sum())))
    for kind, rows in pd.DataFrame(found, columns=["kind", "verdict", "known"]).groupby("kind", sort=False):
        n, undecided = (int((rows["verdict"] == verdict).sum()) for verdict in (CARELESS, UNDECIDED))
        known = rows["known"].sum()
        say(f"  {title:30} {kind:10} found {n} of {len(rows)}, undecided {undecided}; truth known: {known}")
    total, wrong = np.mean(accused, axis=0)
    say(f"  {title:30} real raters accused: {total:.1f} on average, of whom {wrong:.2f} are good by the truth")


def _true_kappas(votes: pd.DataFrame, truth: "pd.Series[int]") -> "pd.Series[float]":
    rows = votes.assign(reference=votes["pair_id"].map(truth))
    return rows.groupby("annotator")[["vote", "reference"]].apply(_kappa)


def _careless(
    crowd: list[str], truth: "pd.Series[int]", overlap: "pd.Series[float] | None", size_and_seed: tuple[int, int]
) -> pd.DataFrame:
    n_tasks, seed = size_and_seed
    random, rows = np.random.default_rng([seed, 7]), []
    ranks = None if overlap is None else overlap.reindex(truth.index).rank(pct=True, method="first")
    people = pd.DataFrame({"kind": crowd, "accuracy": random.uniform(0.68, 0.80, len(crowd))})
    for number in range(len(crowd)):
        chosen = random.choice(len(truth), size=n_tasks, replace=False)
        suggested = 0 if ranks is None else (4 * (ranks.iloc[chosen].to_numpy("float64") - 1e-9)).astype("int64")
        asked = pd.DataFrame({"rater": number, "truth": 3 * truth.iloc[chosen].to_numpy("int64")})
        scores = answer(people, asked.assign(by_overlap=suggested, progress=np.linspace(0, 1, n_tasks)), random)
        own = pd.DataFrame({"pair_id": truth.index[chosen], "annotator": f"put {number}", "score": scores})
        rows.append(own.assign(vote=scores // 2, place=np.arange(n_tasks)))
    return pd.concat(rows)


if __name__ == "__main__":
    run(main, prog="python -m studies.quality.verdict")
