"""The ratings of a campaign: which are its answers, which assignments are open or void, and which votes count.

A *ballot* is an assignment with its latest rating. Ballots that a later assignment supersedes, or that have no rating
when their round ends, stay in the table but leave the vote. They are read from a campaign's own tables or from the
ratings of a release, and are the same.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from data.contract.questions import Control, Question
from data.contract.tables.campaign import Answers, Ratings
from data.contract.vocabulary import IDLE_SECONDS, INFORMED, SINGLE, SPLIT, UNANIMOUS, UNKNOWN, VOTING
from data.measures.rules import VoteRule
from data.storage.store import Store

Couples = Sequence[Sequence[str]]
"""Two annotators each who have one vote."""

ASKED = ["assignment_id", "round", "pair_id", "annotator", "kind", "random"]
SAID = ["submitted_at", "score", "seconds"]
OF_RELEASE = ["pair_id", "annotator", "round", "kind"]
"""What tells the assignments of a release apart, which has no ids of them."""


def latest(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment by time of submission; earlier ones are its history."""
    return ratings.sort_values("submitted_at").drop_duplicates("assignment_id", keep="last")


def given(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment where it is a score or a flag, not a skip."""
    last = latest(ratings)
    return last[~is_skip(last)]


def is_skip(ratings: pd.DataFrame) -> "pd.Series[bool]":
    """Which of the ratings leave their pair without an answer."""
    return ratings["skipped"].fillna(False).astype("bool")


def seconds_spent(ratings: pd.DataFrame, idle_seconds: float = IDLE_SECONDS) -> float:
    """The seconds of all ratings together, each up to the idle limit."""
    return float(ratings["seconds"].astype("Float64").fillna(0).clip(upper=idle_seconds).sum())


def closing_rounds(assignments: pd.DataFrame, answered: Collection[str]) -> NDArray[np.int64]:
    """The rounds, in order, that end those before: they replace ratings, or move their annotators' own open work.

    The annotators of rounds before have been judged, or another guide applies since. `answered`: the assignments whose
    latest rating scores or flags the pair.
    """
    owners = assignments[["assignment_id", "annotator"]]
    both = assignments.merge(owners, left_on="supersedes", right_on="assignment_id", suffixes=("", "_before"))
    closes = both["supersedes"].isin(answered) | (both["annotator"] == both["annotator_before"])
    rounds: NDArray[np.int64] = np.unique(both.loc[closes.astype("bool"), "round"].to_numpy("int64"))
    return rounds


def find_void(assignments: pd.DataFrame, ratings: pd.DataFrame) -> "pd.Series[int]":
    """The assignments that no one rated before their round was over, by id, with the round that ended it."""
    closing = closing_rounds(assignments, given(ratings)["assignment_id"])
    open_ = assignments[~assignments["assignment_id"].isin(ratings["assignment_id"])]
    places = np.searchsorted(closing, open_["round"].to_numpy("int64"), side="right")
    is_over = places < len(closing)
    ids = open_.loc[is_over, "assignment_id"].to_numpy(object)
    return pd.Series(closing[places[is_over]], index=ids, dtype="int64")


def held(assignments: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """The assignments that are answered or open: not those that others took over unanswered, nor void ones."""
    taken_over = assignments["supersedes"].dropna()
    taken_over = taken_over[~taken_over.isin(given(ratings)["assignment_id"])]
    return assignments[~assignments["assignment_id"].isin([*taken_over, *find_void(assignments, ratings).index])]


def drawn_by(pairs: pd.DataFrame) -> "pd.Series[str]":
    """The group that each pair is drawn with for an interval of agreement: its first entity, or itself without any."""
    entity, pair_ids = pairs["entity"].astype("str"), pairs["pair_id"].astype("str")
    return entity.where(entity.notna() & (entity != ""), pair_ids)


def of_campaign(
    assignments: pd.DataFrame, ratings: pd.DataFrame, entities: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """One row per assignment of any kind, sorted by id, with its latest rating.

    Columns: ASKED (with `random`, whether it is one of the ratings that each pair of the random part gets) and SAID;
    `replaced_in` (the first round with an assignment that supersedes this one, or that closed its round before it was
    rated; null if none); `further` (whether it was
    asked only because of what the pair's first ratings say); `group` (what is drawn for intervals: the pair's entity,
    by pair_id in `entities`, or the pair itself); `state`. `score` (Int64) is null unless
    the state is `scored`. States: `scored`; `flagged` (a flag in place of a score); `skipped`; `open` (no rating yet).
    """
    asked = assignments[ASKED].astype({"round": "int64"}).sort_values("assignment_id", ignore_index=True)
    asked["replaced_in"] = asked["assignment_id"].map(_replacements(assignments, ratings)).astype("Int64")
    asked["further"] = _find_further(asked)
    asked["group"] = drawn_by(asked[["pair_id"]].assign(entity=asked["pair_id"].map(dict(entities or {}))))
    last = latest(ratings).set_index("assignment_id").reindex(asked["assignment_id"]).reset_index(drop=True)
    return _with_states(asked.assign(submitted_at=last["submitted_at"], seconds=last["seconds"]), last)


def of_release(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ballots that have a rating, from the table `ratings` of a release: its columns, `group` and `state`.

    The last rating of each assignment by time of submission is the one that counts.
    """
    last = ratings.sort_values("submitted_at", kind="stable").drop_duplicates(OF_RELEASE, keep="last")
    last = last.astype({"round": "int64", "further": "bool", "random": "bool"}).reset_index(drop=True)
    return _with_states(last.assign(group=drawn_by(last), replaced_in=last["replaced_in"].astype("Int64")), last)


def _with_states(ballots: pd.DataFrame, last: pd.DataFrame) -> pd.DataFrame:
    state = _states(last)
    return ballots.assign(state=state, score=last["score"].astype("Int64").where(state == "scored"))


def voting(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots of work, whose ratings vote."""
    return ballots[ballots["kind"].isin(VOTING)].reset_index(drop=True)


def with_latest_rating(
    assignments: pd.DataFrame, ratings: pd.DataFrame, entities: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The ballots of a campaign that vote (see `of_campaign`)."""
    return voting(of_campaign(assignments, ratings, entities))


def read_ratings(store: Store, asked: pd.DataFrame, question: Question, control: Control | None) -> pd.DataFrame:
    """All ratings of these assignments of a campaign, earlier answers to the same one included.

    `score` is the number of the answer to the control (`Control.codes`), of which one is given; None: 0 says that any
    control was answered. The ratings of a question that is a single scale have their scores.
    """
    rows = store.read(Ratings)
    rows = rows[rows["assignment_id"].isin(asked["assignment_id"])]
    if question.scale:
        return rows
    key = ["assignment_id", "submitted_at"]
    answers = store.read(Answers)
    answers = answers[answers["assignment_id"].isin(asked["assignment_id"])]
    own = answers[answers["control"] == control.name] if control else answers.drop_duplicates(key)
    codes = [control.codes[chosen[0]] if control else 0 for chosen in own["chosen"]]
    scores = own[key].assign(score=codes).astype({"score": pd.ArrowDtype(pa.int64())})
    return rows.drop(columns="score").merge(scores, on=key, how="left")[list(rows)]


def with_votes(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """The scored ballots with a column `vote`: 1 for a positive answer."""
    return ballots.assign(vote=(ballots["score"] >= rule.lowest_yes).astype("int64"))


def votes_of(ballots: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """The scored ballots as pair_id, annotator, score and vote (1 for "paraphrase")."""
    scored = ballots[ballots["state"] == "scored"]
    score = scored["score"].astype("int64")
    vote = (score >= rule.lowest_yes).astype("int64")
    return scored[["pair_id", "annotator"]].astype("object").assign(score=score, vote=vote)


def gold_votes(ballots: pd.DataFrame, rule: VoteRule, gold: Mapping[str, int]) -> pd.DataFrame:
    """The votes on gold pairs, as `votes_of` gives them, and `truth`, the right one; `gold`: known score by pair_id."""
    asked = ballots[(ballots["kind"] == "gold") & ballots["pair_id"].isin([*gold])]
    votes = votes_of(asked, rule).drop_duplicates(["pair_id", "annotator"], keep="last")
    truth = [int(gold[pair] >= rule.lowest_yes) for pair in votes["pair_id"]]
    return votes.assign(truth=pd.Series(truth, index=votes.index, dtype="int64"))


def counting(ballots: pd.DataFrame, by_round: int | None = None) -> pd.DataFrame:
    """The ballots that count at the end of a round (by default the last): made by then and not yet replaced."""
    if by_round is None:
        return ballots[ballots["replaced_in"].isna()]
    kept = ballots["replaced_in"].isna() | (ballots["replaced_in"] > by_round)
    return ballots[(ballots["round"] <= by_round) & kept.astype("bool")]


def senior_votes(ballots: pd.DataFrame, rule: VoteRule) -> dict[str, set[int]]:
    """By pair_id, the votes (1 for "paraphrase") of seniors who knew the others'."""
    looks = ballots[(ballots["kind"] == INFORMED) & (ballots["state"] == "scored")]
    return {
        str(pair): {int(score >= rule.lowest_yes) for score in scores}
        for pair, scores in looks.groupby("pair_id")["score"]
    }


def stratify(is_unanimous: NDArray[np.bool_], n_votes: NDArray[np.int64]) -> NDArray[np.object_]:
    """The stratum of each label, by whether all of its votes agree and how many they are."""
    by_number = np.array([UNKNOWN, SINGLE, UNANIMOUS], dtype=object)[np.minimum(n_votes, 2)]
    return np.where(is_unanimous | (n_votes < 2), by_number, SPLIT)


def count_once(rows: pd.DataFrame, couples: Couples) -> NDArray[np.bool_]:
    """Which votes count where each couple has one: not the second one's on a pair on which the first one voted.

    `rows`: pair_id, annotator of the votes.
    """
    counts = np.ones(len(rows), dtype=bool)
    names, pairs = rows["annotator"].to_numpy(object), rows["pair_id"]
    for first, second in couples:
        counts &= ~((names == second) & pairs.isin(pairs[names == first]).to_numpy(bool))
    return counts


def find_copies(couples: pd.DataFrame) -> list[list[str]]:
    """Who has one vote together while ratings are given out: the couples of the table copying that are clear."""
    return couples.loc[couples["is_clear"].astype("bool"), ["first", "second"]].to_numpy(object).tolist()


def with_one_vote(ballots: pd.DataFrame, couples: Couples) -> pd.DataFrame:
    """The ballots without the scored ones that do not count (`count_once`)."""
    scored = ballots["state"] == "scored"
    return ballots[~scored | ballots.index.isin(ballots.index[scored][count_once(ballots[scored], couples)])]


def asked_at_first(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots of the random part, and there of each pair's first round and what replaces them.

    So each pair has as many as the others, whatever its raters said.
    """
    kept: NDArray[np.bool_] = ballots["random"].to_numpy(bool) & ~ballots["further"].to_numpy(bool)
    return ballots[kept]


def count_at_random(votes: pd.DataFrame) -> pd.DataFrame | None:
    """The pairs of the random part by pair_id, with the `votes` and `n_votes` there; None where all are of it.

    `votes`: the scored ballots that count, with `vote`.
    """
    if votes["random"].all():
        return None
    by_pair = asked_at_first(votes).groupby("pair_id")["vote"]
    return pd.DataFrame({"votes": by_pair.sum(), "n_votes": by_pair.size()})


def in_random_part(pairs: pd.DataFrame, part: pd.DataFrame | None) -> pd.DataFrame:
    """The pairs of the random part with their `votes` and `n_votes` there (`count_at_random`); all where it is None."""
    return pairs if part is None else pairs.drop(columns=list(part)).join(part, on="pair_id", how="inner")


def given_at_first(ballots: pd.DataFrame) -> pd.DataFrame:
    """The scored ballots of `asked_at_first` that take no other's place; one in place of a flag or of nothing does not.

    So these are the answers before any was replaced.
    """
    first = asked_at_first(ballots)
    scored = first[first["state"] == "scored"]
    replaced = pd.MultiIndex.from_frame(scored.dropna(subset="replaced_in")[["pair_id", "replaced_in"]])
    return scored[~pd.MultiIndex.from_frame(scored[["pair_id", "round"]]).isin(replaced)]


def by_origin(ballots: pd.DataFrame) -> pd.DataFrame:
    """The ballots, each in the round in which its annotator first got the pair.

    Where a changed guide moved open work to a later round, the moved ballot takes the place of the original.
    """
    own = ["annotator", "pair_id"]
    first = ballots.assign(latest=ballots["round"], round=ballots.groupby(own)["round"].transform("min"))
    kept = first.sort_values("latest").drop_duplicates(own, keep="last").drop(columns="latest")
    return kept.sort_values("assignment_id", ignore_index=True)


def _find_further(asked: pd.DataFrame) -> "pd.Series[bool]":
    """Which assignments that vote are after the pair's first round and take no other's place."""
    work = asked[asked["kind"].isin(VOTING)]
    first = work.groupby("pair_id")["round"].transform("min")
    replaced = pd.MultiIndex.from_frame(work.dropna(subset="replaced_in")[["pair_id", "replaced_in"]])
    replaces = pd.MultiIndex.from_frame(work[["pair_id", "round"]]).isin(replaced)
    return ((work["round"] != first) & ~replaces).reindex(asked.index, fill_value=False)


def _replacements(assignments: pd.DataFrame, ratings: pd.DataFrame) -> "pd.Series[int]":
    replacing = assignments[assignments["supersedes"].notna()]
    first = replacing.astype({"round": "int64", "supersedes": "str"}).groupby("supersedes")["round"].min()
    return first.combine_first(find_void(assignments, ratings)).astype("int64")


def _states(last: pd.DataFrame) -> NDArray[np.str_]:
    skipped = last["skipped"].fillna(False).to_numpy(dtype=bool)
    scored = last["score"].notna().to_numpy(dtype=bool)
    n_flags = pc.list_value_length(pa.array(last["flags"], pa.list_(pa.string()), from_pandas=True))
    flagged = pc.fill_null(n_flags, 0).to_numpy(zero_copy_only=False) > 0
    return np.select([skipped, scored, flagged], ["skipped", "scored", "flagged"], "open")
