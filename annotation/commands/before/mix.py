"""The command `mix`: how many positive labels the other pairs will bring, by the labels so far, and what changes it."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.current_labels import labels_so_far
from annotation.config import MIN_LABELS
from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.console.messages import say
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FAR_ENDS, NEIGHBOURS, SENSES
from data.guidance.next_steps import say_steps
from data.recorded.plans import read_plans

if TYPE_CHECKING:
    from annotation.aggregation.mix import Expected

COLUMNS = ["generator", "pair_id", "entity", "similarity", "overlap", "selection"]
FLAGS = {NEIGHBOURS: "--neighbours", SENSES: "--senses", FAR_ENDS: "--far-ends"}
"""The flags of clustering that propose such pairs."""
A_FEW = 50
"""How many of each kind to propose first."""
AT_RANDOM = "at random"

Parts = dict[str, NDArray[np.intp]]


@dataclass(frozen=True, kw_only=True)
class Arguments(OfCampaign):
    """Forecast the share of positive labels among the pairs without one, by generator and selection.

    The labels so far come from the campaign and its pilot; pairs that another campaign with the same question has
    labelled are left out. Then what other choices of the next pairs would bring.
    """

    pairs: Limit[int] = 100
    """The number of next pairs for which choices are compared; at most a quarter of all."""

    aim: float = 0.5
    """The share of positive labels that is wanted."""

    seed: int = 1
    """Seed of the draws."""


def main(arguments: Arguments) -> None:
    """Print the forecast; write nothing."""
    from annotation.aggregation.mix import expect

    campaign = Campaign(arguments)
    _require_valid(arguments)
    so_far = labels_so_far(campaign)
    binary = so_far.labels.set_index("pair_id")["binary"]
    pairs = campaign.store.read(Pairs, columns=COLUMNS).sort_values(["generator", "pair_id"], ignore_index=True)
    pairs["entity"] = pairs["entity"].fillna(pairs["pair_id"])  # a pair that defines nothing is a group of its own
    pairs = pairs.assign(part=pairs["generator"] + ": " + pairs["selection"], binary=pairs["pair_id"].map(binary))
    elsewhere = pairs["binary"].isna() & pairs["pair_id"].isin(_labelled_elsewhere(campaign))
    labelled, rest = pairs.dropna(subset="binary"), pairs[pairs["binary"].isna() & ~elsewhere].reset_index(drop=True)
    is_planned = labelled["generator"].isin(so_far.generators)
    labelled = pd.concat([labelled[is_planned], labelled[~is_planned]]).drop_duplicates("pair_id", ignore_index=True)
    so_far.require_enough(len(labelled))
    yes, n_yes = campaign.question.yes, int(labelled["binary"].sum())
    sources = " and ".join(so_far.campaigns)
    say(f"{len(labelled)} pairs have a label ({sources}): {n_yes} {yes}, {n_yes / len(labelled):.0%}")
    if elsewhere.any():
        say(f"{pairs.loc[elsewhere, 'pair_id'].nunique()} pairs that other campaigns have labelled are left out")
    pairs = pd.concat([labelled, rest])
    if rest.empty:
        say("no pair is without a label")
        say_steps(campaign.store, campaign.name)
        return
    parts = {str(name): np.asarray(rows) for name, rows in rest.groupby("part").indices.items()}
    choices = _choices(rest, arguments.pairs)
    expected = expect(labelled, rest, parts | choices, arguments.seed)
    for line in (*_by_part(pairs, expected), f"{yes} among the next pairs, by how they are chosen:"):
        say(line)
    for line in _compare(expected, choices, arguments.aim):
        say(line)
    missing = [f"{flag} {A_FEW}" for kind, flag in FLAGS.items() if kind not in set(pairs["selection"])]
    if missing:
        flags = f"--generator more {' '.join(missing)} --limit {A_FEW * len(missing)}"
        words = f"{flags} --store {shlex.quote(str(campaign.store.address))}"
        say(f"other choices, not among the pairs yet: python -m clustering propose {words}")
    say_steps(campaign.store, campaign.name)


def _labelled_elsewhere(campaign: Campaign) -> set[str]:
    """The pairs with a label of another study that asks the same question."""
    labels = campaign.store.read(Labels, columns=["campaign", "pair_id"])
    plans, own = read_plans(campaign.store), campaign.question.name
    studies = {name: plans.study(name) for name in labels["campaign"].unique()}
    others = {name: study for name, study in studies.items() if study != campaign.study}
    same = [name for name, study in others.items() if plans.question(study).name == own]
    return set(labels.loc[labels["campaign"].isin(same), "pair_id"])


def _require_valid(arguments: Arguments) -> None:
    require_at_least("--pairs", arguments.pairs, 1)
    require_at_least("--seed", arguments.seed, 0)
    if not 0 < arguments.aim < 1:
        raise InputError(
            "--aim", expected="a share between 0 and 1", found=f"{arguments.aim:g}", remedy="give another: --aim 0.5"
        )


def _choices(rest: pd.DataFrame, n: int) -> Parts:
    """The rows of the next `n` pairs of each choice: of the largest part by overlap, and of each added kind.

    At most a quarter of the largest part, all of which count as `at random`.
    """
    largest = np.flatnonzero(rest["part"] == rest["part"].value_counts().index[0])
    overlap = rest["overlap"].astype("Float64").fillna(0).to_numpy(dtype=np.float64)[largest]
    by_overlap, n = largest[np.argsort(overlap, kind="stable")], min(n, -(-len(largest) // 4))
    choices: Parts = {AT_RANDOM: largest}
    choices |= {"--selection low-overlap": by_overlap[:n], "--selection high-overlap": by_overlap[-n:]}
    added = {flag: np.flatnonzero(rest["selection"] == kind)[:n] for kind, flag in FLAGS.items()}
    return choices | {flag: rows for flag, rows in added.items() if len(rows)}


def _by_part(pairs: pd.DataFrame, expected: Mapping[str, "Expected"]) -> Iterator[str]:
    """One line per generator and selection with pairs that have no label."""
    yield f"{'':40}  pairs  labelled  so far  expected of the others"
    for name, part in pairs.groupby("part"):
        known = part["binary"].dropna()
        if len(known) < len(part):
            so_far = f"{known.mean():.0%}" if len(known) else "–"
            yield f"{name:40}  {len(part):5}  {len(known):8}  {so_far:>6}  {_percent(expected[str(name)])}"


def _compare(expected: Mapping[str, "Expected"], choices: Parts, aim: float) -> Iterator[str]:
    """One line per choice: what to expect, and how much of it beside pairs at random brings the aim."""
    base = expected[AT_RANDOM]
    for name, rows in choices.items():
        n = "" if name == AT_RANDOM else len(rows)
        gain = expected[name].share - base.share
        part = (aim - base.share) / gain if gain else 0.0
        is_known = not (base.is_vague or expected[name].is_vague)
        mixed = f"; {aim:.0%} if they are {part:.0%} of the pairs, and the others at random"
        yield f"  {n:4} {name:26} {_percent(expected[name])}{mixed if is_known and 0 < part <= 1 else ''}"


def _percent(expected: "Expected") -> str:
    if expected.is_vague:
        return f"unknown: label {MIN_LABELS} of them first"
    return f"{expected.share:.0%} ({expected.low:.0%}–{expected.high:.0%})"
