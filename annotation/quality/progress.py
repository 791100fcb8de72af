"""How a campaign stands: progress, agreement, speed, its end, what looks suspicious, what a guide changed; pure.

Everything by pseudonym. Of the ratings that were collected; times longer than the idle limit are cut off.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import confint_proportions_2indep

from annotation.config import HabitRule, VoteRule
from annotation.ratings import agreement
from annotation.ratings.ballots import latest, standing
from data.vocabulary import EVERYBODY

RECENT_DAYS = 7
"""The days that the end is forecast from."""

FAST_SHARE = 0.2
"""From this share of ratings faster than the texts can be read, the speed is suspicious."""

RUN = 15
"""As many times the same score in a row are suspicious: at four scores used evenly once in 10^8."""

SKIPPED_SHARE = 0.2


def agreement_so_far(ballots: pd.DataFrame, rule: VoteRule) -> dict[str, Any]:
    """Of the standing votes: `complete` pairs (nothing open), of these `agreed` (unanimous), Fleiss' kappa, alpha."""
    counted = standing(ballots)
    scored = counted[counted["state"] == "scored"]
    votes = (scored["score"].to_numpy("int64") >= rule.paraphrase_from).astype("int64")
    pairs, ids = pd.factorize(scored["pair_id"], sort=True)
    table = agreement.counts(pairs.astype("int64"), votes, 2)
    open_ = set(counted.loc[counted["state"].isin(["open", "skipped"]), "pair_id"])
    complete = np.array([one not in open_ for one in ids], dtype=bool)
    unanimous = (table.min(axis=1) == 0) & (table.sum(axis=1) > 1) if len(ids) else complete
    return {
        "complete": int(complete.sum()),
        "agreed": int((complete & unanimous).sum()),
        "fleiss": agreement.fleiss_kappa(table).value,
        "alpha": agreement.krippendorff_alpha(table).value,
    }


def minutes_spent(ratings: pd.DataFrame, rule: HabitRule) -> float:
    """Of all ratings together, each up to the idle limit."""
    return float(ratings["seconds"].astype("Float64").fillna(0).clip(upper=rule.idle_seconds).sum() / 60)


def pace_of_days(ratings: pd.DataFrame) -> pd.DataFrame:
    """The first answers by day (UTC): day, n, total so far."""
    first = ratings.sort_values("submitted_at").drop_duplicates("assignment_id")
    days = pd.to_datetime(first["submitted_at"], utc=True).dt.floor("D").value_counts().sort_index()
    return pd.DataFrame({"day": days.index, "n": days.to_numpy("int64"), "total": days.cumsum().to_numpy("int64")})


def end(ratings: pd.DataFrame, n_open: int, now: pd.Timestamp) -> pd.Timestamp | None:
    """When the last of `n_open` is done at the speed of the last RECENT_DAYS days; None without answers in these.

    A campaign of less than a day counts by the hours since its first answer.
    """
    if n_open == 0:
        return now
    times = pd.to_datetime(ratings["submitted_at"], utc=True)
    recent = times[times > now - pd.Timedelta(days=RECENT_DAYS)]
    if recent.empty:
        return None
    span = min(now - times.min(), pd.Timedelta(days=RECENT_DAYS))
    return now + n_open / len(recent) * max(span, pd.Timedelta(hours=1))


def people(
    assignments: pd.DataFrame, ratings: pd.DataFrame, measures: Mapping[tuple[str, str], float | None]
) -> list[dict[str, Any]]:
    """A row an annotator: annotator, done, planned, seconds (median), kappa (left out); null where not known."""
    said = latest(ratings).merge(assignments[["assignment_id", "annotator"]], on="assignment_id")
    done, seconds = said["annotator"].value_counts(), said.groupby("annotator")["seconds"].median()
    over = set(assignments["supersedes"].dropna()) - set(said["assignment_id"])
    planned = assignments[~assignments["assignment_id"].isin(sorted(over))]
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
    """A row a level, by name: level, people, done, seconds and kappa (means of the people's); none without levels.

    `rows`: of `people`. `annotators`: annotator, level; who has none is left out.
    """
    known = annotators.dropna(subset=["level"]).set_index("annotator")["level"]
    frame = pd.DataFrame(rows, columns=["annotator", "done", "seconds", "kappa"])
    frame = frame.astype({"seconds": "Float64", "kappa": "Float64"}).assign(level=frame["annotator"].map(known))
    parts = frame.dropna(subset=["level"]).groupby("level")
    found = parts.agg(
        people=("annotator", "size"), done=("done", "sum"), seconds=("seconds", "mean"), kappa=("kappa", "mean")
    )
    return [{str(name): value for name, value in row.items()} for row in found.reset_index().to_dict("records")]


def suspicious(
    assignments: pd.DataFrame,
    ratings: pd.DataFrame,
    verdicts: pd.DataFrame,
    measures: Mapping[tuple[str, str], float | None],
) -> list[dict[str, str]]:
    """What a lead should look at: annotator and what. `verdicts`: annotator, verdict, reasons, skill."""
    said = latest(ratings).merge(assignments[["assignment_id", "annotator"]], on="assignment_id")
    found = [
        {"annotator": str(one["annotator"]), "what": f"{', '.join(one['reasons'])} (skill {one['skill']:z.2f})"}
        for one in verdicts[verdicts["verdict"] == "careless"].to_dict("records")
    ]
    for name, rows in said.groupby("annotator"):
        found += [{"annotator": str(name), "what": what} for what in _habits(str(name), rows, measures)]
    return sorted(found, key=lambda one: one["annotator"])


def _habits(name: str, rows: pd.DataFrame, measures: Mapping[tuple[str, str], float | None]) -> Iterator[str]:
    fast = measures.get((name, "fast_share"))
    if fast is not None and pd.notna(fast) and fast >= FAST_SHARE:
        yield f"{fast:.0%} of the ratings faster than the texts can be read"
    scores = rows.sort_values("submitted_at")["score"].dropna().astype("int64")
    runs = scores.groupby((scores != scores.shift()).cumsum()).size()
    if len(runs) and runs.max() >= RUN:
        yield f"{runs.max()} times the same score in a row"
    skipped = rows["skipped"].fillna(False).astype("bool").mean()
    if skipped >= SKIPPED_SHARE:
        yield f"{skipped:.0%} of the pairs skipped"
    gold = measures.get((name, "gold_accuracy"))
    everybody = measures.get((EVERYBODY, "gold_accuracy"))
    if gold is not None and everybody is not None and gold < everybody - 0.2:
        yield f"gold accuracy {gold:.2f}, of everybody {everybody:.2f}"


def drift(assignments: pd.DataFrame, ratings: pd.DataFrame, rule: VoteRule) -> list[dict[str, Any]]:
    """What changed with each new version of the guide, of everybody and of each annotator who rated by both.

    before, after (versions), annotator, n_before, n_after, yes_before, yes_after (shares of votes for "paraphrase"),
    low and high (95 % limits of their difference, Newcombe 1998), agree_before and agree_after (shares of votes with
    the majority of the others; null where that is never decided).
    """
    said = latest(ratings).merge(assignments[["assignment_id", "annotator", "pair_id", "kind"]], on="assignment_id")
    said = said[said["score"].notna() & said["guide_version"].notna() & said["kind"].isin(["work", "pilot"])]
    said = said.assign(vote=(said["score"] >= rule.paraphrase_from).astype("int64")).reset_index(drop=True)
    pairs = np.asarray(pd.factorize(said["pair_id"])[0], dtype=np.int64)
    majority, clear = agreement.consensus(agreement.others(pairs, said["vote"].to_numpy("int64"), 2))
    said["agree"] = pd.Series(majority == said["vote"].to_numpy("int64"), dtype="Float64").where(pd.Series(clear))
    order = said.groupby("guide_version")["submitted_at"].min().sort_values().index.tolist()
    found = []
    for before, after in pairwise(order):
        found += list(_changes(said, str(before), str(after)))
    return found


def _changes(said: pd.DataFrame, before: str, after: str) -> Iterator[dict[str, Any]]:
    parts = {version: said[said["guide_version"] == version] for version in (before, after)}
    both = sorted(set(parts[before]["annotator"]) & set(parts[after]["annotator"]))
    for name in [EVERYBODY, *both]:
        first, second = (part if name == EVERYBODY else part[part["annotator"] == name] for part in parts.values())
        low, high = confint_proportions_2indep(
            second["vote"].sum(), len(second), first["vote"].sum(), len(first), compare="diff", method="newcomb"
        )
        yield {
            "before": before, "after": after, "annotator": str(name), "n_before": len(first), "n_after": len(second),
            "yes_before": float(first["vote"].mean()), "yes_after": float(second["vote"].mean()),
            "low": float(low), "high": float(high),
            "agree_before": _share(first["agree"]), "agree_after": _share(second["agree"]),
        }  # fmt: skip


def _share(values: "pd.Series[float]") -> float | None:
    known = values.dropna()
    return float(known.mean()) if len(known) else None
