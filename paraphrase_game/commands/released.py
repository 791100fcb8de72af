"""The command `released`: the authors' files -> their table of sizes, what each guard costs, and a figure."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import tyro

from data.console.messages import say
from data.files.whole import whole_file
from paraphrase_game.config import RewardRule
from paraphrase_game.game import figures
from paraphrase_game.game.guards import GuardRule
from paraphrase_game.judges.released import MACHINE, SUBMITS, TEST, read_log, read_machine, read_split


@dataclass(frozen=True, kw_only=True)
class Released:
    """Recompute what the paper prints of its own game from the released files, and what the guards would cost there."""

    folder: tyro.conf.Positional[Path]
    """The folder of the released files (ap_h_final_checks.tsv.gz …)."""
    figure: Path | None = None
    """Write the distribution of BLEURT by outcome to this SVG file."""
    min_words: int = 6
    """Sentences with fewer words would not have been played."""
    reward: RewardRule = field(default_factory=RewardRule)
    guards: GuardRule = field(default_factory=GuardRule)


def main(arguments: Released) -> None:
    """Print the tables; write the figure where one is asked for."""
    log, submits = read_log(arguments.folder), read_log(arguments.folder, SUBMITS)
    _say_sizes(log, arguments)
    _say_leak(arguments.folder)
    refused = figures.guard(log, arguments.guards, arguments.min_words)
    table = figures.guard_costs(log, refused)
    say(f"\n{'guard':<16}{'checks':>8}{'MI':>7}{'paid':>7}{'dollars':>10}{'of paid':>9}{'of dollars':>12}")
    for name, row in table.iterrows():
        say(
            f"{name!s:<16}{row['checks']:>8,.0f}{row['mi']:>7,.0f}{row['paid']:>7,.0f}{row['dollars']:>10.2f}"
            f"{row['of_paid']:>9.1%}{row['of_dollars']:>12.1%}"
        )
    say(f"\nmedian pay per hour of sessions that earned any: ${figures.hourly_pay(submits):.2f}")
    parts = {
        "MI, paid": log.loc[log["dollar"] > 0, "bleurt"],
        "MI, not paid": log.loc[(log["mi"] == 1) & (log["dollar"] == 0), "bleurt"],
        "no MI": log.loc[log["mi"] == 0, "bleurt"],
    }
    say(f"\nBLEURT{'5 %':>16}{'25 %':>8}{'50 %':>8}{'75 %':>8}{'95 %':>8}")
    for name, values in figures.similarity_quantiles(parts).iterrows():
        say(f"{name!s:<14}" + "".join(f"{value:>8.2f}" for value in values))
    if arguments.figure:
        _draw(parts, arguments.figure)
        say(f"figure written to {arguments.figure}")


def _say_sizes(log: pd.DataFrame, arguments: Released) -> None:
    sizes = figures.count_attempts(log, arguments.reward)
    say(f"{'Table 2, AP_H':<20}{'computed':>10}{'printed':>10}")
    for name, value in sizes.items():
        say(f"{name:<20}{value:>10,}{figures.PRINTED[name]:>10,}")
    if sizes["APT"] != figures.PRINTED["APT"]:
        say("the paper counts what was paid, which goes up to a BLEURT of 0.515: --recipe code")


def _say_leak(folder: Path) -> None:
    test = set(read_split(folder, TEST)["text_a"])
    for name in MACHINE:
        rows = read_machine(folder, name)
        shared = rows["sentence"].isin(test)
        say(
            f"{name}: {len(rows):,} attempts, {rows['sentence'].nunique():,} sources; "
            f"{rows.loc[shared, 'sentence'].nunique()} of the {len(test)} sources of AP_H-test among them "
            f"({shared.sum()} rows)"
        )


def _draw(parts: dict[str, "pd.Series[float]"], path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "apt", "svg.fonttype": "none"}), whole_file(path) as unfinished:
        figure = Figure(figsize=(7, 3.5), layout="constrained")
        axes = figure.subplots()
        for name, values in parts.items():
            axes.hist(values, bins=60, range=(-2.2, 1.2), histtype="step", label=f"{name} ({len(values):,})")
        axes.axvline(0.5, color="0.6", linestyle=":")
        axes.set(xlabel="BLEURT", ylabel="attempts")
        axes.legend(frameon=False)
        figure.savefig(unfinished, format="svg", metadata={"Date": None})
