"""The command `generate`: the machine plays the game."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit
from data.console.messages import progress, say, say_next
from data.console.optional_packages import require_models
from data.console.paths import Address
from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.pairs import Pairs
from data.measures import intervals
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator
from data.recorded.plans import require_kept
from data.storage.manifest import Manifest
from data.storage.store import Store
from paraphrase_game.config import RewardRule
from paraphrase_game.game.pairing import MEASURES, pairs_of_machine
from paraphrase_game.game.schedule import Sampling, play, rounds
from paraphrase_game.judges.judging import JudgeChoice, Judges, open_judges

if TYPE_CHECKING:
    from paraphrase_game.generator.model import Generator

STAGE = "paraphrase_game.generate"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Let a language model write attempts until one passes, as people do; all attempts are kept."""

    model: str
    """A folder or name of transformers, such as what `paraphrase_game train` wrote."""
    prompts: str
    """The source of the sentences, as `paraphrase_game prompts` named it."""
    n_rounds: Limit[int] = 5
    """Rounds of ten attempts per sentence at most (the released code: 6)."""
    limit: Limit[int | None] = None
    """Play this many of the sentences."""
    seed: int = 1
    """Of all samples."""
    generator: str = "game-machine"
    """The generator of the pairs; what it made before is replaced."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    rule: RewardRule = field(default_factory=RewardRule)
    judges: JudgeChoice = field(default_factory=JudgeChoice)


def main(arguments: Arguments) -> None:
    """Write texts, pairs and measures; raise InputError where a campaign labels pairs that would be gone."""
    require_models("generate")
    require_at_least("--n-rounds", arguments.n_rounds, 1)
    require_at_least("--limit", arguments.limit, 1)
    from paraphrase_game.generator.model import fastest, open_generator

    store = Store(arguments.store)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    require_kept(store, arguments.generator, [], f"give another: --generator {arguments.generator}-2")
    prompts = store.read(Prompts, source=arguments.prompts).head(arguments.limit or 10**9)
    if prompts.empty:
        raise InputError(
            "--prompts", expected="a source of sentences", found=repr(arguments.prompts),
            remedy="make them: python -m paraphrase_game prompts SOURCE",
        )  # fmt: skip
    judges, generator = open_judges(arguments.judges), open_generator(arguments.model, fastest())
    if judges.stand_ins:
        say(judges.stand_ins)
    played = _play_all(arguments, prompts, judges, generator)
    language = followed(store, Definitions)
    made = pairs_of_machine(played, prompts, arguments.model, language)
    manifest = Manifest(
        stage=STAGE,
        config={
            "model": arguments.model,
            "judges": judges.sha256,
            "n_rounds": arguments.n_rounds,
            "limit": arguments.limit,
            "rule": vars(arguments.rule),
        },
        language=language.code,
        seed=arguments.seed,
        inputs=store.inputs(Prompts),
        counts={"attempts": sum(map(len, played.values())), "pairs": len(made.pairs)},
    )
    name = arguments.generator
    store.replace(GeneratedTexts, made.texts.assign(generator=name), manifest, generator=name)
    store.replace(Pairs, made.pairs.assign(generator=name), manifest, generator=name)
    for measure in MEASURES:
        values = made.measures.query("measure == @measure").assign(generator=name)
        store.replace(PairMeasures, values, manifest, generator=name, measure=measure)
    _say_outcome(played, len(made.pairs))
    say_next("python -m paraphrase_game status", "--store", store.address)


def _play_all(
    arguments: Arguments, prompts: pd.DataFrame, judges: Judges, generator: "Generator"
) -> dict[str, list[Any]]:
    """The attempts at each sentence, by prompt_id."""

    def write(sentence: str, sampling: Sampling) -> list[str]:
        return generator.write([sentence], sampling, arguments.seed)[0]

    def judge(sentence: str, texts: Any) -> list[dict[str, Any]]:
        return judges.judge([sentence] * len(texts), list(texts), arguments.rule)

    played = {}
    rows = zip(prompts["prompt_id"], prompts["text"], strict=True)
    for prompt, text in progress(rows, label="playing", unit="sentences", total=len(prompts)):
        played[prompt] = play(text, write, judge, rounds(arguments.n_rounds))
    return played


def _say_outcome(played: dict[str, list[Any]], n_pairs: int) -> None:
    passing = sum(any(one.judgement and one.judgement["passed"] for one in attempts) for attempts in played.values())
    n, n_sentences = sum(map(len, played.values())), len(played)
    low, high = intervals.share(passing, n_sentences)
    say(f"{n:,} attempts at {n_sentences:,} sentences, {n_pairs:,} pairs")
    say(f"{passing:,} sentences have an attempt that passes: {passing / n_sentences:.1%} ({low:.1%} to {high:.1%})")
