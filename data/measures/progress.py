"""The progress of a campaign: agreement, speed, expected end, what looks suspicious, what a new guide changed; pure.

Everything is by pseudonym and from the collected ratings; times are cut off at the idle limit.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from data.console.messages import quantity
from data.contract.vocabulary import ALL_ROUNDS, CARELESS, CERTAIN, EVERYBODY, FIXED, ONE_SIDED
from data.measures import agreement, intervals
from data.measures.ballots import (
    Couples,
    asked_at_first,
    counting,
    given_at_first,
    held,
    is_skip,
    latest,
    seconds_spent,
)
from data.measures.raters.finished import find_finished
from data.measures.rules import MeasureRule, VoteRule

RECENT_DAYS = 7
"""How many of the last days the end is forecast from."""

FAST_SHARE = 0.2
"""The share of ratings faster than the texts can be read from which the speed is suspicious."""

RUN_CHANCE = 4.0**-14
"""The chance of a run of the same answer from which it is suspicious, where all answers are used evenly: with four of
them, the chance of 15 in a row."""

SKIPPED_SHARE = 0.2
"""The share of skipped pairs that is suspicious."""

GOLD_MARGIN = 0.2
"""How far below everybody's gold accuracy an annotator's is suspicious."""


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What was collected of a campaign's present annotators, and how they were judged by it."""

    ballots: pd.DataFrame
    assignments: pd.DataFrame
    ratings: pd.DataFrame
    annotators: pd.DataFrame
    measures: pd.DataFrame | None
    """Rows of the table `quality`; None where no pair has been scored yet."""
    verdicts: pd.DataFrame | None
    """Rows of the table `verdicts`; None likewise."""
    n_answers: int | None
    """How many answers the vote has; None where the question asks for no vote."""
    couples: Sequence[tuple[str, str]] = ()
    """Who seems to have copied, and why."""
    copies: Couples = ()
    """Who has one vote together, since one of them clearly copies the other (`find_copies`)."""
    plan: "Mapping[Any, Any] | pd.Series[Any] | None" = None
    """The campaign's row of `campaigns`; None where there is none."""
    gold: pd.DataFrame | None = None
    """The votes on gold pairs, as from `gold_votes`."""

    @cached_property
    def answers(self) -> pd.DataFrame:
        """As `latest_answers` gives them."""
        return latest_answers(self.assignments, self.ratings)


@dataclass(frozen=True, kw_only=True)
class CampaignProgress:
    """How a campaign is doing; each field is what the function of this module says that makes it.

    Without votes, `agreement` is None and nothing can be suspicious or drift.
    """

    agreement: dict[str, Any] | None
    minutes: float
    end: pd.Timestamp | None
    people: list[dict[str, Any]]
    levels: list[dict[str, Any]]
    suspicious: list[dict[str, str]]
    one_sided: list[str]
    drift: list[dict[str, Any]]
    days: pd.DataFrame
    saved: dict[str, int] | None


def describe(collected: Collected, rule: MeasureRule, n_open: int, now: pd.Timestamp) -> CampaignProgress:
    """How the campaign is doing at `now`, while `n_open` answers are still open."""
    ratings = collected.ratings
    measures = {} if collected.measures is None else _over_all_rounds(collected.measures)
    rows, n_answers, plan = people(collected, measures), collected.n_answers, collected.plan
    finished = find_finished(plan, collected.ballots, rule, collected.gold, collected.copies)
    agreed = agreement_so_far(collected.ballots, rule) if n_answers else None
    if agreed and plan is not None and plan["allocate"] == CERTAIN:
        agreed["complete"] = len(finished)
    return CampaignProgress(
        agreement=agreed,
        minutes=seconds_spent(ratings, rule.idle_seconds) / 60,
        end=end(ratings, n_open, now),
        people=rows,
        levels=levels(rows, collected.annotators),
        suspicious=suspicious(collected, measures),
        one_sided=[] if collected.measures is None else one_sided(collected.measures),
        drift=drift(collected.answers, rule) if n_answers else [],
        days=pace_of_days(ratings),
        saved=saved(plan, finished),
    )


def _over_all_rounds(measures: pd.DataFrame) -> dict[tuple[str, str], float | None]:
    """(Annotator, measure) -> value over all rounds; None where it says nothing."""
    rows = measures[measures["round"] == ALL_ROUNDS]
    rows = rows.assign(value=rows["value"].where(~_is_one_sided(rows)))
    keys = zip(rows["annotator"].astype("str"), rows["measure"], strict=True)
    return {key: None if pd.isna(value) else float(value) for key, value in zip(keys, rows["value"], strict=True)}


def _is_one_sided(measures: pd.DataFrame) -> "pd.Series[bool]":
    return measures["reason"].eq(ONE_SIDED).fillna(value=False)


def one_sided(measures: pd.DataFrame) -> list[str]:
    """The annotators whose kappa with the others says nothing, over all rounds, with what they share with these."""
    rows = measures[_is_one_sided(measures) & (measures["measure"] == "kappa_left_out")]
    rows = rows[(rows["round"] == ALL_ROUNDS) & (rows["annotator"] != EVERYBODY)].sort_values("annotator")
    return [f"{row['annotator']} ({row['detail']})" for row in rows.to_dict("records")]


def count_items(assignments: pd.DataFrame) -> str:
    """How many pairs people were given to label, and how many more to check them, as in `37 pairs and 1 gold item`."""
    by_kind = assignments.drop_duplicates(["kind", "pair_id"])
    pairs = set(by_kind.loc[~by_kind["kind"].isin(["gold", "trap"]), "pair_id"])
    checks = by_kind[by_kind["kind"].isin(["gold", "trap"]) & ~by_kind["pair_id"].isin(pairs)]
    counts = checks["kind"].value_counts().sort_index().items()
    return " and ".join([quantity(len(pairs), "pair"), *(quantity(n, f"{kind} item") for kind, n in counts)])


def agreement_so_far(ballots: pd.DataFrame, rule: VoteRule) -> dict[str, Any]:
    """Votes that count: `pairs`, `complete` (nothing open), of these `agreed` (unanimous), Fleiss' kappa, alpha.

    And before any was replaced: `answers` (on pairs with several), how many of them were `replaced` later, and Fleiss'
    kappa `fleiss_at_first`.
    """
    ballots = _numbered(ballots)
    counted = counting(ballots)
    table, ids = _count_votes(counted, rule)
    first, _ = _count_votes(counting(asked_at_first(ballots)), rule)
    given = given_at_first(ballots)
    several = given[given.duplicated("pair_id", keep=False)]
    unfinished = set(counted.loc[counted["state"].isin(["open", "skipped"]), "pair_id"])
    complete = ~pd.Series(ids, dtype="object").isin(unfinished).to_numpy(bool)
    unanimous = (table.min(axis=1) == 0) & (table.sum(axis=1) > 1) if len(ids) else complete
    return {
        "pairs": int(ballots["pair_id"].nunique()),
        "complete": int(complete.sum()),
        "agreed": int((complete & unanimous).sum()),
        "fleiss": agreement.fleiss_value(first),
        "alpha": agreement.krippendorff_alpha(first).value,
        "answers": len(several),
        "replaced": int(several["replaced_in"].notna().sum()),
        "fleiss_at_first": agreement.fleiss_value(_count_votes(given, rule)[0]),
    }


def agreement_by_round(ballots: pd.DataFrame, rule: VoteRule) -> list[dict[str, Any]]:
    """Of each round's end: `round`, its `ratings`, Fleiss' kappa `fleiss` of the votes that count by then, `observed`.

    `observed` is the share of two votes on a pair that are the same, of the pairs that kappa is of; kappa says nothing
    where nearly all votes are one and the same. Further votes, asked where the first disagree, are left out.
    """
    ballots = _numbered(ballots)
    first, rows = asked_at_first(ballots), []
    for number in sorted(ballots["round"].unique()):
        table, _ = _count_votes(counting(first, int(number)), rule)
        sizes = table.sum(axis=1)
        several = np.bincount(sizes[sizes > 1], minlength=2)
        used = table[sizes == several.argmax()] if several.sum() else table[:0]
        raters = int(several.argmax())
        same = (used * (used - 1)).sum(axis=1) / (raters * (raters - 1)) if len(used) else np.empty(0)
        own = ballots[(ballots["round"] == number) & (ballots["state"] == "scored")]
        observed = float(same.mean()) if len(same) else None
        kappa = agreement.fleiss_value(table)
        rows.append({"round": int(number), "ratings": len(own), "fleiss": kappa, "observed": observed})
    return rows


def _count_votes(ballots: pd.DataFrame, rule: VoteRule) -> tuple[agreement.Integers, pd.Index]:
    """The votes against and for each pair, and the pairs."""
    scored = ballots[ballots["state"] == "scored"]
    pairs, ids = pd.factorize(scored["pair_id"], sort=True)
    votes = (scored["score"].to_numpy("int64") >= rule.lowest_yes).astype("int64")
    return agreement.counts(pairs.astype("int64"), votes, 2), ids


def _numbered(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots with their pairs as categories, in order: numbers, where ids would be compared as texts."""
    return ballots.assign(pair_id=pd.Categorical(ballots["pair_id"].astype("object")))


def saved(plan: "Mapping[Any, Any] | pd.Series[Any] | None", finished: "pd.Series[int]") -> dict[str, int] | None:
    """The number of finished `pairs`, their `ratings`, and how many a `fixed` plan takes for them.

    `plan`: the campaign's row of `campaigns`. `finished`: as from `find_finished`. None where all raters are asked
    anyway, or no pair is finished yet.
    """
    n = len(finished)
    if plan is None or plan["allocate"] == FIXED or not n:
        return None
    return {"pairs": n, "ratings": int(finished.sum()), "fixed": n * int(plan["labels_per_pair"])}


def pace_of_days(ratings: pd.DataFrame) -> pd.DataFrame:
    """The number of first answers by day (UTC), skips apart: day, n, total so far."""
    first = ratings[~is_skip(ratings)].sort_values("submitted_at").drop_duplicates("assignment_id")
    days = _instants(first["submitted_at"]).dt.floor("D").value_counts().sort_index()
    return pd.DataFrame({"day": days.index, "n": days.to_numpy("int64"), "total": days.cumsum().to_numpy("int64")})


def _instants(times: "pd.Series[Any]") -> "pd.Series[pd.Timestamp]":
    """The times as pandas' own, by whole columns: `astype` goes through Arrow's one by one."""
    found: pd.Series[pd.Timestamp] = pa.array(times, from_pandas=True).cast(pa.timestamp("us", "UTC")).to_pandas()
    return found.set_axis(times.index)


def end(ratings: pd.DataFrame, n_open: int, now: pd.Timestamp) -> pd.Timestamp | None:
    """When the last of `n_open` will be done at the speed of the last RECENT_DAYS days; None without answers in these.

    A campaign younger than that is timed from its first answer.
    """
    if n_open == 0:
        return now
    times = _instants(ratings["submitted_at"])
    recent = times[times > now - pd.Timedelta(days=RECENT_DAYS)]
    if recent.empty:
        return None
    span = min(now - times.min(), pd.Timedelta(days=RECENT_DAYS))
    return now + n_open / len(recent) * max(span, pd.Timedelta(hours=1))


def latest_answers(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """The latest rating of each of these assignments, with its annotator, pair_id and kind."""
    return latest(ratings).merge(assignments[["assignment_id", "annotator", "pair_id", "kind"]], on="assignment_id")


def people(collected: Collected, measures: Mapping[tuple[str, str], float | None]) -> list[dict[str, Any]]:
    """One row per annotator: annotator, done, planned, seconds (median), kappa (left out); null where not known."""
    assignments, answers = collected.assignments, collected.answers
    answers = answers[~is_skip(answers)]
    done, seconds = answers["annotator"].value_counts(), answers.groupby("annotator")["seconds"].median()
    planned = held(assignments, collected.ratings)
    return [
        {
            "annotator": str(name),
            "done": int(done.get(name, 0)),
            "planned": int(n),
            "seconds": seconds.get(name),
            "kappa": measures.get((str(name), "kappa_left_out")),
        }
        for name, n in planned["annotator"].value_counts().sort_index().items()
    ]


def levels(rows: list[dict[str, Any]], annotators: pd.DataFrame) -> list[dict[str, Any]]:
    """One row per level, by name: level, people, done, seconds and kappa (means over these); none without levels.

    `rows`: of `people`. `annotators`: annotator, level; those without one are left out.
    """
    known = annotators.dropna(subset=["level"]).set_index("annotator")["level"]
    frame = pd.DataFrame(rows, columns=["annotator", "done", "seconds", "kappa"])
    frame = frame.astype({"seconds": "Float64", "kappa": "Float64"}).assign(level=frame["annotator"].map(known))
    parts = frame.dropna(subset=["level"]).groupby("level")
    summary = parts.agg(
        people=("annotator", "size"), done=("done", "sum"), seconds=("seconds", "mean"), kappa=("kappa", "mean")
    )
    return [{str(name): value for name, value in row.items()} for row in summary.reset_index().to_dict("records")]


def suspicious(collected: Collected, measures: Mapping[tuple[str, str], float | None]) -> list[dict[str, str]]:
    """What a lead should look at, as annotator and what; nothing without verdicts."""
    verdicts, n_answers = collected.verdicts, collected.n_answers
    if verdicts is None or n_answers is None:
        return []
    findings = [
        {"annotator": str(row["annotator"]), "what": f"{', '.join(row['reasons'])} (skill {row['skill']:z.2f})"}
        for row in verdicts[verdicts["verdict"] == CARELESS].to_dict("records")
    ]
    findings += [{"annotator": who, "what": what} for who, what in collected.couples]
    for name, rows in collected.answers.groupby("annotator"):
        findings += [{"annotator": str(name), "what": what} for what in _habits(str(name), rows, measures, n_answers)]
    return sorted(findings, key=lambda finding: finding["annotator"])


def longest_run(n_answers: int) -> int:
    """From how many times the same answer in a row an annotator is suspicious."""
    return 1 + math.ceil(math.log(RUN_CHANCE) / -math.log(n_answers) - 1e-9)


def _habits(
    name: str, rows: pd.DataFrame, measures: Mapping[tuple[str, str], float | None], n_answers: int
) -> Iterator[str]:
    fast = measures.get((name, "fast_share"))
    if fast is not None and pd.notna(fast) and fast >= FAST_SHARE:
        yield f"{fast:.0%} of ratings made faster than the texts can be read"
    scores = rows.sort_values("submitted_at")["score"].dropna().astype("int64")
    runs = scores.groupby((scores != scores.shift()).cumsum()).size()
    if len(runs) and runs.max() >= longest_run(n_answers):
        yield f"the same score {runs.max()} times in a row"
    skipped = is_skip(rows).mean()
    if skipped >= SKIPPED_SHARE:
        yield f"{skipped:.0%} of pairs skipped"
    gold = measures.get((name, "gold_accuracy"))
    everybody = measures.get((EVERYBODY, "gold_accuracy"))
    if gold is not None and everybody is not None and gold < everybody - GOLD_MARGIN:
        yield f"gold accuracy {gold:.2f}, everybody's {everybody:.2f}"


def drift(answers: pd.DataFrame, rule: VoteRule) -> list[dict[str, Any]]:
    """What changed with each new version of the guide, for everybody and each annotator who rated by both versions.

    Fields: before, after (versions), annotator, n_before, n_after, yes_before, yes_after (shares of votes for
    "paraphrase"), low and high (95 % limits of their difference, Newcombe 1998), agree_before and agree_after (shares
    of votes with the majority of the others; null where that is never decided).
    """
    counted = answers["kind"].isin(["work", "pilot"]) & answers["score"].notna() & answers["guide_version"].notna()
    rows = answers[counted]
    rows = rows.assign(vote=(rows["score"] >= rule.lowest_yes).astype("int64")).reset_index(drop=True)
    pairs = np.asarray(pd.factorize(rows["pair_id"])[0], dtype=np.int64)
    majority, clear = agreement.consensus(agreement.others(pairs, rows["vote"].to_numpy("int64"), 2))
    rows["agree"] = pd.Series(majority == rows["vote"].to_numpy("int64"), dtype="Float64").where(pd.Series(clear))
    order = rows.groupby("guide_version")["submitted_at"].min().sort_values().index.tolist()
    return [row for before, after in pairwise(order) for row in _changes(rows, str(before), str(after))]


def _changes(rows: pd.DataFrame, before: str, after: str) -> Iterator[dict[str, Any]]:
    parts = {version: rows[rows["guide_version"] == version] for version in (before, after)}
    both = sorted(set(parts[before]["annotator"]) & set(parts[after]["annotator"]))
    for name in [EVERYBODY, *both]:
        first, second = (part if name == EVERYBODY else part[part["annotator"] == name] for part in parts.values())
        counts = [(int(part["vote"].sum()), len(part)) for part in (second, first)]
        low, high = intervals.share_difference(*counts)
        yield {
            "before": before, "after": after, "annotator": str(name), "n_before": len(first), "n_after": len(second),
            "yes_before": float(first["vote"].mean()), "yes_after": float(second["vote"].mean()),
            "low": low, "high": high,
            "agree_before": _share(first["agree"]), "agree_after": _share(second["agree"]),
        }  # fmt: skip


def _share(values: "pd.Series[float]") -> float | None:
    known = values.dropna()
    return float(known.mean()) if len(known) else None
