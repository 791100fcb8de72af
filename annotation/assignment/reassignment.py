"""Whose ratings are replaced, and who replaces them; pure. Source: He et al. 2020, section 4.3.

Annotators are judged by the first round alone, and a rating that has been replaced is not replaced again, so a second
run finds nothing to do.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annotation.assignment import design
from annotation.config import ReassignRule
from annotation.quality.verdict import ONE_SIDED_REASON
from data.contract.vocabulary import CAREFUL, CARELESS, EVERYBODY, ONE_SIDED, VOTING
from data.measures.ballots import counting

FIRST_ROUND = 1
"""The round by which annotators are judged: the one that `plan` makes."""

NOBODY_QUALIFIES = "none_qualifies"
ALL_HAVE_SEEN_IT = "all_have_seen_it"
QUOTAS_USED_UP = "quotas_used_up"


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Annotators ranked by a measure (kappa or skill): `low` ones are replaced, by the `best`, best first."""

    low: tuple[str, ...]
    best: tuple[str, ...]
    measures: "pd.Series[float]"
    """The measure of each annotator for whom it says something, by name."""
    one_sided: "pd.Series[str]"
    """Why others cannot be judged, by name."""


def rank(quality: pd.DataFrame, active: set[str], rule: ReassignRule) -> Ranking:
    """The ranking by the measure `kappa` of the first round; an annotator without one is neither low nor among the
    best.

    Nor is anybody whose answers are too one-sided for a kappa. Only active annotators can be among the best; ties are
    broken by name.
    """
    rows = quality[(quality["round"] == FIRST_ROUND) & (quality["measure"] == "kappa")]
    rows = rows[rows["annotator"] != EVERYBODY].sort_values("annotator")
    one_sided = rows[rows["reason"].eq(ONE_SIDED).fillna(value=False)]
    rows = rows[rows["value"].notna() & ~rows.index.isin(one_sided.index)]
    kappas = pd.Series(rows["value"].to_numpy("float64"), index=rows["annotator"].to_numpy(object)).sort_index()
    good = kappas[(kappas > rule.high_kappa) & kappas.index.isin(sorted(active))]
    best = good.sort_values(ascending=False, kind="stable").index[: rule.best]
    reasons = f"{ONE_SIDED}: " + one_sided.set_index("annotator")["detail"].astype(object)
    low = tuple(kappas.index[kappas < rule.low_kappa])
    return Ranking(low=low, best=tuple(best), measures=kappas, one_sided=reasons)


def rank_by_verdict(verdicts: pd.DataFrame, active: set[str], rule: ReassignRule) -> Ranking:
    """The ranking by verdicts (`verdict.judge`): the careless are low, the most skilled careful and active are best."""
    skills = pd.Series(verdicts["skill"].to_numpy("float64"), index=verdicts["annotator"].to_numpy(object))
    verdict = verdicts.set_index("annotator")["verdict"]
    careful = skills[(verdict == CAREFUL).to_numpy(bool) & skills.index.isin(sorted(active))]
    best = careful.sort_index().sort_values(ascending=False, kind="stable").index[: rule.best]
    low = tuple(skills.index[(verdict == CARELESS).to_numpy(bool)])
    is_one_sided = verdicts["reasons"].map(lambda reasons: ONE_SIDED_REASON in reasons).to_numpy(bool)
    reasons = pd.Series(ONE_SIDED, index=skills.index[is_one_sided], dtype="object")
    return Ranking(low=low, best=tuple(best), measures=skills, one_sided=reasons)


def low_ratings(ballots: pd.DataFrame, low: tuple[str, ...], rule: ReassignRule) -> pd.DataFrame:
    """The first-round ratings (scores and flags) of low annotators that still count and are to be replaced, by id.

    With `of-two-low`, only the ratings of pairs that at least two low annotators rated, replaced or not.
    """
    first = ballots[(ballots["round"] == FIRST_ROUND) & ballots["state"].isin(["scored", "flagged"])]
    theirs = first[first["annotator"].isin(low)]
    if rule.relabel == "of-two-low":
        theirs = theirs[theirs.groupby("pair_id")["annotator"].transform("nunique") >= 2]
    return counting(theirs).sort_values("assignment_id", ignore_index=True)


def call_further(
    ballots: pd.DataFrame, seen: pd.DataFrame, room: "pd.Series[float]", labels_per_pair: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A further rater for each pair with one flag among its ratings: assignments and rejects as from `replace`.

    The flag stays; a second one rejects the pair. A pair that waits for another rating, or has all its scores, gets no
    further rater, so a second run finds nothing to do.
    """
    counts = pd.crosstab(ballots["pair_id"], ballots["state"]).reindex(
        columns=["scored", "flagged", "open"], fill_value=0
    )
    wanting = counts[(counts["flagged"] == 1) & (counts["open"] == 0) & (counts["scored"] < labels_per_pair)]
    flags = ballots[(ballots["state"] == "flagged") & ballots["pair_id"].isin(wanting.index)]
    new, rejects = replace(flags.reset_index(drop=True), seen, room, seed)
    return new.assign(supersedes=None), rejects


def call_on_doubt(
    chances: "pd.Series[float]", seen: pd.DataFrame, room: "pd.Series[float]", budget: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A further rater for each of the `budget` least certain pairs: assignments and rejects as from `replace`.

    `chances`: that a pair is a paraphrase, by pair_id. Further ratings asked for earlier (`seen`: rows of later rounds
    that supersede nothing) count towards the budget, so a second run finds it spent. Rejects are pairs.
    """
    later = seen[(seen["round"] > FIRST_ROUND) & seen["supersedes"].isna() & seen["kind"].isin(VOTING)]
    doubt = (chances - 0.5).abs().drop(later["pair_id"], errors="ignore").sort_index()
    pairs = doubt.sort_values(kind="stable").index[: max(budget - len(later), 0)].to_numpy(object)
    new, rejects = replace(pd.DataFrame({"assignment_id": pairs, "pair_id": pairs}, dtype="object"), seen, room, seed)
    return new.assign(supersedes=None), rejects


def replace(
    ratings: pd.DataFrame, seen: pd.DataFrame, room: "pd.Series[float]", seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """New assignments that replace these ratings, and the ratings that no annotator can replace.

    `ratings`: assignment_id, pair_id. `seen`: pair_id, annotator of all earlier assignments. `room`: how many more
    labels each of the best takes (by annotator; inf for no limit). New: pair_id, annotator, supersedes, position,
    flipped; no annotator gets a pair seen before, and each goes to the least loaded. Rejects: id, reason, detail.
    """
    random = np.random.default_rng([seed, 3])
    known = seen[seen["annotator"].isin(room.index)].groupby("pair_id")["annotator"].agg(set).to_dict()
    replaced = ratings.groupby("pair_id")["assignment_id"].agg(list)
    able = {pair: [name for name in room.index if name not in known.get(pair, ())] for pair in replaced.index}
    chosen = _distribute(replaced, able, room, random)
    new = pd.DataFrame(_supersede(replaced, chosen), columns=["pair_id", "annotator", "supersedes"])
    left = ratings[~ratings["assignment_id"].isin(new["supersedes"])]
    reasons = [_reason(able[pair], chosen[pair], room) for pair in left["pair_id"]]
    details = [f"pair {pair}" for pair in left["pair_id"]]
    rejects = pd.DataFrame({"id": left["assignment_id"].to_numpy(object), "reason": reasons, "detail": details})
    return design.order(new, random), rejects


def _distribute(
    replaced: "pd.Series[list[str]]",
    able: dict[str, list[str]],
    room: "pd.Series[float]",
    random: np.random.Generator,
) -> dict[str, list[str]]:
    """The annotators who get each pair: those with the least new work, the pairs with the least choice first.

    `able`: by pair, who may get it. A loop, since each choice depends on the loads left by the earlier ones.
    """
    loads = dict.fromkeys(room.index, 0)
    shuffled = random.permutation(np.array(replaced.index, dtype=object))
    chosen: dict[str, list[str]] = {}
    for pair in sorted(shuffled, key=lambda pair: len(able[pair])):
        free = [name for name in able[pair] if loads[name] < room[name]]
        chosen[pair] = sorted(free, key=lambda name: loads[name])[: len(replaced[pair])]
        for name in chosen[pair]:
            loads[name] += 1
    return chosen


def _supersede(replaced: "pd.Series[list[str]]", chosen: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Pair, annotator and the rating that is replaced, as far as there are annotators."""
    for pair, ratings in replaced.items():
        for annotator, rating in zip(chosen[str(pair)], ratings, strict=False):
            yield str(pair), annotator, rating


def _reason(able: list[str], chosen: list[str], room: "pd.Series[float]") -> str:
    if room.empty:
        return NOBODY_QUALIFIES
    return ALL_HAVE_SEEN_IT if len(able) == len(chosen) else QUOTAS_USED_UP
