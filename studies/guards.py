"""What each guard of an attack costs and keeps out: `python -m studies.guards RUN --mlm FOLDER --dataset DIR`.

The same originals are modified with all guards, then without each of them, then with none; with `--fluency`, also with
all and the guard of a causal language model. Printed per row: how many of the originals that the model had right it
has wrong afterwards, mean steps, processor seconds per original, and the words that misled it, of an original that all
guards together kept right or changed otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from data.console.commands import require_at_least, run
from data.console.marks import Positional
from data.console.messages import figure, progress, say
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from identification.config import ALL_GUARDS, AttackConfig, Machine
from identification.robustness.attacking import Attacker, AttackPlan
from identification.robustness.sampling import sample
from identification.robustness.targets import open_target
from identification.robustness.texts import list_words


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Attack the same originals with and without each guard."""

    run: Positional[str]
    """The model: a folder that `identification train` wrote."""
    mlm: str
    """The masked language model."""
    dataset: Path
    """The data set."""
    originals: int = 10
    """Originals of each label."""
    words: int = 10
    """K."""
    beam: int = 5
    """B."""
    fluency: Path | None = None
    """The folder of a causal language model, for a row with its guard."""
    seed: int = 1
    """The seed of the originals."""


def main(arguments: Arguments) -> None:
    """Print the table."""
    require_at_least("--originals", arguments.originals, 1)
    torch.set_num_threads(1)
    pairs = open_dataset(arguments.dataset, LabelSet())
    originals: list[Any] = sample(pairs, "test", arguments.originals, arguments.seed).to_dict("records")
    texts = [str(text) for side in ("first", "second") for text in pairs.frame[side]]
    plan = AttackPlan(
        target=arguments.run,
        mlm=arguments.mlm,
        language=pairs.language.code,
        words=[],
        config=AttackConfig(words=arguments.words, beam=arguments.beam, places=arguments.words),
        machine=Machine(precision="float32", threads=1),
    )
    say(f"{'guards':<20}{'paraphrases':>12}{'others':>9}{'steps':>7}{'s each':>8}  of those misled only here")
    configs = dict(_list_configs(plan.config, arguments.fluency))
    with open_target(plan.target, plan.machine, plan.asking, Path()) as target:
        usual: pd.DataFrame | None = None
        for name, config in progress(configs.items(), label="guards", unit="rows", total=len(configs)):
            words = list_words(texts, pairs.language, config.guards)
            attacker = Attacker.open(replace(plan, config=config, words=words), target)
            rows = pd.DataFrame(attacker.attack(originals)).assign(label=[row["label"] for row in originals])
            usual = rows if usual is None else usual
            _show(name, rows, usual)


def _list_configs(config: AttackConfig, fluency: Path | None) -> Iterator[tuple[str, AttackConfig]]:
    """What each row of the table is computed with."""
    yield "all", config
    for guard in ALL_GUARDS:
        yield f"without {guard}", replace(config, guards=tuple(name for name in ALL_GUARDS if name != guard))
    yield "none", replace(config, guards=())
    if fluency:
        yield "all, fluency", replace(config, fluency=fluency)


def _tell(edit: dict[str, Any]) -> str:
    return f"{edit['old_first']} | {edit['old_second']} > {edit['word']}"


def _show(name: str, rows: pd.DataFrame, usual: pd.DataFrame) -> None:
    fooled, right = rows["outcome"] == "fooled", rows["outcome"] != "wrong_at_start"
    shares = [
        f"{(fooled & (rows['label'] == label)).sum()}/{(right & (rows['label'] == label)).sum()}" for label in (1, 0)
    ]
    new = rows[fooled & ((usual["outcome"] != "fooled") | (usual["edits"] != rows["edits"]))]
    example = "" if new.empty else "; ".join(map(_tell, new.sort_values("label", kind="stable")["edits"].iloc[-1]))
    steps = figure(rows.loc[fooled, "n_steps"].mean() if fooled.any() else None, 1)
    say(f"{name:<20}{shares[0]:>12}{shares[1]:>9}{steps:>7}{rows['seconds'].mean():>8.2f}  {example}")


if __name__ == "__main__":
    run(main, prog="python -m studies.guards")
