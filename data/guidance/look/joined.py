"""Tables joined for readers: every rating with its pair and annotator, every pair with what is known of it."""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pandas as pd
import pyarrow as pa

from data.contract.tables.campaign import Annotators, Answers, Assignments, Ratings
from data.contract.tables.definitions import Cards, Definitions, Sightings
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import MAJORITY, VOTING
from data.measures.ballots import latest
from data.recorded.plans import read_plans
from data.storage.store import Store

OF_RATINGS = (Ratings, Assignments, Annotators, Answers, Campaigns, Pairs, Definitions)
OF_PAIRS = (*OF_RATINGS, Labels, Sightings, Cards, Splits, Runs, Predictions)
"""The tables that the joined ratings, and the joined pairs, are made of."""

RATINGS: Mapping[str, str] = {
    "others": "what the others of the campaign scored the pair",
    "difference": "the score less the mean of the others' scores",
    "answers": "the answers to a question that is more than one scale",
    "role": "the annotator's role; simulated ones are no people",
    "counts": "1 where the rating votes, 0 where a later one took its place or where it never votes",
}
"""The columns of the joined ratings that no table has, and what they mean."""

PAIRS: Mapping[str, str] = {
    "label": "what most votes are for, in the question's words, by the campaign that labelled the pair last",
    "labelled_by": "that campaign",
    "votes": "votes for the label 1, of all",
    "difficulty": "the chance that two raters would differ on it, by these votes",
    "ratings": "ratings that count, of all campaigns",
    "scores": "these ratings' scores, in order",
    "spread": "the highest of these scores less the lowest: how far the raters disagree",
    "flags": "the flags that were raised",
    "comments": "ratings with a comment",
    "annotators": "who rated it",
    "decks": "titles of the decks whose cards hold its texts",
    "split": "the split of the scheme that was made last",
    "score": "a model's score: higher means more likely a paraphrase",
    "model": "the model, by its latest run",
}
"""The columns of the joined pairs that no table has, and what they mean."""


def join_ratings(store: Store) -> pd.DataFrame:
    """The latest rating of each assignment, with pair, texts and annotator; see RATINGS for what is computed."""
    asked = store.read(Assignments).rename(columns={"at": "asked_at"})
    people = store.read(Annotators, ["campaign", "annotator", "at", "role", "level"]).sort_values("at")
    people = people.drop_duplicates(["campaign", "annotator"], keep="last").drop(columns="at")
    plans = store.read(Campaigns, ["campaign", "at", "generator"]).sort_values("at")
    plans = plans.drop_duplicates("campaign", keep="last").drop(columns="at")
    texts = store.read(Pairs, ["generator", "pair_id", "entity", "first", "second"])
    rows = latest(store.read(Ratings)).merge(asked, on="assignment_id")
    rows = rows.merge(people, on=["campaign", "annotator"], how="left").merge(plans, on="campaign", how="left")
    rows = rows.merge(texts, on=["generator", "pair_id"], how="left")
    rows["counts"] = ~rows["assignment_id"].isin(asked["supersedes"].dropna()) & rows["kind"].isin(VOTING)
    rows["counts"] = rows["counts"].astype("int64")
    rows["others"], rows["difference"] = _others(rows)
    rows["answers"] = rows["assignment_id"].map(_answers(store, rows))
    first = ["campaign", "round", "annotator", "role", "score", "others", "pair_id", "entity", "first", "second"]
    rest = ["difference", "answers", "flags", "comment", "seconds", "submitted_at", "kind", "counts", "skipped"]
    last = ["guide_version", "generator", "level", "position", "flipped", "supersedes", "asked_at", "assignment_id"]
    return rows[[*first, *rest, *last]].sort_values(["campaign", "submitted_at"], ignore_index=True)


def join_pairs(store: Store, ratings: pd.DataFrame) -> pd.DataFrame:
    """The rows of `pairs`, each with its label, ratings, decks, split and score; `ratings`: of `join_ratings`."""
    rows = store.read(Pairs)
    ids = rows["pair_id"]
    for name, values in {**_labels(store), **_rated(ratings[ratings["counts"] == 1])}.items():
        rows[name] = ids.map(values)
    for name in ("ratings", "comments"):
        rows[name] = rows[name].fillna(0).astype("int64")
    rows["spread"] = rows["spread"].astype("Int64")
    decks, none = _decks(store), frozenset[str]()
    both = zip(*lists(rows, "first_id", "second_id"), strict=True)
    rows["decks"] = [_as_list(decks.get(first, none) | decks.get(second, none)) for first, second in both]
    splits = store.history(Splits)
    scheme = splits[0]["scope"].get("scheme") if splits else None
    rows["split"] = ids.map(_column(store.read(Splits, ["pair_id", "split"], scheme=scheme))) if scheme else None
    run = _latest_run(store)
    scores = store.read(Predictions, ["pair_id", "score"], run_id=run["run_id"]) if run else pd.DataFrame()
    rows["score"] = ids.map(_column(scores)) if run else None
    rows["model"] = rows["score"].notna().map({True: run["model"]}) if run else None
    first = ["pair_id", "entity", "first", "second", *PAIRS]
    return rows[[*first, *(name for name in rows.columns if name not in first)]]


def _others(rows: pd.DataFrame) -> tuple[list[str | None], list[float | None]]:
    """Of each rating, the others' scores of its pair in its campaign, and the distance from their mean."""
    keys = rows.groupby(["campaign", "pair_id"], sort=False).ngroup().to_numpy().tolist()
    people = pd.factorize(rows["annotator"])[0].tolist()
    votes = rows["kind"].isin(VOTING).to_numpy().tolist()
    (scores,) = lists(rows, "score")
    said: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for key, who, score, voting in zip(keys, people, scores, votes, strict=True):
        if voting and score is not None:
            said[key].append((who, score))
    words: dict[tuple[float, ...], tuple[str | None, float]] = {(): (None, 0.0)}
    texts: list[str | None] = []
    differences: list[float | None] = []
    for key, who, score in zip(keys, people, scores, strict=True):
        others = tuple(sorted([value for other, value in said.get(key, ()) if other != who]))
        if others not in words:
            words[others] = " ".join(f"{value:g}" for value in others), sum(others) / len(others)
        text, mean = words[others]
        texts.append(text)
        differences.append(round(score - mean, 2) if others and score is not None else None)
    return texts, differences


def _answers(store: Store, rows: pd.DataFrame) -> dict[str, str]:
    """Assignment -> its answers to the controls, joined by commas."""
    answers = store.read(Answers).merge(rows[["assignment_id", "submitted_at"]], on=["assignment_id", "submitted_at"])
    said: dict[str, list[str]] = defaultdict(list)
    for assignment, control, chosen, text in zip(
        *lists(answers, "assignment_id", "control", "chosen", "text"), strict=True
    ):
        said[assignment].append(f"{control}: {' '.join(chosen or ()) if text is None else text}")
    return {assignment: ", ".join(parts) for assignment, parts in said.items()}


def _labels(store: Store) -> dict[str, dict[str, Any]]:
    """By column, pair -> label, votes, difficulty and campaign, of the set of labels that was made last."""
    about = ["pair_id", "value", "votes", "n_votes", "binary", "difficulty"]
    rows = store.read(Labels, ["campaign", "method", "further", *about])
    plans = read_plans(store)
    rows = rows[~rows["further"].astype("bool") & ~rows["campaign"].isin(plans.arms)]
    made = [(one["scope"].get("campaign"), one["scope"].get("method")) for one in store.history(Labels)]
    order = {one: place for place, one in reversed([*enumerate(made)])}
    sets = sorted({*zip(rows["campaign"], rows["method"], strict=True)}, key=lambda one: order.get(one, len(order)))
    sets.sort(key=lambda one: one[1] != MAJORITY)
    found: dict[str, dict[str, Any]] = {"label": {}, "votes": {}, "difficulty": {}, "labelled_by": {}}
    for campaign, method in sets:
        no, yes = plans.question(campaign).sides
        part = rows[(rows["campaign"] == campaign) & (rows["method"] == method)]
        columns = lists(part, *about)
        for pair, value, votes, n_votes, binary, difficulty in zip(*columns, strict=True):
            if pair not in found["label"]:
                words = {1: yes, 0: no}.get(binary)
                found["label"][pair] = words or ("undecided" if value is None else str(value))
                found["votes"][pair] = f"{votes} of {n_votes}"
                found["difficulty"][pair] = difficulty
                found["labelled_by"][pair] = campaign
    return found


def _rated(ratings: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """By column, pair -> what its ratings say."""
    ratings = ratings.sort_values("pair_id", ignore_index=True)
    pairs, names, scores = lists(ratings, "pair_id", "annotator", "score")
    starts = [place for place, pair in enumerate(pairs) if not place or pair != pairs[place - 1]]
    found: dict[str, dict[Any, Any]] = {"scores": {}, "spread": {}, "annotators": {}, "flags": {}}
    for start, end in pairwise([*starts, len(pairs)]):
        pair = pairs[start]
        found["annotators"][pair] = _as_list(frozenset(names[start:end]))
        if some := sorted([int(score) for score in scores[start:end] if score is not None]):
            found["scores"][pair] = " ".join(map(str, some))
            found["spread"][pair] = some[-1] - some[0]
    flagged = ratings[["pair_id", "flags"]].explode("flags").dropna()
    found["flags"] = {str(pair): _as_list(frozenset(some)) for pair, some in flagged.groupby("pair_id")["flags"]}
    by = ratings.groupby("pair_id")
    found["ratings"], found["comments"] = by.size().to_dict(), by["comment"].count().to_dict()
    return found


def _decks(store: Store) -> dict[str, frozenset[str]]:
    """Definition -> titles of the decks that hold it."""
    titles = store.read(Cards, ["card_id", "set_title"]).drop_duplicates("card_id")
    seen = store.read(Sightings).merge(titles, on="card_id")
    decks: dict[str, set[str]] = defaultdict(set)
    for definition, title in zip(*lists(seen, "definition_id", "set_title"), strict=True):
        decks[definition].add(title)
    return {definition: frozenset(some) for definition, some in decks.items()}


def _latest_run(store: Store) -> dict[str, Any] | None:
    """The run that was recorded last, of a model that was trained here where there is one."""
    runs = store.read(Runs, ["run_id", "model", "artefact", "at"]).sort_values("at")
    own = runs[runs["artefact"].notna()]
    rows = (own if len(own) else runs).to_dict("records")
    return rows[-1] if rows else None  # type: ignore[return-value]


def _column(rows: pd.DataFrame) -> dict[Any, Any]:
    """First column -> second column."""
    return dict(zip(*lists(rows, *rows.columns), strict=True)) if len(rows) else {}


def lists(rows: pd.DataFrame, *names: str) -> list[list[Any]]:
    """The columns as lists of plain values, null as None: to go through them row by row."""
    return [pa.array(rows[name], from_pandas=True).to_pylist() for name in names]


@cache
def _as_list(some: frozenset[str]) -> str | None:
    """As JSON, by name; None for nothing."""
    ordered = sorted(some)
    return json.dumps(ordered, ensure_ascii=False) if ordered else None
