"""What single ratings determine: votes, labels and the measures of annotators, recounted from them alone; pure.

Ratings have the columns of a release's table `ratings` (see `publishing.edition`). Nothing here comes from the room
that made the labels and measures: two independent counts that agree are worth more than one. A release has no
assignment ids, so `last` is not `datasets.ratings.read_latest`, which reads a store's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from statsmodels.stats.inter_rater import cohens_kappa

from analysis.datasets.ratings import lowest_positive, with_votes
from analysis.statistics import agreement
from data.contract.questions import Control, Question
from data.contract.vocabulary import (
    ALL_ROUNDS,
    CHECKS,
    EVERYBODY,
    FEWEST_BY_CHANCE,
    INFORMED,
    MOSTLY,
    PARAPHRASE_FROM,
    SCORES,
    VOTING,
)
from data.grouping import entities
from data.measures import intervals
from data.measures.intervals import Groups

ENOUGH = 3
"""The fewest votes among which a majority can contradict one of its own votes."""
KEYS = ["round", "annotator", "measure"]
MEASURED = ["n", "value", "low", "high"]


def last(ratings: pd.DataFrame) -> pd.DataFrame:
    """The last rating of each assignment if it has a score, with integer columns; earlier ones are its history."""
    assignment = ["pair_id", "annotator", "round", "kind"]
    rows = ratings.sort_values("submitted_at", kind="stable").drop_duplicates(assignment, keep="last")
    rows = rows[rows["score"].notna() & ~rows["skipped"].fillna(value=False).astype(bool)]
    return rows.astype({"score": "int64", "round": "int64"})


def standing(ratings: pd.DataFrame, by_round: int | None = None) -> pd.DataFrame:
    """The votes of `last` that count after a round (None: after the last one): on work, and not replaced by then."""
    work = ratings[ratings["kind"].isin(VOTING)]
    if by_round is None:
        return work[work["replaced_in"].isna()]
    return work[(work["round"] <= by_round) & (work["replaced_in"].fillna(by_round + 1) > by_round)]


def asked_at_first(ratings: pd.DataFrame) -> pd.DataFrame:
    """The votes without further ones that were asked where the first disagree."""
    return ratings[ratings["kind"].isin(VOTING) & ~ratings["further"].astype(bool)]


def given_at_first(ratings: pd.DataFrame) -> pd.DataFrame:
    """The votes of `asked_at_first`, before any was replaced: without those that take another one's place."""
    first = asked_at_first(ratings)
    replaced = pd.MultiIndex.from_frame(first.dropna(subset="replaced_in")[["pair_id", "replaced_in"]])
    return first[~pd.MultiIndex.from_frame(first[["pair_id", "round"]]).isin(replaced)]


def first_votes(ratings: pd.DataFrame, rule: "Rule") -> pd.DataFrame:
    """The votes of `given_at_first`: pair_id, vote, and whether each was replaced later; `ratings`: those of `last`."""
    first = with_votes(given_at_first(ratings), rule.paraphrase_from)
    return first[["pair_id", "vote"]].assign(replaced=first["replaced_in"].notna())


def leave_one_vote(votes: pd.DataFrame, couples: Iterable[Iterable[str]]) -> pd.DataFrame:
    """The votes, without the second annotator's of each couple on pairs that the first rated too."""
    pairs = {name: set(some["pair_id"]) for name, some in votes.groupby("annotator")}
    copied = {
        (second, pair) for first, second in couples for pair in pairs.get(first, set()) & pairs.get(second, set())
    }
    counts = [key not in copied for key in zip(votes["annotator"], votes["pair_id"], strict=True)]
    kept: pd.DataFrame = votes[np.array(counts, dtype=bool)]
    return kept


def label(ratings: pd.DataFrame, rule: "Rule") -> pd.DataFrame:
    """By pair_id: votes, n_votes and scores (counts of 0, 1, 2, 3) of the votes that count after the last round."""
    counted = leave_one_vote(standing(last(ratings)), rule.one_vote)
    numbers, pairs = pd.factorize(counted["pair_id"], sort=True)
    scores = _tabulate(numbers, counted["score"].to_numpy("int64"), len(SCORES), len(pairs))
    return pd.DataFrame(
        {
            "votes": scores[:, rule.paraphrase_from :].sum(axis=1),
            "n_votes": scores.sum(axis=1),
            "scores": scores.tolist(),
        },
        index=pd.Index(pairs, name="pair_id"),
    )


def answers(
    tables: Mapping[str, pd.DataFrame], question: Question, couples: Iterable[Iterable[str]] = ()
) -> pd.DataFrame:
    """The answers in the ratings that count after the last round: pair_id, control, chosen (a list), text.

    `couples`: who has one vote together.
    """
    counted = leave_one_vote(standing(last(tables["ratings"])), couples)
    if question.scale:
        names = {number: [value] for value, number in question.scale.codes.items()}
        return counted[["pair_id"]].assign(control=question.scale.name, chosen=counted["score"].map(names))
    key = ["pair_id", "annotator", "round", "kind", "submitted_at"]
    return tables["answers"].merge(counted[key], on=key)


def tally(tables: Mapping[str, pd.DataFrame], question: Question, rule: "Rule") -> dict[tuple[str, str], list[int]]:
    """By pair and control: how many ratings that count after the last round give each of its declared answers."""
    given = answers(tables, question, rule.one_vote)[["pair_id", "control", "chosen"]].explode("chosen")
    return {
        (str(pair), control.name): some.value_counts().reindex(control.values, fill_value=0).tolist()
        for control in question.asked
        if control.answers
        for pair, some in given[given["control"] == control.name].groupby("pair_id")["chosen"]
    }


def decide(ratings: pd.DataFrame, paraphrase_from: int) -> dict[str, set[int]]:
    """By pair_id, the decisions of seniors who knew the votes: 1 paraphrase, 0 not."""
    reviews = last(ratings)
    reviews = reviews[reviews["kind"] == INFORMED]
    return {
        str(pair): set((some >= paraphrase_from).astype("int64")) for pair, some in reviews.groupby("pair_id")["score"]
    }


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The settings of a campaign's measures, with defaults for what no manifest states."""

    paraphrase_from: int = PARAPHRASE_FROM
    """The lowest score that is a vote for "paraphrase"."""
    one_vote: Iterable[Iterable[str]] = ()
    """Couples of annotators; on pairs that both rated, only the first one's vote counts."""
    idle_seconds: float = 300.0
    """A rating that took longer is left out of the times."""
    fast_seconds: float = 3.0
    """A rating that took less time is too fast."""
    low_kappa: float = 0.4
    """A coin flipper below this kappa would be low."""


def read_rule(config: Mapping[str, Any], question: Question | None = None) -> Rule:
    """The rule in the configuration of a manifest, with the question's border of votes and defaults for the rest."""
    known = {part.name: config[part.name] for part in fields(Rule) if config.get(part.name) is not None}
    return Rule(**{"paraphrase_from": lowest_positive(question)} | known)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The answers that are votes; by default PARADE's scores."""

    numbers: Mapping[str, int] = field(default_factory=lambda: {str(score): score for score in SCORES})
    """Value -> number, in the declared order."""
    level: str = "interval"

    def __len__(self) -> int:
        """How many answers there are."""
        return len(self.numbers)

    @staticmethod
    def of(control: Control) -> "Scale":
        """Those of a control."""
        return Scale(numbers=control.codes, level=control.measured)


def measure(
    tables: Mapping[str, pd.DataFrame], rounds: Iterable[int], rule: Rule, question: Question | None = None
) -> pd.DataFrame:
    """The rows of the table `quality` that single ratings determine: round, annotator, measure, n, value, low, high.

    Agreement on the vote, for each of `rounds` except those of seniors (at least one) and over all rounds (0), for each
    annotator and for all together; speed, use of the scale and checks for every round; agreement on each control, over
    all rounds. A rating is compared with the votes that counted at the end of its round. A value is null where it is
    not defined.
    """
    vote = Scale() if question is None else Scale.of(question.vote) if question.vote else None
    usable = with_votes(_grouped(last(tables["ratings"])), rule.paraphrase_from)
    rows = [] if vote is None else _agree_by_round(usable, rounds, vote, rule.low_kappa)
    both = usable.assign(right=_check(usable, rule) if vote else pd.Series(pd.NA, usable.index, dtype="Float64"))
    both = pd.concat([both, both.assign(round=ALL_ROUNDS)])
    both = pd.concat([both, both.assign(annotator=EVERYBODY)])
    for (of_round, name), some in both.groupby(["round", "annotator"]):
        rows += [(of_round, str(name), measured, *value) for measured, value in _answer(some, rule, vote).items()]
    if question is not None and not question.is_paraphrase_scale:
        first = {**tables, "ratings": asked_at_first(last(tables["ratings"]))}
        given = answers(first, question)
        names = _grouped(first["ratings"]).drop_duplicates("pair_id").set_index("pair_id")["group"]
        controls = _agree_on_controls(given.assign(group=given["pair_id"].map(names)), question)
        rows += [(ALL_ROUNDS, EVERYBODY, measured, *value) for measured, value in controls.items()]
    return pd.DataFrame(rows, columns=[*KEYS, *MEASURED]).astype(dict.fromkeys(MEASURED[1:], "Float64"))


def _agree_by_round(
    usable: pd.DataFrame, rounds: Iterable[int], vote: Scale, low_kappa: float
) -> list[tuple[Any, ...]]:
    """The agreement on the vote by round, and over all rounds."""
    usable = usable.assign(place=np.searchsorted([*vote.numbers.values()], usable["score"].to_numpy("int64")))
    reviews = set(usable["round"]) - set(usable.loc[usable["kind"].isin(VOTING), "round"])
    judged = {number: _judge(standing(usable, number), number, len(vote)) for number in sorted(set(rounds) - reviews)}
    judged[ALL_ROUNDS] = pd.concat(judged.values(), ignore_index=True)
    rows: list[tuple[Any, ...]] = [
        (number, str(name), measured, *value)
        for number, votes in judged.items()
        for name, some in [*votes.groupby("annotator"), (EVERYBODY, votes)]
        for measured, value in (
            _agree(some, vote) | ({} if name == EVERYBODY else _pool(some, vote)) | _by_chance(some, low_kappa)
        ).items()
    ]
    for number in judged:
        together = _agree_together(standing(asked_at_first(usable), number or None), vote)
        rows += [(number, EVERYBODY, measured, *value) for measured, value in together.items()]
    rows += [(ALL_ROUNDS, EVERYBODY, measured, *value) for measured, value in _agree_at_first(usable, vote).items()]
    return rows + [
        (number, EVERYBODY, f"mean_{of}", *_mean([some for _, some in votes.groupby("annotator")], reference))
        for number, votes in judged.items()
        for of, reference in (("kappa", "majority"), ("kappa_left_out", "others"))
    ]


Counts = NDArray[np.int64]


def _tabulate(rows: Counts, values: Counts, classes: int, n_rows: int) -> Counts:
    return np.bincount(rows * classes + values, minlength=n_rows * classes).reshape(n_rows, classes)


def _judge(counted: pd.DataFrame, number: int, classes: int) -> pd.DataFrame:
    """The votes of one round beside the majority of the other votes, and of all votes, on the pair; -1: undecided."""
    numbers, pairs = pd.factorize(counted["pair_id"])
    place, vote = (counted[name].to_numpy("int64") for name in ("place", "vote"))
    yes_no, all_ = (_tabulate(numbers, values, k, len(pairs))[numbers] for values, k in ((vote, 2), (place, classes)))
    several = yes_no.sum(axis=1) >= ENOUGH
    votes = pd.DataFrame(
        {
            "annotator": counted["annotator"].to_numpy(dtype=object),
            "group": counted["group"].to_numpy(dtype=object),
            "place": place,
            "vote": vote,
            "majority": np.where(several, _winner(yes_no), -1),
            "others": _winner(yes_no - np.eye(2, dtype="int64")[vote]),
            "plurality": np.where(several, _winner(all_), -1),
            "votes": list(yes_no),
            "places": list(all_),
        }
    )
    of_round: pd.DataFrame = votes[counted["round"].to_numpy("int64") == number]
    return of_round


def _winner(table: Counts) -> Counts:
    """The class with the most votes; -1 if several have equally many, or none has any."""
    most = table.max(axis=1, keepdims=True, initial=0)
    clear = ((table == most).sum(axis=1) == 1) & (most[:, 0] > 0)
    return np.where(clear, table.argmax(axis=1), -1)


Value = tuple[int, float | None, float | None, float | None]
"""The number of cases that a measure is counted over, its value, and its limits."""


def _grouped(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings with the group that each pair is drawn in for limits."""
    named = ratings.dropna(subset="entity")
    entity = dict(zip(named["pair_id"], named["entity"], strict=True))
    return ratings.assign(group=entities.drawn_by(ratings["pair_id"], entity))


def _within(
    value: float | None, tables: NDArray[Any], groups: Any, formula: agreement.Formula, least: float = -1.0
) -> Value:
    """The value with its limits, by the tables of the things that it is counted over."""
    if value is None:
        return len(tables), None, None, None
    return len(tables), value, *intervals.agreement(tables, Groups.of(groups), formula, (least, 1.0))


def _both(first: NDArray[Any], second: NDArray[Any], classes: int) -> NDArray[Any]:
    """A table per case with a one for its two classes."""
    return np.asarray(np.eye(classes)[first][:, :, None] * np.eye(classes)[second][:, None, :])


def _met(table: NDArray[Any]) -> NDArray[Any]:
    """How often each two classes meet in each pair that has several ratings."""
    counts = table.astype("float64")
    own = np.eye(counts.shape[1]) * counts[:, :, None]
    return np.asarray((counts[:, :, None] * counts[:, None, :] - own) / (counts.sum(axis=1) - 1)[:, None, None])


def _agree(votes: pd.DataFrame, scale: Scale) -> dict[str, Value]:
    of_two = {} if len(scale) > 2 else {
        "with_majority": _share_with(votes, "majority"), "with_majority_left_out": _share_with(votes, "others")
    }  # fmt: skip
    return of_two | {
        "kappa": _compare(votes, "vote", "majority", 2),
        "kappa_left_out": _compare(votes, "vote", "others", 2),
        "kappa_answers": _compare(votes, "place", "plurality", len(scale)),
        "kappa_weighted": _weigh(votes, scale),
    }


def _share_with(votes: pd.DataFrame, reference: str) -> Value:
    known = votes[votes[reference] >= 0]
    value = _share(known["vote"] == known[reference])[1]
    both = _both(known["vote"].to_numpy("int64"), known[reference].to_numpy("int64"), 2)
    return _within(value, both, known["group"], _on_diagonal, 0.0)


def _on_diagonal(tables: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))


def _compare(votes: pd.DataFrame, own: str, reference: str, classes: int) -> Value:
    known = votes[votes[reference] >= 0]
    first, second = known[own].to_numpy("int64"), known[reference].to_numpy("int64")
    value = _kappa(_tabulate(first, second, classes, classes))
    formula = agreement.beyond_chance(1 - np.eye(classes))
    return _within(value, _both(first, second, classes), known["group"], formula)


def _weigh(votes: pd.DataFrame, scale: Scale) -> Value:
    """Kappa of each answer with each other answer of its pair, with quadratic weights; null without an order."""
    own = np.eye(len(scale), dtype="int64")[votes["place"]]
    others = _stack(votes["places"], len(scale)) - own
    used = others.any(axis=1)
    if scale.level == "nominal":
        return int(used.sum()), None, None, None
    steps = np.array([*scale.numbers.values()] if scale.level == "interval" else range(len(scale)))
    value = _kappa(own.T @ others, weights=steps, wt="quadratic")
    both = own[used][:, :, None] * others[used][:, None, :].astype("float64")
    formula = agreement.beyond_chance(np.subtract.outer(steps, steps) ** 2.0)
    return _within(value, both, votes["group"].to_numpy(object)[used], formula)


def _kappa(square: NDArray[Any], **how: Any) -> float | None:
    """Cohen's kappa of a square table, as statsmodels computes it; None where it is not defined."""
    total = square.sum()
    if total == 0 or square.diagonal().max() == total:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(cohens_kappa(square, return_results=False, **how))


def _pool(votes: pd.DataFrame, scale: Scale) -> dict[str, Value]:
    """Measures of all votes on one annotator's pairs."""
    return {
        "alpha": _alpha(_stack(votes["votes"], 2), votes["group"]),
        "alpha_scores": _alpha_of(_stack(votes["places"], len(scale)), votes["group"], scale),
    }


def _stack(rows: "pd.Series[Any]", classes: int) -> Counts:
    return np.stack(rows.to_list()) if len(rows) else np.zeros((0, classes), dtype="int64")


def _alpha_of(table: Counts, groups: Any, scale: Scale) -> Value:
    """Krippendorff's alpha by the level of measurement; source: Krippendorff 2011, section E."""
    sizes = table[table.sum(axis=1) > 1].sum(axis=0).astype("float64")
    steps = {
        "nominal": None,
        "ordinal": sizes.cumsum() - sizes / 2,
        "interval": np.array([*scale.numbers.values()], dtype="float64"),
    }[scale.level]
    apart = None if steps is None else np.subtract.outer(steps, steps) ** 2
    return _alpha(table, groups, apart, ranked=scale.level == "ordinal")


def _alpha(table: Counts, groups: Any, apart: NDArray[Any] | None = None, *, ranked: bool = False) -> Value:
    """Krippendorff's alpha of counts (pairs, classes); any two classes are as far apart unless `apart` says how far.

    `ranked`: each draw of the limits has distances of its own. Source: Krippendorff 2011, section D.
    """
    several = table.sum(axis=1) > 1
    used = table[several].astype("float64")
    apart = 1 - np.eye(table.shape[1]) if apart is None else apart
    within = (((used @ apart) * used).sum(axis=1) / (used.sum(axis=1) - 1)).sum()
    by_class = used.sum(axis=0)
    expected = by_class @ apart @ by_class
    value = float(1 - (by_class.sum() - 1) * within / expected) if expected else None
    formula = agreement.beyond_chance(None if ranked else apart, small=True)
    return _within(value, _met(used), np.asarray(groups, dtype=object)[several], formula)


def _by_chance(votes: pd.DataFrame, low_kappa: float) -> dict[str, Value]:
    """What guessers reach in the place of these votes: the kappas of coins and of the votes shuffled, and who passes.

    The draws are those of `annotation.ratings.agreement.chance_kappas`, from the same seed.
    """
    several = votes[_stack(votes["votes"], 2).sum(axis=1) >= ENOUGH]
    own = several["vote"].to_numpy("int64")
    kinds, sizes = np.unique(_stack(several["votes"], 2) - np.eye(2, dtype="int64")[own], axis=0, return_counts=True)
    shape = (intervals.RESAMPLES, len(sizes))
    coins = np.random.default_rng(intervals.SEED).binomial(sizes, agreement.COIN, size=shape)
    shuffled = np.random.default_rng(intervals.SEED).multivariate_hypergeometric(sizes, own.sum(), size=shape[0])
    chance, mixed = (_reach(kinds, sizes - yes, yes) for yes in (coins, shuffled))
    return {
        "chance_kappa": _spread(chance, len(own)),
        "shuffled_kappa": _spread(mixed, len(own)),
        "chance_passes": (len(own), float((chance >= low_kappa).mean()) if len(chance) else None, None, None),
    }


def _reach(kinds: Counts, no: Counts, yes: Counts) -> NDArray[np.float64]:
    """The kappas, of the draws that have one, of the drawn guesses beside each kind of others with the majority."""
    tables = np.zeros((len(no), 2, 2))
    for vote, drawn in enumerate((no, yes)):
        winners = _winner(kinds + np.eye(2, dtype="int64")[vote])
        for winner in (0, 1):
            tables[:, vote, winner] = drawn[:, winners == winner].sum(axis=1)
    kappas = agreement.beyond_chance(1 - np.eye(2))(tables)
    return np.asarray(kappas[~np.isnan(kappas)])


def _spread(kappas: NDArray[np.float64], n: int) -> Value:
    """Their mean, and the middle 95 % of them."""
    return (n, float(kappas.mean()), *intervals.middle(kappas)) if len(kappas) else (n, None, None, None)


def _agree_together(counted: pd.DataFrame, scale: Scale) -> dict[str, Value]:
    """The measures of all annotators together, over the votes that count."""
    numbers, pairs = pd.factorize(counted["pair_id"])
    yes_no, places = (
        _tabulate(numbers, counted[name].to_numpy("int64"), k, len(pairs))
        for name, k in (("vote", 2), ("place", len(scale)))
    )
    groups = counted.drop_duplicates("pair_id")["group"].to_numpy(object)
    fleiss = agreement.agree(pd.DataFrame({"votes": yes_no[:, 1], "n_votes": yes_no.sum(axis=1)}))
    usual = (yes_no.sum(axis=1) == fleiss["raters"]) & (fleiss["raters"] > 1)
    formula = agreement.beyond_chance(1 - np.eye(2))
    return {
        "fleiss_kappa": _within(fleiss["fleiss_kappa"], _met(yes_no[usual]), groups[usual], formula),
        "alpha": _alpha(yes_no, groups),
        "alpha_scores": _alpha_of(places, groups, scale),
    }


def _agree_at_first(usable: pd.DataFrame, scale: Scale) -> dict[str, Value]:
    """The agreement before any vote was replaced, and the share of these votes that were."""
    first = given_at_first(usable)
    together = _agree_together(first, scale)
    several = first[first.duplicated("pair_id", keep=False)]
    replaced = float(several["replaced_in"].notna().mean()) if len(several) else None
    return {f"{name}_at_first": together[name] for name in ("fleiss_kappa", "alpha")} | {
        "replaced_share": (len(several), replaced, None, None)
    }


def _agree_on_controls(given: pd.DataFrame, question: Question) -> dict[str, Value]:
    """The agreement of everybody on each control; on corrected texts only where the release has them."""
    found: dict[str, Value] = {}
    for control in question.asked:
        own = given[given["control"] == control.name]
        if control.kind == "edited-text":
            values = _compare_texts(own) if has_texts(own) else {}
        elif control.kind == "several-of":
            values = _compare_sets(own, control)
        else:
            places = own["chosen"].map(lambda chosen, control=control: control.values.index(chosen[0]))
            values = {"alpha": _alpha_of(_table(own, places, len(control.values)), _first(own), Scale.of(control))}
        found |= {f"{control.name}.{name}": value for name, value in values.items()}
    return found


def _table(given: pd.DataFrame, places: "pd.Series[Any]", classes: int) -> Counts:
    numbers, pairs = pd.factorize(given["pair_id"])
    return _tabulate(numbers, places.to_numpy("int64"), classes, len(pairs))


def _first(given: pd.DataFrame) -> Any:
    """The group of each pair, in the order of `_table`."""
    return given.drop_duplicates("pair_id")["group"].to_numpy(object)


def _compare_sets(given: pd.DataFrame, control: Control) -> dict[str, Value]:
    sets = given["chosen"].map(frozenset)
    kinds = sorted(set(sets), key=sorted)
    apart = np.array([[_masi(first, second) for second in kinds] for first in kinds], dtype="float64")
    found = (
        {"alpha_masi": _alpha(_table(given, sets.map(kinds.index), len(kinds)), _first(given), apart)} if kinds else {}
    )
    for value in control.values:
        has = sets.map(lambda chosen, value=value: int(value in chosen))
        found[f"alpha_of_{value}"] = _alpha(_table(given, has, 2), _first(given))
    return found


def _masi(first: frozenset[str], second: frozenset[str]) -> float:
    """How far two sets are apart; source: Passonneau 2006."""
    shared = first & second
    weight = 1.0 if first == second else 2 / 3 if shared in (first, second) else 1 / 3 if shared else 0.0
    return 1 - weight * len(shared) / len(first | second)


def has_texts(edited: pd.DataFrame) -> bool:
    """Whether the corrected texts are there: not in a release without texts, nor where such a one was restored."""
    return "text" in edited and bool(edited["text"].notna().all())


def _compare_texts(given: pd.DataFrame) -> dict[str, Value]:
    texts = given["text"].map(lambda text: " ".join(text.split())).groupby(given["pair_id"])
    both = [two for _, some in texts for two in combinations(some, 2)]
    n = len(both)
    apart = [Levenshtein.normalized_distance(*two) for two in both]
    return {
        "identical": (n, sum(distance == 0 for distance in apart) / n if n else None, None, None),
        "edit_distance": (n, sum(apart) / n if n else None, None, None),
    }


def _mean(votes: list[pd.DataFrame], reference: str) -> Value:
    """The mean of the annotators' kappas that are defined and not too one-sided to say anything."""
    squares = [
        _tabulate(known["vote"].to_numpy("int64"), known[reference].to_numpy("int64"), 2, 2)
        for known in (own[own[reference] >= 0] for own in votes)
    ]
    kappas = [kappa for square in squares if not _is_one_sided(square) and (kappa := _kappa(square)) is not None]
    return len(kappas), float(np.mean(kappas)) if kappas else None, None, None


def _is_one_sided(square: Counts) -> bool:
    """Whether too few votes differ from the reference by chance, though there are enough of them in all."""
    n = int(square.sum())
    same = float(square.sum(axis=0) @ square.sum(axis=1)) / max(n, 1)
    return n >= 2 * FEWEST_BY_CHANCE and same > MOSTLY * n and n - same < FEWEST_BY_CHANCE


def _check(usable: pd.DataFrame, rule: Rule) -> "pd.Series[Any]":
    """Whether each answer to a check is correct; null for work, and where the correct answer is unknown."""
    work = usable[usable["kind"] == "work"].drop_duplicates(["annotator", "pair_id"], keep="last")
    own = usable[["annotator", "pair_id"]].merge(work[["annotator", "pair_id", "vote"]], how="left")["vote"].to_numpy()
    gold = (usable["known_score"].astype("Float64") >= rule.paraphrase_from).astype("Float64")
    wanted = pd.Series(own, index=usable.index, dtype="Float64").where(usable["kind"] == "repeat")
    wanted = wanted.mask(usable["kind"] == "gold", gold).mask(usable["kind"] == "trap", 0.0)
    return (usable["vote"] == wanted).astype("Float64")


def _answer(ratings: pd.DataFrame, rule: Rule, scale: Scale | None) -> dict[str, Value]:
    """Speed, use of the scale, and the checks that the annotator answered."""
    timed = ratings["seconds"][ratings["seconds"] <= rule.idle_seconds].astype("float64")
    middle = intervals.median(np.asarray(timed, dtype=np.float64)) or (None, None)
    measures: dict[str, Value] = {
        "seconds": (len(timed), float(timed.median()) if len(timed) else None, *middle),
        "fast_share": _share(timed < rule.fast_seconds),
        **{
            f"share_of_{value}": _share(ratings["score"] == number)
            for value, number in (scale.numbers.items() if scale else ())
        },
    }
    for kind, measured in CHECKS.items():
        right = ratings.loc[ratings["kind"] == kind, "right"].dropna()
        measures |= {measured: _share(right == 1)} if len(right) else {}
    return measures


def _share(flags: "pd.Series[bool]") -> Value:
    if not len(flags):
        return 0, None, None, None
    low, high = intervals.share(int(flags.sum()), len(flags))
    return len(flags), float(flags.mean()), float(low), float(high)
