"""The command `calibrate`: from which margin on swaps are worth a rater's time, found out by people."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError, TableError
from data.console.marks import Limit
from data.console.messages import figure, quantity, say, say_next
from data.console.paths import Address
from data.contract.tables.campaign import Answers, Assignments
from data.contract.tables.generated import PairMeasures
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CALIBRATION
from data.recorded.own_names import require_own_generator
from data.storage.manifest import Manifest
from data.storage.store import Store
from generation.swapping.calibration import DECISIONS, MIN_SUCCESS_SHARE, MIN_SWAPS, by_margin, least_margin, spread

STAGE = "generation.calibrate"
DECISION = "decision"
"""The control of the question `sentence-correction` that accepts, fixes or rejects."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Draw swaps spread over margins for correction; with --campaign, say what became of them by margin."""

    campaign: str | None = None
    """The campaign in which the sample was corrected; without it, the sample is drawn."""
    generator: str = "paws-swap"
    """The generator whose pairs are sampled."""
    sample: Limit[int] = 200
    """Pairs in the sample."""
    seed: int = 1
    """The source of the draw."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the sample as the pairs of a generator of its own, or print the shares by margin."""
    require_at_least("--sample", arguments.sample, 1)
    require_at_least("--seed", arguments.seed, 0)
    store = Store(arguments.store)
    measures = store.read(PairMeasures, ["pair_id", "value"], generator=arguments.generator, measure="lm_margin")
    if measures.empty:
        remedy = "run `python -m generation swap` first, or give another --generator"
        raise TableError("pair_measures", expected=f"margins of `{arguments.generator}`", found="none", remedy=remedy)
    margins = measures.dropna().set_index("pair_id")["value"].astype(float)
    if arguments.campaign is None:
        _draw(store, margins, arguments)
    else:
        _report(store, margins, arguments)


def _draw(store: Store, margins: pd.Series, arguments: Arguments) -> None:
    chosen = spread(margins, arguments.sample, arguments.seed)
    name = f"{arguments.generator}-calibration"
    pairs = store.read(Pairs, generator=arguments.generator)
    rows = pairs[pairs["pair_id"].isin(chosen.index)]
    rows = rows.assign(generator=name, selection=CALIBRATION, detail=None, sample_of=arguments.generator)
    manifest = Manifest(
        stage=STAGE,
        config={"generator": arguments.generator, "sample": arguments.sample},
        seed=arguments.seed,
        inputs=store.inputs(Pairs, PairMeasures),
        counts={"pairs": len(rows)},
    )
    require_own_generator(store, "--generator", name, STAGE, sample_of=arguments.generator)
    version = store.replace(Pairs, rows, manifest, generator=name)
    margins_seen = f"margins from {chosen.iloc[0]:.1f} to {chosen.iloc[-1]:.1f} nats"
    say(f"{len(rows)} of {quantity(len(margins), 'swap')}, with {margins_seen}")
    if len(rows) < MIN_SWAPS:
        say(f"note: {quantity(len(rows), 'swap')} cannot show from which margin on swaps pass: that takes {MIN_SWAPS}")
    say(f"written as pairs of `{name}` to {store.path(Pairs)} (version {version})")
    plan = "python -m annotation plan --campaign calibration --question sentence-correction --annotators 1"
    say_next(plan, "--generator", name, "--store", store.address)


def _report(store: Store, margins: pd.Series, arguments: Arguments) -> None:
    decisions = _decisions(store, str(arguments.campaign))
    known = decisions[decisions.index.isin(margins.index)]
    if known.empty:
        names = sorted(store.distinct(Assignments, "campaign"))
        raise InputError(
            f"--campaign {arguments.campaign}",
            expected=f"answers of sentence-correction about pairs of `{arguments.generator}`",
            found=f"none (campaigns: {', '.join(names) or 'none at all'})",
            remedy="run `python -m annotation collect` first, or name another campaign",
        )
    asked = margins.loc[known.index]
    if n := len(decisions) - len(known):
        say(f"left out: {quantity(n, 'sentence')} that are no swaps of `{arguments.generator}` any more")
    say(f"{quantity(len(known), 'sentence')} corrected; shares by margin, with 95 % limits (Wilson)")
    say("      margin        n  accept    fix  reject  passed")
    for band in by_margin(list(asked), list(known)).to_dict("records"):
        shares = "  ".join(f"{band[decision]:6.1%}" for decision in DECISIONS)
        limits = f"{band['passed']:6.1%} [{band['low']:.1%}, {band['high']:.1%}]"
        say(f"{band['from']:7.2f} to {band['to']:6.2f} {band['n']:4d}  {shares}  {limits}")
    least = least_margin(list(asked), list(known))
    if len(known) < MIN_SWAPS:
        say(
            f"{quantity(len(known), 'sentence')} cannot show from which margin on {MIN_SUCCESS_SHARE:.0%} pass: "
            f"correct {MIN_SWAPS}"
        )
    elif least is None:
        say(
            f"at no margin do {MIN_SUCCESS_SHARE:.0%} of {MIN_SWAPS} or more pass: another language model, or a "
            "--ranker, may help"
        )
    else:
        say(f"from {figure(least)} nats on, {MIN_SUCCESS_SHARE:.0%} pass, as in the paper")
        generator = () if arguments.generator == Arguments.generator else ("--generator", arguments.generator)
        say_next(f"python -m generation swap --lm FILE --threshold={-least:.2f}", *generator, "--store", store.address)


def _decisions(store: Store, campaign: str) -> pd.Series:
    """Pair -> its latest decision in the campaign."""
    assignments = store.read(Assignments, ["assignment_id", "pair_id"], campaign=campaign)
    answers = store.read(Answers, control=DECISION).merge(assignments, on="assignment_id", validate="many_to_one")
    latest = answers.sort_values("submitted_at").drop_duplicates("pair_id", keep="last").set_index("pair_id")["chosen"]
    chosen = latest.map(lambda values: values[0] if len(values) else None).astype(object)
    return chosen[chosen.isin(DECISIONS)]
