"""The command `train`: pairs of what means the same -> a generator that is rewarded as players are."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from apt.config import GeneratorRule, RewardRule
from apt.judges.judging import JudgeChoice, open_judges
from data.console import say, say_next
from data.errors import InputError
from data.extras import demand_models
from data.labelled.corpora import load


@dataclass(frozen=True, kw_only=True)
class Train:
    """Train a language model to play: on paraphrases, or on what it writes itself."""

    pairs: tyro.conf.Positional[Path]
    """A file or folder of labelled pairs, in any form that `identification` reads; its paraphrases are learned from."""
    out: Path
    """The generator's folder; an unfinished run in it goes on."""
    limit: int | None = None
    """Use so many of the paraphrases; all if omitted."""
    rule: Annotated[GeneratorRule, tyro.conf.arg(name="")] = field(default_factory=GeneratorRule)
    judges: Annotated[JudgeChoice, tyro.conf.arg(name="")] = field(default_factory=JudgeChoice)


def main(arguments: Train) -> None:
    """Write the model of each epoch and say what it would have earned."""
    demand_models("train")
    from apt.generator.training import train

    frame, _ = load(arguments.pairs)
    rows = frame[(frame["binary"] == 1).fillna(False).astype(bool)].head(arguments.limit or len(frame))
    if rows.empty:
        raise InputError(arguments.pairs, expected="paraphrases", found="none", remedy="name other pairs")
    judges = open_judges(arguments.judges)
    if judges.stand_ins:
        say(judges.stand_ins)
    rule = RewardRule(highest=arguments.rule.highest)
    pairs = list(zip(rows["first"].tolist(), rows["second"].tolist(), strict=True))
    history = train(pairs, arguments.rule, partial(judges.judge, rule=rule), judges.sha256, arguments.out)
    for epoch in history:
        say(f"epoch {epoch['epoch']:.0f}: loss {epoch['loss']:.4f}, mean reward {epoch['reward']:.3f}")
    last = arguments.out / f"epoch-{len(history)}"
    say(f"the generator of {len(pairs):,} pairs: {last}")
    say_next("python -m apt generate", "--model", last, "--prompts", "definitions")
