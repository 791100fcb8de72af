"""Who labels what, in which order and with which side first; pure.

The plan is exact: every pair gets k different annotators, loads differ by at most one within the quotas, and it is
random who meets whom on a pair. Source: He et al. 2020, section 4.3 ("randomly assigned to three annotators").
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from annotation.config import CheckRule
from data.console.errors import InputError

MIXING_SWEEPS = 30
"""Sweeps of swaps. At 40 annotators and 10,000 pairs the spread of the numbers of pairs that two annotators share
falls from 121 to 6 within 5 sweeps and stays there for 200."""

Generator = np.random.Generator
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def sample(pair_ids: pd.Series, n: int | None, seed: int) -> list[str]:
    """`n` of the pair ids (all if None) in random order, the same for the same ids and seed.

    A larger sample contains the smaller ones. Raises InputError where there are none, or `n` is not between 1 and
    their number.
    """
    ids = np.array(sorted(set(pair_ids)), dtype=object)
    if not len(ids):
        raise InputError(
            "pairs",
            expected="some that are in no plan, no pilot and no file of gold pairs",
            found="none",
            remedy="make more (python -m clustering propose), or name fewer",
        )
    if n is not None and not 1 <= n <= len(ids):
        raise InputError(
            "--pairs",
            expected=f"a number from 1 to {len(ids)}, as many as the generator's pairs",
            found=str(n),
            remedy="ask for fewer, or leave the flag out",
        )
    return list(np.random.default_rng([seed, 1]).permutation(ids)[:n])


def assign(
    pair_ids: list[str],
    quotas: "pd.Series[int]",
    labels_per_pair: int,
    seed: int,
    barred: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """One row per label to be given: pair_id, annotator, position (from 0, in the annotator's order), flipped.

    `quotas`: the maximum number of labels by annotator, null for no limit. Every pair gets `labels_per_pair` different
    annotators, none of those who are `barred` from it (pair_id, annotator). Raises InputError where there are too few
    annotators or the quotas are too low.
    """
    capacities = quotas.sort_index().fillna(len(pair_ids)).clip(upper=len(pair_ids)).astype("int64")
    allowed = None if barred is None or barred.empty else may_rate(pair_ids, capacities.index, barred)
    if allowed is not None:
        capacities = capacities.clip(upper=pd.Series(allowed.sum(axis=0), index=capacities.index))
    _require_valid(capacities, len(pair_ids), labels_per_pair)
    random = np.random.default_rng([seed, 2])
    loads = even_loads(np.asarray(capacities, dtype=np.int64), len(pair_ids) * labels_per_pair, random)
    dealt = deal(loads, len(pair_ids)) if allowed is None else match(loads, capacities, allowed, labels_per_pair)
    design = mix(dealt, random, allowed)
    rows = pd.DataFrame(
        {
            "pair_id": np.repeat(np.array(pair_ids, dtype=object), labels_per_pair),
            "annotator": capacities.index.to_numpy(dtype=object)[design.ravel()],
        }
    )
    return order(rows, random)


def assign_in_parts(
    numbers: "pd.Series[int]", quotas: "pd.Series[int]", seed: int, barred: pd.DataFrame | None = None
) -> pd.DataFrame:
    """As `assign`, with as many labels for each pair as `numbers` says (by pair_id)."""
    rows, left = [], quotas
    for n_labels in sorted(numbers.unique(), reverse=True):
        rows.append(assign(list(numbers.index[numbers == n_labels]), left, int(n_labels), seed, barred))
        left = left - rows[-1]["annotator"].value_counts().reindex(left.index, fill_value=0)
    return order(pd.concat(rows)[["pair_id", "annotator"]], np.random.default_rng([seed, 7]))


def double(
    rows: pd.DataFrame, quotas: "pd.Series[int]", share: float, seed: int, barred: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The rows of `assign` with one annotator more for a random share of the pairs, in new orders.

    Raises InputError for a share outside 0 to 1, where no annotator is left for a pair, or where the quotas are too
    low.
    """
    if not 0 <= share <= 1:
        raise InputError("--double-share", expected="a share from 0 to 1", found=str(share), remedy="correct it")
    random = np.random.default_rng([seed, 5])
    pair_ids = rows["pair_id"].drop_duplicates().sort_values().to_numpy(object)
    chosen = list(random.permutation(pair_ids)[: round(share * len(pair_ids))])
    if not chosen:
        return rows
    loads = rows["annotator"].value_counts().reindex(quotas.index, fill_value=0)
    own = rows.loc[rows["pair_id"].isin(chosen), ["pair_id", "annotator"]]
    try:
        more = assign(chosen, quotas - loads, 1, seed + 1, pd.concat([own, barred]))
    except InputError as fault:
        raise InputError(
            "--double-share",
            expected=f"a second annotator for {len(chosen)} of {len(pair_ids)} pairs, within the quotas",
            found="too few annotators, or too low quotas",
            remedy="add annotators, raise quotas, or give --double-share 0",
        ) from fault
    return order(pd.concat([rows, more])[["pair_id", "annotator"]], random)


def may_rate(pair_ids: "list[str] | pd.Index[str]", annotators: "pd.Index[str]", barred: pd.DataFrame) -> Mask:
    """Who may have which pair, of shape (pairs, annotators): all but those who are `barred` (pair_id, annotator)."""
    rows = pd.Index(pair_ids).get_indexer(pd.Index(barred["pair_id"]))
    columns = annotators.get_indexer(pd.Index(barred["annotator"]))
    allowed = np.ones((len(pair_ids), len(annotators)), dtype=bool)
    present = (rows >= 0) & (columns >= 0)
    allowed[rows[present], columns[present]] = False
    return allowed


def order(rows: pd.DataFrame, random: Generator) -> pd.DataFrame:
    """The rows, each annotator's in a random order (`position`, from 0), with a coin toss for the side (`flipped`)."""
    rows = rows.iloc[random.permutation(len(rows))].sort_values("annotator", kind="stable", ignore_index=True)
    rows["position"] = rows.groupby("annotator").cumcount()
    rows["flipped"] = random.random(len(rows)) < 0.5
    return rows


def mix_in(rows: pd.DataFrame, others: list[str], gold: list[str], rule: CheckRule, seed: int) -> pd.DataFrame:
    """The rows of work (kind `work`), mixed with each annotator's gold pairs, repeats and traps.

    `others`: ids that traps may be made from; no annotator gets a trap from a pair of their own work. Repeats come
    after their originals, and of each kind whose share is above 0, everybody gets at least one.
    Raises InputError for a share outside 0 to 1, or where there are too few gold pairs.
    """
    random = np.random.default_rng([seed, 4])
    work = rows.assign(kind="work")
    shares = {"gold": rule.gold_share if gold else 0.0, "repeat": rule.repeat_share, "trap": rule.trap_share}
    checks = []
    for name, own in work.groupby("annotator")["pair_id"]:
        pools = {"gold": gold, "repeat": sorted(own), "trap": sorted(set(others) - set(own) - set(gold))}
        for kind, share in shares.items():
            ids = _draw(kind, pools[kind], share, len(own), random)
            checks.append(pd.DataFrame({"annotator": name, "pair_id": ids, "kind": kind}))
    mixed = pd.concat([work, *checks], ignore_index=True)
    return _repeats_last(order(mixed, random)) if len(mixed) > len(work) else work


def _draw(kind: str, pool: list[str], share: float, n_work: int, random: Generator) -> NDArray[np.object_]:
    """A random part of the pool, as large as this share of the work, none twice; of a share above 0, at least one."""
    wanted = max(round(share * n_work), int(share > 0)) if 0 <= share <= 1 else -1
    if not 0 <= wanted <= len(pool):
        raise InputError(
            f"--{kind}-share",
            expected=f"a share from 0 to 1 for which {len(pool)} pairs suffice",
            found=f"{share} of {n_work} pairs",
            remedy="lower the share" + (", or name more gold pairs" if kind == "gold" else ""),
        )
    return random.permutation(np.array(pool, dtype=object))[:wanted]


def _repeats_last(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, with repeat and original swapped where the repeat came first."""
    repeats, work = (rows[rows["kind"] == kind].reset_index(names="row") for kind in ("repeat", "work"))
    both = repeats.merge(work, on=["annotator", "pair_id"], suffixes=("", "_first"))
    early = both[both["position"] < both["position_first"]]
    rows.loc[early["row"], "position"] = early["position_first"].to_numpy()
    rows.loc[early["row_first"], "position"] = early["position"].to_numpy()
    return rows


def even_loads(capacities: Integers, total: int, random: Generator) -> Integers:
    """How many labels each annotator gets: they sum to `total`, and below the capacities differ by at most one.

    Who gets one more is drawn at random. `total` must not exceed the sum of the capacities.
    """
    level = int(_level(capacities, total))
    loads = np.minimum(capacities, level)
    with_room = np.flatnonzero(capacities > level)
    loads[random.permutation(with_room)[: total - int(loads.sum())]] += 1
    return loads


def deal(loads: Integers, n_pairs: int) -> Integers:
    """A design of shape (n_pairs, labels per pair) of annotators' numbers, none twice in a row, each `loads` times.

    Annotators are dealt out one after the other over the pairs in turn; since no load exceeds `n_pairs`, no annotator
    gets a pair twice.
    """
    return np.repeat(np.arange(len(loads)), loads).reshape(-1, n_pairs).T.copy()


def match(loads: Integers, capacities: "pd.Series[int]", allowed: Mask, labels_per_pair: int) -> Integers:
    """As `deal`, where not everybody may have every pair (`allowed`, of shape (pairs, annotators)).

    The loads change only where no design has these; the highest load is then the least possible. Raises InputError
    where no design keeps within the capacities.
    """
    design = _flow(loads, allowed, labels_per_pair)
    needed, room = len(allowed) * labels_per_pair, np.asarray(capacities, dtype=np.int64)
    low, high = int(loads.max()), int(room.max())
    if design.sum() < needed:
        design = _flow(room, allowed, labels_per_pair)
    if design.sum() < needed:
        raise InputError(
            "annotators",
            expected=f"{labels_per_pair} for each pair who did not correct its text, within their quotas",
            found=f"such for {(design.sum(axis=1) == labels_per_pair).sum()} of {len(design)} pairs",
            remedy="add annotators, raise quotas, or ask for fewer labels per pair",
        )
    while low < high and not _is_even(design, loads):
        middle = (low + high) // 2
        attempt = _flow(np.minimum(room, middle), allowed, labels_per_pair)
        low, high, design = (low, middle, attempt) if attempt.sum() == needed else (middle + 1, high, design)
    return np.nonzero(design)[1].reshape(len(design), labels_per_pair).astype(np.int64)


def _is_even(design: Mask, loads: Integers) -> bool:
    return bool((design.sum(axis=0) == loads).all())


def _flow(loads: Integers, allowed: Mask, labels_per_pair: int) -> Mask:
    """A largest set of labels, of shape (pairs, annotators), within the annotators' loads and the labels per pair."""
    n_pairs, n_annotators = allowed.shape
    pairs, annotators = np.nonzero(allowed)
    source, sink = n_pairs + n_annotators, n_pairs + n_annotators + 1
    starts = np.concatenate([np.full(n_annotators, source), n_pairs + annotators, np.arange(n_pairs)])
    ends = np.concatenate([n_pairs + np.arange(n_annotators), pairs, np.full(n_pairs, sink)])
    limits = np.concatenate([loads, np.ones(len(pairs)), np.full(n_pairs, labels_per_pair)]).astype(np.int32)
    graph = csr_array((limits, (starts, ends)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, source, sink).flow
    return np.asarray(flow[n_pairs:source, :n_pairs].toarray().T > 0)


def mix(design: Integers, random: Generator, allowed: Mask | None = None) -> Integers:
    """A random design with the same totals per row and annotator, by swaps that leave no annotator in a row twice.

    In each sweep rows are paired off and try to swap one annotator each: a symmetric Markov chain, so all valid designs
    are equally likely in the long run (as in the swap randomisation of binary matrices). `allowed`, of shape (pairs,
    annotators): who may have which row; by default everybody may have all.
    """
    half, width = len(design) // 2, design.shape[1]
    for _ in range(MIXING_SWEEPS):
        rows = random.permutation(len(design))
        left, right = rows[:half], rows[half : 2 * half]
        i, j = random.integers(width, size=half), random.integers(width, size=half)
        from_left, from_right = design[left, i], design[right, j]
        fits = ~(design[left] == from_right[:, None]).any(axis=1) & ~(design[right] == from_left[:, None]).any(axis=1)
        if allowed is not None:
            fits &= allowed[left, from_right] & allowed[right, from_left]
        design[left[fits], i[fits]] = from_right[fits]
        design[right[fits], j[fits]] = from_left[fits]
    return design


def _level(capacities: Integers, total: int) -> int:
    """The highest level to which all can be filled (or to their capacity) without exceeding `total`."""
    low, high = 0, int(capacities.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(capacities, middle).sum() <= total else (low, middle - 1)
    return low


def _require_valid(capacities: "pd.Series[int]", n_pairs: int, labels_per_pair: int) -> None:
    able = int((capacities > 0).sum())
    if labels_per_pair < 1 or able < labels_per_pair:
        raise InputError(
            "annotators",
            expected=f"at least {max(labels_per_pair, 1)} of them, one for each label of a pair",
            found=f"{able} with --labels-per-pair {labels_per_pair}",
            remedy="add annotators, or ask for fewer labels per pair",
        )
    room, needed = int(capacities.sum()), n_pairs * labels_per_pair
    if room < needed:
        raise InputError(
            "annotators",
            expected=f"quotas for {needed} labels ({n_pairs} pairs x {labels_per_pair})",
            found=f"quotas for {room}",
            remedy="raise quotas, add annotators, or plan fewer pairs (--pairs)",
        )
