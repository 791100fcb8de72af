"""Whether the votes and measures of a release follow from its single ratings; pure."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.datasets.ratings import Votes
from analysis.statistics import derivation
from data.contract.questions import Question
from data.contract.vocabulary import ALL_ROUNDS, DERIVED, MAJORITY, MEAN, SENIOR, VOTING
from data.labelled.release_tables import empty
from data.measures import ballots, soft_labels
from data.measures.annotators import COUNTED_BY_ROUND
from data.measures.classes import PARADE
from data.measures.controls import OF_TEXTS, has_texts, name_measure
from data.measures.quality import counted_answers, measure
from data.measures.raters import certainty
from data.measures.rules import CountRule

TOLERANCE = 1e-9
VOTED = ["pair_id", "votes", "n_votes", "scores", "binary", "decided_by"]
KEYS = ["round", "annotator", "measure", "control", "answer"]
MEASURED = ["n", "value", "low", "high"]


def list_discrepancies(tables: dict[str, pd.DataFrame], rule: CountRule, question: Question) -> Iterator[str]:
    """Where the tables `pairs`, `labels` and `quality` of a release disagree with `ratings` and `answers`.

    Of the measures, all are recounted that are not in `list_unknown`. Labels that rest on other campaigns are recounted
    from `campaign_ratings`. Without a table `ratings`, the pairs were not rated.
    """
    tables = {name: empty(name) for name in ("ratings", "quality")} | tables
    votes = Votes(question=question, rule=rule, every=ballots.of_release(tables["ratings"]))
    yield from derivation.list_mismatches(tables)
    yield from differ_in_shares(tables, question, votes)
    if question.has_paraphrases:
        yield from _differing_votes(tables["pairs"], _count_votes(votes))
        yield from _differing_decisions(tables["pairs"], ballots.senior_votes(votes.every, rule))
    else:
        yield from _differing_answers(tables, question, _tally(votes, tables))
    yield from _differing_certainty(tables, votes)
    measured = tables["quality"]
    measured = measured[~_is_unknown(measured, tables, question)]
    if len(measured) and not votes.every["kind"].isin(VOTING).any():
        yield "quality: measures, but no rating votes"
    elif len(measured):
        yield from _differing_measures(measured, _measure(votes, tables))


def list_unknown(tables: dict[str, pd.DataFrame], question: Question) -> list[str]:
    """The measures of the table `quality` that ratings do not determine: measures of texts that were left out."""
    quality = tables.get("quality", empty("quality"))
    unknown = quality[_is_unknown(quality, tables, question)]
    return sorted(set(map(name_measure, unknown["measure"], unknown["control"], unknown["answer"])))


def _is_unknown(quality: pd.DataFrame, tables: dict[str, pd.DataFrame], question: Question) -> "pd.Series[bool]":
    edited = [control.name for control in question.asked if control.kind == "edited-text"]
    answers = tables["answers"] if edited else pd.DataFrame()
    left_out = [name for name in edited if not has_texts(answers[answers["control"] == name])]
    return quality["measure"].isin(OF_TEXTS) & quality["control"].isin(left_out)


def _measure(votes: Votes, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table `quality` as the ratings give it, for the rounds that the release has measures of."""
    stated = tables["quality"]
    rounds = {int(number) for number in stated.loc[stated["measure"] == COUNTED_BY_ROUND, "round"]} - {ALL_ROUNDS}
    return measure(votes.every, tables.get("answers"), votes.question, votes.rule, gold=votes.gold, rounds=rounds)


def _count_votes(votes: Votes) -> dict[Any, dict[str, Any]]:
    """By pair_id: votes, n_votes and scores (counts of 0, 1, 2, 3) of the votes that count after the last round."""
    scored = votes.counting[votes.counting["state"] == "scored"]
    scores = pd.crosstab(scored["pair_id"], scored["score"].astype("int64"))
    scores = scores.reindex(columns=list(PARADE.numbers), fill_value=0)
    positive = scores.loc[:, PARADE.positive(votes.rule.lowest_yes)].sum(axis=1)
    return {
        pair: {"votes": int(yes), "n_votes": int(row.sum()), "scores": row.tolist()}
        for pair, yes, row in zip(scores.index, positive, scores.to_numpy(), strict=True)
    }


def _tally(votes: Votes, tables: dict[str, pd.DataFrame]) -> dict[tuple[str, str], list[int]]:
    """By pair and control: how many ratings that count after the last round give each of its declared answers."""
    said = counted_answers(ballots.voting(votes.every), tables.get("answers"), votes.question, votes.rule.one_vote)
    given = said[["pair_id", "control", "chosen"]].explode("chosen")
    return {
        (str(pair), control.name): some.value_counts().reindex(control.values, fill_value=0).tolist()
        for control in votes.question.asked
        if control.answers
        for pair, some in given[given["control"] == control.name].groupby("pair_id")["chosen"]
    }


def _differing_answers(
    tables: dict[str, pd.DataFrame], question: Question, counted: dict[tuple[str, str], list[int]]
) -> Iterator[str]:
    controls = {control.name: control for control in question.asked}
    rows = pd.concat([tables["labels"], tables["pairs"].assign(control=question.first.name, value=None)])
    columns = ["pair_id", "control", "value", "votes", "n_votes", "binary", "scores", "decided_by"]
    for pair, name, value, votes, n, binary, scores, by in rows[columns].itertuples(index=False, name=None):
        control = controls.get(name)
        if control is None:
            yield f"pair {pair}: a label of {name}, which is not asked"
        elif control.answers and list(scores) != counted.get((pair, name)):
            yield f"pair {pair}, {name}: {list(scores)}, but the ratings give {counted.get((pair, name))}"
        elif control.answers and not pd.isna(value) and not set(value.split()) <= {*control.values} and by != MEAN:
            yield f"pair {pair}, {name}: the label {value}, which is no answer"
        elif by == MAJORITY and not pd.isna(binary) and binary != int(2 * votes > n):
            yield f"pair {pair}, {name}: label {binary} by the majority of {votes} of {n} votes"


def differ_in_shares(tables: dict[str, pd.DataFrame], question: Question, votes: Votes | None) -> Iterator[str]:
    """Where soft labels do not follow from the votes beside them."""
    pairs = tables["pairs"]
    expected = soft_labels.of_pairs(pairs, question, votes.random_part if votes else None)[1]
    yes, n_votes = (pairs[name].astype("float64") for name in ("votes", "n_votes"))
    counts = {"share": yes / n_votes.mask(n_votes == 0), "expected_share": expected}
    for name, counted in counts.items():
        stated, found = pairs[name].astype("Float64"), counted.astype("Float64")
        differs = (stated.isna() != found.isna()) | ((stated - found).abs() > TOLERANCE).fillna(value=False)
        for pair, before, after in zip(pairs["pair_id"][differs], stated[differs], found[differs], strict=True):
            yield f"pair {pair}: {name} {before}, but the votes give {after}"


def _differing_votes(pairs: pd.DataFrame, found: dict[Any, dict[str, Any]]) -> Iterator[str]:
    voted = pairs[~pairs["decided_by"].isin(DERIVED)]
    for pair, yes, n, scores, binary, by in voted[VOTED].itertuples(index=False, name=None):
        stated = {"votes": yes, "n_votes": n, "scores": scores if pd.api.types.is_scalar(scores) else list(scores)}
        if stated != found.get(pair):
            yield f"pair {pair}: {stated}, but the ratings give {found.get(pair)}"
        elif by == MAJORITY and binary != int(2 * yes > n):
            yield f"pair {pair}: label {binary} by the majority of {yes} of {n} votes"


def _differing_certainty(tables: dict[str, pd.DataFrame], votes: Votes) -> Iterator[str]:
    """Where effective votes, interval and difficulty of the vote's labels, if stated, do not follow from ratings."""
    rows, question = tables["pairs"], votes.question
    if not question.has_paraphrases:
        rows = tables["labels"][tables["labels"]["control"] == (question.vote.name if question.vote else "")]
    stated = rows.set_index("pair_id")[[*certainty.COLUMNS]].astype("Float64")
    if stated.isna().all(axis=None):
        return
    found = certainty.describe(ballots.votes_of(votes.counting, votes.rule), votes.gold_votes).reindex(stated.index)
    differs = (stated.isna() != found.isna()) | ((stated - found).abs() > TOLERANCE).fillna(value=False)
    for pair in stated.index[differs.any(axis=1)]:
        before, after = (", ".join(f"{value}" for value in table.loc[pair]) for table in (stated, found))
        yield f"pair {pair}: {' '.join(certainty.COLUMNS)} {before}, but the ratings give {after}"


def _differing_decisions(pairs: pd.DataFrame, decided: dict[str, set[int]]) -> Iterator[str]:
    by_senior = pairs[pairs["decided_by"] == SENIOR]
    for pair, binary in by_senior[["pair_id", "binary"]].itertuples(index=False, name=None):
        if binary not in decided.get(pair, set()):
            yield f"pair {pair}: label {binary} by a senior, but seniors decided {sorted(decided.get(pair, set()))}"


def _differing_measures(quality: pd.DataFrame, counted: pd.DataFrame) -> Iterator[str]:
    stated, found = (
        {tuple(row[:5]): tuple(row[5:]) for row in table[[*KEYS, *MEASURED]].to_numpy(dtype=object) if row[5]}
        for table in (rows.fillna({"control": "", "answer": ""}) for rows in (quality, counted))
    )
    for key in sorted(stated.keys() | found.keys()):
        if not _same(stated.get(key), found.get(key)):
            number, annotator, measure, control, answer = key
            named = name_measure(measure, control or None, answer or None)
            before, after = _write(stated.get(key)), _write(found.get(key))
            yield f"quality: {named} of {annotator} in round {number}: {before}, but the ratings give {after}"


def _same(stated: Any, found: Any) -> bool:
    """Whether two measures have the same n, and the same value and limits or none."""
    if stated is None or found is None or stated[0] != found[0]:
        return False
    return all(
        bool(pd.isna(one) and pd.isna(other))
        if pd.isna(one) or pd.isna(other)
        else math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        for one, other in zip(stated[1:], found[1:], strict=True)
    )


def _write(found: Any) -> str:
    if found is None:
        return "nothing"
    n, value, low, high = found
    limits = "" if pd.isna(low) else f"; {low:.6f} to {high:.6f}"
    return f"{'not defined' if pd.isna(value) else format(value, '.6f')} (n {n}{limits})"
