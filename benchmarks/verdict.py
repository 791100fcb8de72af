"""Which rule finds the careless, and whom it accuses wrongly: `python -m benchmarks.verdict`.

Simulated campaigns at PARADE's noise (`annotation.campaigns`: 40 annotators, 10,182 pairs, three labels each), judged
by the paper's rule (kappa with the own vote below 0.4), by the left-out kappa below 0.16, and by `annotation.verdict`;
this also with gold pairs: 38 each are the plan's 5 %, 88 those and a pilot of 50. Intervals: the mean over campaigns
plus and minus two standard errors. With `--annotations DIR` careless raters are also put among the real ones of
`truth_inference` and of LeWiDi; a real rater whose skill by the known truth is at least the rule's counts as good.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from annotation import agreement
from annotation.campaigns import Simulated, answer, simulate
from annotation.config import QualityRule, VerdictRule, VoteRule
from annotation.verdict import judge
from annotation.votes import votes_of
from benchmarks.rating_data import read_lewidi, read_truth_inference
from data.console import progress, run, say

ANNOTATORS, PAIRS, LABELS = 40, 10_182, 3
CROWDS = (
    {"guessing": 8},
    {"careless": 8},
    {"guessing": 4, "careless": 4},
    {"drifting": 8},
    {"always-2": 4, "overlap": 4},
)
GOLD = (0, 38, 88)
LEFT_OUT = 0.16
"""Halfway between the left-out kappas of annotators right in 60 % and in 68 % at this noise."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Simulates campaigns and counts who is accused by each rule."""

    campaigns: int = 24
    """How many of each crowd."""
    annotations: Path | None = None
    """The folder with truth_inference and lewidi2025."""


def main(arguments: Arguments) -> None:
    """Prints a line for each crowd and rule."""
    say(f"{arguments.campaigns} campaigns of each crowd; {ANNOTATORS} annotators, {PAIRS} pairs, {LABELS} labels each")
    say(f"{'careless ones':24} {'rule':26} {'found':>22} {'good ones accused':>22}")
    for crowd in CROWDS:
        seeds = progress(range(arguments.campaigns), label="campaigns", unit="campaigns")
        judged = pd.concat([one.assign(campaign=seed) for seed in seeds for one in _judged(crowd, seed)])
        for rule, rows in judged.groupby("rule", sort=False):
            bad = rows["kind"] != "good"
            shares = [rows[part].groupby("campaign")["accused"].mean() for part in (bad, ~bad)]
            say(f"{_named(crowd):24} {rule:26} {_interval(shares[0]):>22} {_interval(shares[1]):>22}")
    if arguments.annotations:
        _among_real_ones(arguments.annotations, arguments.campaigns)


def _named(crowd: dict[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in crowd.items())


def _interval(values: "pd.Series[float]") -> str:
    error = 2 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.3f} ({max(values.mean() - error, 0):.3f} to {min(values.mean() + error, 1):.3f})"


def _judged(crowd: dict[str, int], seed: int) -> Iterator[pd.DataFrame]:
    """Who of a campaign is accused by each rule: rule, kind, accused."""
    kinds = {"good": ANNOTATORS - sum(crowd.values())} | crowd
    campaign = simulate(kinds, n_pairs=PAIRS, labels_per_pair=LABELS, seed=seed)
    votes = votes_of(campaign.ballots, VoteRule()).assign(place=campaign.ballots["position"])
    for measure, below in (("kappa", QualityRule().low_kappa), ("left-out kappa", LEFT_OUT)):
        yield _accused(campaign, f"{measure} below {below}", kappas(votes, left_out=measure != "kappa") < below)
    for n_gold in GOLD:
        gold = _gold(campaign, n_gold, seed) if n_gold else None
        verdicts = judge(votes, VerdictRule(), campaign.overlap, gold).set_index("annotator")["verdict"]
        yield _accused(campaign, f"verdict, {n_gold} gold pairs", verdicts == "careless")


def kappas(votes: pd.DataFrame, *, left_out: bool = False) -> "pd.Series[float]":
    """The paper's kappa of each annotator where every pair has three votes, or that with the own vote left out."""
    yes = votes.groupby("pair_id")["vote"].transform("sum")
    others = yes - votes["vote"]
    majority = (others == 2).where(others != 1) if left_out else yes >= 2
    return votes.assign(majority=majority).dropna().groupby("annotator")[["vote", "majority"]].apply(_kappa)


def _kappa(rows: pd.DataFrame) -> float:
    table = agreement.counts(rows["majority"].to_numpy("int64"), rows["vote"].to_numpy("int64"), 2)
    return float(agreement.chance_corrected(table.astype("float64"), agreement.distances(2)))


def _accused(campaign: Simulated, rule: str, accused: "pd.Series[bool]") -> pd.DataFrame:
    kinds = campaign.annotators["kind"]
    return pd.DataFrame({"rule": rule, "kind": kinds, "accused": accused.reindex(kinds.index).astype(bool)})


def _gold(campaign: Simulated, n: int, seed: int) -> pd.DataFrame:
    """What everybody says of n further pairs whose truth is known."""
    random, people = np.random.default_rng([seed, n]), campaign.annotators
    drawn = random.choice(campaign.truth.index, size=n)
    asked = pd.DataFrame({"rater": np.repeat(np.arange(len(people)), n), "pair": np.tile(drawn, len(people))})
    by_overlap = pd.qcut(campaign.overlap.rank(), 4, labels=False)
    truth = campaign.truth.loc[asked["pair"]].to_numpy("int64")
    progress_ = np.tile(np.linspace(0, 1, n), len(people))
    asked = asked.assign(truth=truth, by_overlap=by_overlap.loc[asked["pair"]].to_numpy("int64"), progress=progress_)
    said = answer(people, asked, random)
    return pd.DataFrame({"annotator": people.index[asked["rater"]], "vote": said // 2, "truth": truth // 2})


def _among_real_ones(folder: Path, repeats: int) -> None:
    say("")
    say(f"put among real raters, {repeats} times; found of each kind, and how many of the real ones are accused")
    for name, n_put, n_tasks in (("product", 6, 200), ("duck", 2, 108)):
        votes, truth = read_truth_inference(folder / "truth_inference", name)
        votes = votes.assign(score=3 * votes["vote"], place=votes.groupby("annotator").cumcount())
        _put(f"{name} ({votes['annotator'].nunique()} raters)", (votes, truth, None), (n_put, n_tasks), repeats)
    scores, overlap = read_lewidi(folder / "lewidi2025")
    vote = (scores["score"] > 0).astype("int64")
    votes = scores.assign(vote=vote, place=scores.groupby("annotator").cumcount())
    majority = (votes.groupby("pair_id")["vote"].mean() >= 0.5).astype("int64")
    _put("LeWiDi Paraphrase (4 raters)", (votes, majority, overlap), (1, 500), repeats)


def _put(
    title: str,
    real: tuple[pd.DataFrame, "pd.Series[int]", "pd.Series[float] | None"],
    size: tuple[int, int],
    repeats: int,
) -> None:
    """Prints what happens where `size` = (so many careless raters of each kind, tasks each) are put among real ones."""
    votes, truth, overlap = real
    kinds = ["guessing", "always-2", "drifting", *(["overlap"] if overlap is not None else [])]
    skills, found, accused = _skills(votes, truth), [], []
    for seed in progress(range(repeats), label=title, unit="times"):
        crowds = (
            [[kind] * size[0] for kind in kinds] if size[0] == 1 else [[kind for kind in kinds for _ in range(size[0])]]
        )
        for crowd in crowds:  # one at a time where one is a fifth of all
            rows = pd.concat([votes, _careless(crowd, truth, overlap, (size[1], seed))], ignore_index=True)
            verdicts = judge(rows, VerdictRule(), overlap).set_index("annotator")["verdict"]
            hit = verdicts == "careless"
            found += [(kind, bool(hit[f"put {number}"])) for number, kind in enumerate(crowd)]
            theirs = hit[~hit.index.str.startswith("put ")]
            wrongly = skills.reindex(theirs.index[theirs]) >= VerdictRule().careless_below
            accused.append((int(theirs.sum()), int(wrongly.sum())))
    for kind, rows in pd.DataFrame(found, columns=["kind", "hit"]).groupby("kind", sort=False):
        say(f"  {title:32} {kind:10} found {rows['hit'].sum()} of {len(rows)}")
    total, wrong = np.mean(accused, axis=0)
    say(f"  {title:32} real ones accused: {total:.1f} on average, of whom {wrong:.2f} are good by the truth")


def _skills(votes: pd.DataFrame, truth: "pd.Series[int]") -> "pd.Series[float]":
    """Youden's J of each real rater by the truth; null without pairs of both kinds."""
    rows = votes.assign(right=votes["vote"] == votes["pair_id"].map(truth), truth=votes["pair_id"].map(truth))
    return rows.groupby(["annotator", "truth"])["right"].mean().unstack().sum(axis=1, skipna=False) - 1


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
        said = answer(people, asked.assign(by_overlap=suggested, progress=np.linspace(0, 1, n_tasks)), random)
        one = pd.DataFrame({"pair_id": truth.index[chosen], "annotator": f"put {number}", "score": said})
        rows.append(one.assign(vote=said // 2, place=np.arange(n_tasks)))
    return pd.concat(rows)


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.verdict")
