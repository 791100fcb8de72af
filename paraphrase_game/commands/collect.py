"""The command `collect`: attempts -> pairs, with what the judges said of them."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.errors import InputError
from data.console.messages import say
from data.console.paths import Address
from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import CAMPAIGN, MUTUAL_ENTAILMENT
from data.guidance.next_steps import say_steps
from data.recorded.languages import followed
from data.recorded.plans import require_kept
from data.recorded.played import latest_attempts
from data.storage.manifest import Manifest
from data.storage.store import Store
from paraphrase_game.config import RewardRule
from paraphrase_game.game.pairing import GENERATOR, MEASURES, Which, choose, make_pairs


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Turn the collected attempts of all games of a store into pairs, to be labelled and split like all others."""

    which: Which = "passed"
    """`passed`: attempts that pass the task; `submitted`: what was paid for; `judged`: all that no guard refused."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    rule: RewardRule = field(default_factory=RewardRule)


def main(arguments: Arguments) -> None:
    """Write texts, pairs and measures of the generator `game-human`, and the judges' word as labels by `mi`."""
    store = Store(arguments.store)
    attempts, prompts = latest_attempts(store.read(Attempts)), store.read(Prompts)
    if attempts.empty:
        raise InputError(
            store.path(Attempts), expected="attempts", found="none",
            remedy="collect them first: python -m annotation game collect",
        )  # fmt: skip
    if attempts["judges"].nunique() > 1:
        say(f"{attempts['judges'].nunique()} different judges have judged these attempts: model_sha256 says which")
    language = followed(store, Definitions)
    rows = make_pairs(choose(attempts, arguments.which, arguments.rule), prompts, arguments.which, language)
    manifest = Manifest(
        stage="paraphrase_game.collect",
        config={"which": arguments.which, "rule": vars(arguments.rule)},
        language=language.code,
        inputs=store.inputs(Attempts, Prompts),
        counts={"attempts": len(attempts), "pairs": len(rows.pairs)},
    )
    require_kept(store, GENERATOR, rows.pairs["pair_id"], "collect them, too: --which judged")
    store.replace(GeneratedTexts, rows.texts.assign(generator=GENERATOR), manifest, generator=GENERATOR)
    store.replace(Pairs, rows.pairs.assign(generator=GENERATOR), manifest, generator=GENERATOR)
    for measure in MEASURES:
        values = rows.measures.query("measure == @measure").assign(generator=GENERATOR)
        store.replace(PairMeasures, values, manifest, generator=GENERATOR, measure=measure)
    labels = rows.labels.assign(campaign=CAMPAIGN, method=MUTUAL_ENTAILMENT)
    store.replace(Labels, labels, manifest, campaign=CAMPAIGN, method=MUTUAL_ENTAILMENT)
    say(f"{len(rows.pairs):,} pairs of {len(attempts):,} attempts ({arguments.which}) written as {GENERATOR}")
    _say_left(attempts, prompts, len(rows.pairs))
    say_steps(store, generator=GENERATOR)


def _say_left(attempts: pd.DataFrame, prompts: pd.DataFrame, n_pairs: int) -> None:
    known = attempts["prompt_id"].isin(prompts["prompt_id"])
    if not known.all():
        say(f"left out: {int((~known).sum()):,} at sentences that the table prompts no longer has: choose them again")
    attempts = attempts[known]
    refused, judged = int(attempts["refused"].notna().sum()), int(attempts["implied"].notna().sum())
    unjudged = len(attempts) - refused - judged
    say(
        f"left out: {refused:,} refused by guards, {judged - n_pairs:,} judged that did not qualify or repeat others "
        f"(--which), {unjudged:,} not judged yet (annotation game collect)"
    )
