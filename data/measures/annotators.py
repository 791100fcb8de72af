"""How good each annotator is, by round and over all: the rows of the table `quality`; pure.

`data.contract.measures` says what each is. How they count:
- `kappa` counts the annotator's own vote in the majority, as the paper does (He et al. 2020, 4.3), and so does
  `with_majority` (Zhang et al. 2019, PAWS, section 4); `kappa_left_out` and `with_majority_left_out` leave out pairs on
  which the others are tied, `kappa_answers` those without a most frequent answer;
- `kappa_weighted` is not defined for answers without order; the alphas take all votes on the annotator's pairs;
- `chance_passes` is the share of coin flippers who would not fall below the threshold of low quality.
Of `all`, `mean_kappa` (the paper's 0.65) and `mean_kappa_left_out` are without kappas that are too one-sided;
`fleiss_kappa` and the alphas use the votes that count at the end of the round, without further ratings that were asked
where the first disagree: pairs that got more ratings because they were hard would weigh too little. The other measures
of `all` use all votes, replaced ones included. Limits: 95 % intervals that draw whole entities; for what chance
reaches, the middle 95 % of the guessers' draws. docs/formulas.md derives the formulas.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY, FEWEST_BY_CHANCE, MOSTLY, ONE_SIDED
from data.measures import agreement, intervals
from data.measures.agreement import Agreement, Integers
from data.measures.ballots import asked_at_first, counting, given_at_first
from data.measures.classes import PARADE, Classes
from data.measures.rules import QualityRule

OTHERS_VOTES = ["others_no", "others_yes"]

COUNTED_BY_ROUND = "fleiss_kappa"
"""A measure that every round has in which pairs were given to annotators, whether they rated or not."""

MIN_VOTES = 3
"""The votes from which a majority can contradict a vote that it contains: of two votes it never does."""


def assess(
    ballots: pd.DataFrame, rule: QualityRule, classes: Classes = PARADE, rounds: Iterable[int] = ()
) -> pd.DataFrame:
    """The measures of `ballots` (see `ballots.cast`): `habits.COLUMNS`.

    Of the random part alone: elsewhere those are asked further who meet disagreement.
    `rounds`: further ones than the ballots have, such as a round without ratings so far.

    A rating is compared with the votes that counted at the end of its round, so later rounds do not change the measures
    of an earlier one. `value` is null where a measure is not defined; `reason` then says why.
    """
    numbers = sorted({*ballots["round"].unique(), *rounds})
    ballots = ballots[ballots["random"].to_numpy(bool)]
    judged = {number: _judge(counting(ballots, number), number, rule, classes) for number in numbers}
    rows = [row for number, ratings in judged.items() for row in _measures(number, ratings, rule, classes)]
    if len(numbers) == 1:  # all rounds together are this one
        rows += [row | {"round": ALL_ROUNDS} for row in rows]
    else:
        rows += _measures(ALL_ROUNDS, pd.concat(judged.values(), ignore_index=True), rule, classes)
    for number in (*judged, ALL_ROUNDS):
        rows += list(_joint(number, ballots, rule, classes))
    return pd.DataFrame(rows).sort_values(["round", "annotator", "measure"], ignore_index=True)


def _judge(ballots: pd.DataFrame, number: int, rule: QualityRule, classes: Classes) -> pd.DataFrame:
    """The ratings of one round, as places of answers, with what they are compared with; null where not decided."""
    scored = ballots[ballots["state"] == "scored"]
    pairs, places, votes = _arrays(scored, rule, classes)
    table, answers = agreement.counts(pairs, votes, 2), agreement.counts(pairs, places, len(classes))
    several = table.sum(axis=1)[pairs] >= MIN_VOTES
    others = agreement.others(pairs, votes, 2)
    judged = pd.DataFrame(
        {
            "round": scored["round"].to_numpy(dtype="int64"),
            "pair_id": scored["pair_id"].to_numpy(dtype=object),
            "annotator": scored["annotator"].to_numpy(dtype=object),
            "group": scored["group"].to_numpy(dtype=object),
            "place": places,
            "vote": votes,
            "majority": _decided(table[pairs], several),
            "majority_of_others": _decided(others, others.sum(axis=1) > 0),
            "plurality": _decided(answers[pairs], several),
            "several": several,
        }
    )
    judged[OTHERS_VOTES] = others
    judged[_others(classes)] = agreement.others(pairs, places, len(classes))
    return judged[judged["round"] == number]


def _arrays(scored: pd.DataFrame, rule: QualityRule, classes: Classes) -> tuple[agreement.Integers, ...]:
    """Of each ballot the pair's number, the answer's place, and the vote."""
    scores = scored["score"].to_numpy(dtype="int64")
    votes = (scores >= rule.lowest_yes).astype("int64")
    return pd.factorize(scored["pair_id"], sort=True)[0].astype("int64"), classes.places(scores), votes


def _others(classes: Classes) -> list[str]:
    """The columns that count the others' answers by place."""
    return [f"others_{place}" for place in range(len(classes))]


def _decided(table: agreement.Integers, usable: agreement.Mask) -> "pd.Series[int]":
    winner, clear = agreement.consensus(table)
    return pd.Series(winner, dtype="Int64").where(pd.Series(clear & usable))


def _measures(number: int, judged: pd.DataFrame, rule: QualityRule, classes: Classes) -> Iterator[dict[str, object]]:
    """The rows of every annotator and of all together, for one round."""
    measured = {
        name: _measure(rows, rule, classes) | _alphas(rows, classes) for name, rows in judged.groupby("annotator")
    }
    measured[EVERYBODY] = _measure(judged, rule, classes)
    for source in ("kappa", "kappa_left_out"):
        kappas = [measures[source] for name, measures in measured.items() if name != EVERYBODY]
        measured[EVERYBODY][f"mean_{source}"] = _mean(
            [one.value for one in kappas if one.value is not None and not one.reason]
        )
    for name, measures in measured.items():
        yield from (_row(number, str(name), measure, value) for measure, value in measures.items())


def _measure(judged: pd.DataFrame, rule: QualityRule, classes: Classes) -> dict[str, Agreement]:
    several = judged.loc[judged["several"], [*OTHERS_VOTES, "vote"]].to_numpy("int64")
    coins = agreement.chance_kappas(several[:, :2])
    binary = {} if len(classes) > 2 else {
        "with_majority": _share(judged, "majority"), "with_majority_left_out": _share(judged, "majority_of_others")
    }  # fmt: skip
    return binary | {
        "kappa": _kappa(judged, "vote", "majority", 2),
        "kappa_left_out": _kappa(judged, "vote", "majority_of_others", 2),
        "kappa_answers": _kappa(judged, "place", "plurality", len(classes)),
        "kappa_weighted": _weighted(judged, classes),
        "chance_kappa": _drawn(coins, len(several)),
        "shuffled_kappa": _drawn(agreement.chance_kappas(several[:, :2], int(several[:, 2].sum())), len(several)),
        "chance_passes": _passes(coins, len(several), rule.low_kappa),
    }


def _kappa(judged: pd.DataFrame, own: str, reference: str, classes: int) -> Agreement:
    known = judged[judged[reference].notna()]
    first, second = (known[name].to_numpy("int64") for name in (own, reference))
    kappa = agreement.cohen_kappa(first, second, classes, known["group"].to_numpy(object))
    return _warn(kappa, first, second, classes)


def _warn(kappa: Agreement, own: Integers, reference: Integers, classes: int) -> Agreement:
    """The kappa, with the reason why it says nothing where nearly all answers are one and the same."""
    n, same = len(own), int((own == reference).sum())
    chances = [np.bincount(given, minlength=classes) / max(n, 1) for given in (own, reference)]
    by_chance = float(chances[0] @ chances[1])
    if not n or not is_one_sided(n, by_chance):
        return kappa
    return replace(kappa, reason=ONE_SIDED, detail=f"{same} of {n} are the same, {n * by_chance:.0f} by chance")


def is_one_sided(n: int, by_chance: float) -> bool:
    """Whether a kappa of `n` answers says nothing, since this share of them agrees by chance alone.

    Not where `n` is so low that evenly used answers would say no more: these are few rather than one-sided.
    """
    return n >= 2 * FEWEST_BY_CHANCE and by_chance > MOSTLY and n * (1 - by_chance) < FEWEST_BY_CHANCE


def _share(judged: pd.DataFrame, reference: str) -> Agreement:
    known = judged[judged[reference].notna()]
    first, second = (known[name].to_numpy("int64") for name in ("vote", reference))
    return agreement.same_share(first, second, groups=known["group"].to_numpy(object))


def _weighted(judged: pd.DataFrame, classes: Classes) -> Agreement:
    others = judged[_others(classes)].to_numpy("int64")
    if not classes.is_ordered:
        return Agreement(n=int(others.any(axis=1).sum()), reason=agreement.NO_ORDER)
    places, groups = judged["place"].to_numpy("int64"), judged["group"].to_numpy(object)
    return agreement.weighted_kappa(places, others, groups, classes.apart)


def _alphas(judged: pd.DataFrame, classes: Classes) -> dict[str, Agreement]:
    groups = judged["group"].to_numpy(object)
    return {
        "alpha": agreement.krippendorff_alpha(_table(judged, "vote", OTHERS_VOTES), groups=groups),
        "alpha_scores": classes.alpha(_table(judged, "place", _others(classes)), groups),
    }


def _table(judged: pd.DataFrame, own: str, others: list[str]) -> agreement.Integers:
    """All votes or answers on each of an annotator's pairs: counts of shape (pairs, classes)."""
    return np.asarray(judged[others].to_numpy("int64") + np.eye(len(others), dtype="int64")[judged[own]])


def _drawn(kappas: agreement.Reals, n: int) -> Agreement:
    """The mean of the drawn kappas, with the limits of their middle 95 %."""
    known = kappas[~np.isnan(kappas)]
    if len(known) == 0:
        return Agreement(n=n, reason=agreement.SAME_CLASS if n else agreement.NOTHING)
    low, high = intervals.middle(known)
    return Agreement(n=n, value=float(known.mean()), low=low, high=high)


def _passes(kappas: agreement.Reals, n: int, threshold: float) -> Agreement:
    """The share of the drawn kappas at or above the threshold."""
    known = kappas[~np.isnan(kappas)]
    if len(known) == 0:
        return Agreement(n=n, reason=agreement.SAME_CLASS if n else agreement.NOTHING)
    return Agreement(n=n, value=float((known >= threshold).mean()))


def _mean(values: list[float]) -> Agreement:
    if not values:
        return Agreement(n=0, reason="no annotator's kappa is defined and says something")
    return Agreement(n=len(values), value=float(np.mean(values)))


def _joint(number: int, ballots: pd.DataFrame, rule: QualityRule, classes: Classes) -> Iterator[dict[str, object]]:
    """The rows of the measures that have no single annotator, by the votes that count at the end of the round."""
    binary, answers, groups = _count(counting(asked_at_first(ballots), number or None), rule, classes)
    joint = _together(binary, groups) | {"alpha_scores": classes.alpha(answers, groups)}
    if number == ALL_ROUNDS:
        first = given_at_first(ballots)
        binary, _, groups = _count(first, rule, classes)
        joint |= {f"{name}_at_first": value for name, value in _together(binary, groups).items()}
        joint["replaced_share"] = _replaced(first)
    yield from (_row(number, EVERYBODY, measure, value) for measure, value in joint.items())


def _together(binary: agreement.Integers, groups: agreement.Names) -> dict[str, Agreement]:
    return {
        "fleiss_kappa": agreement.fleiss_kappa(binary, groups),
        "alpha": agreement.krippendorff_alpha(binary, groups=groups),
    }


def _replaced(ballots: pd.DataFrame) -> Agreement:
    """The share of ballots that were replaced later, of those on pairs with several."""
    several = ballots[ballots.duplicated("pair_id", keep=False)]
    if several.empty:
        return Agreement(n=0, reason=agreement.NO_SECOND)
    return Agreement(n=len(several), value=float(several["replaced_in"].notna().mean()))


def _count(
    ballots: pd.DataFrame, rule: QualityRule, classes: Classes
) -> tuple[agreement.Integers, agreement.Integers, agreement.Names]:
    """How many votes, and how many answers, of each kind each pair has, and the pair's group."""
    scored = ballots[ballots["state"] == "scored"]
    pairs, places, votes = _arrays(scored, rule, classes)
    groups = scored.drop_duplicates("pair_id").sort_values("pair_id")["group"].to_numpy(object)
    return agreement.counts(pairs, votes, 2), agreement.counts(pairs, places, len(classes)), groups


def _row(number: int, annotator: str, measure: str, value: Agreement) -> dict[str, object]:
    about = {"round": number, "annotator": annotator, "measure": measure, "control": None, "answer": None}
    return about | asdict(value)
