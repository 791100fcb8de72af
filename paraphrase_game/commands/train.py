"""The command `train`: pairs of what means the same -> a generator that is rewarded as players are."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Limit, Positional
from data.console.messages import say, say_next
from data.console.optional_packages import require_models
from data.labelled.corpora import load
from paraphrase_game.config import GENERATORS, GeneratorRule, RewardRule
from paraphrase_game.judges.judging import JudgeChoice, open_judges

RECIPES = GENERATORS


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Train a language model to play: on paraphrases, or on what it writes itself."""

    pairs: Positional[tuple[Path, ...]]
    """Files or folders of labelled pairs, in any form that `identification` reads. What is learned from are the
    paraphrases among them: of a data set with splits, only its training part."""
    recipe: str
    """Whose settings hold where a flag gives no other."""
    config: GeneratorRule
    out: Path
    """The generator's folder; an unfinished run in it goes on."""
    limit: Limit[int | None] = None
    """Draw this many of the paraphrases, by --seed; all if omitted."""
    judges: JudgeChoice = field(default_factory=JudgeChoice)


def main(arguments: Arguments) -> None:
    """Write the model of each epoch and say what it would have earned."""
    require_models("train")
    from paraphrase_game.generator.training import train

    rows = _paraphrases(arguments)
    judges = open_judges(arguments.judges)
    if judges.stand_ins:
        say(judges.stand_ins)
    rule = RewardRule(highest=arguments.config.highest)
    pairs = list(zip(rows["first"].tolist(), rows["second"].tolist(), strict=True))
    history = train(pairs, arguments.config, partial(judges.judge, rule=rule), judges.sha256, arguments.out)
    for epoch in history:
        say(f"epoch {epoch['epoch']:.0f}: loss {epoch['loss']:.4f}, mean reward {epoch['reward']:.3f}")
    last = arguments.out / f"epoch-{len(history)}"
    say(f"the generator of {len(pairs):,} pairs: {last}")
    say_next("python -m paraphrase_game generate", "--model", last, "--prompts", "definitions", *arguments.judges.flags)


def _paraphrases(arguments: Arguments) -> pd.DataFrame:
    frame = pd.concat([load(path)[0] for path in arguments.pairs], ignore_index=True)
    paraphrases = frame[(frame["binary"] == 1).fillna(False).astype(bool)]
    rows = paraphrases[paraphrases["split"].isna() | (paraphrases["split"] == "train")]
    if rows.empty:
        raise InputError(
            " ".join(map(str, arguments.pairs)),
            expected="paraphrases to learn from",
            found=f"{len(paraphrases):,} paraphrases, none of them in a training part",
            remedy="name other pairs",
        )
    require_at_least("--limit", arguments.limit, 1)
    if arguments.limit is None or arguments.limit >= len(rows):
        return rows
    return rows.sample(arguments.limit, random_state=arguments.config.seed)
