"""What the authors' released files show of their game: `python -m studies.released_game FOLDER`.

Printed: what each guard would have cost, pay per hour, and quantiles of BLEURT. `studies.papers` has their tables.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from data.console.commands import run
from data.console.marks import Positional
from data.console.messages import progress, say
from data.files.sheets import read_delimited
from data.texts import words
from paraphrase_game.game.guards import REASONS, Earlier, GuardRule, refuse
from paraphrase_game.judges.released import PLAIN, REMEDY, SUBMITS, TEST, WHAT, read_log, read_split

MACHINE = ("ap_t5_msrp.tsv.gz", "ap_t5_twitterppdb.tsv.gz")
"""The attempts of the authors' generator."""


def guard(log: pd.DataFrame, rule: GuardRule, min_words: int) -> "pd.Series[str]":
    """The guard that would have refused each check; `short_sentence` where its sentence would not have been played.

    Checks are taken in the order of their times, each with the earlier ones of its session and of other sessions.
    """
    refused: list[str] = []
    by_sentence, by_session = (
        defaultdict[str, list[tuple[str, str]]](list),
        defaultdict[str, list[tuple[str, str]]](list),
    )
    rows = log.sort_values("time", kind="stable")
    columns = (rows[name] for name in ("token", "sentence", "candidate"))
    for token, sentence, candidate in progress(zip(*columns, strict=True), label="guards", total=len(rows)):
        if words.count_words(sentence) < min_words:
            refused.append("short_sentence")
            continue
        earlier = Earlier(
            own=[text for who, text in by_sentence[sentence] if who == token],
            elsewhere=[text for of, text in by_session[token] if of != sentence],
            others=[text for who, text in by_sentence[sentence] if who != token],
        )
        refused.append(refuse(candidate, sentence, earlier, rule))
        by_sentence[sentence].append((token, candidate))
        by_session[token].append((sentence, candidate))
    return pd.Series(refused, index=rows.index, dtype="object").reindex(log.index)


def guard_costs(log: pd.DataFrame, refused: "pd.Series[str]") -> pd.DataFrame:
    """Per guard: checks, checks with MI, paid checks, and the dollars, with their shares of all."""
    rows = log.assign(guard=refused, paid=log["dollar"] > 0)
    table = rows.groupby("guard").agg(
        checks=("mi", "size"), mi=("mi", "sum"), paid=("paid", "sum"), dollars=("dollar", "sum")
    )
    table = table.reindex(["short_sentence", *REASONS, ""]).fillna(0).astype({"checks": int, "mi": int, "paid": int})
    shares = table.assign(
        of_checks=table["checks"] / len(log),
        of_paid=table["paid"] / rows["paid"].sum(),
        of_dollars=table["dollars"] / log["dollar"].sum(),
    )
    return shares.rename(index={"": "(none)"})


def similarity_quantiles(parts: dict[str, "pd.Series[float]"]) -> pd.DataFrame:
    """Quantiles of BLEURT per part."""
    at = [0.05, 0.25, 0.5, 0.75, 0.95]
    return pd.DataFrame({name: values.quantile(at) for name, values in parts.items()}).T


def hourly_pay(submits: pd.DataFrame, longest: float = 900.0) -> float:
    """The dollars per hour of the median session that earned any; a sentence takes at most `longest` seconds."""
    earned = submits.groupby("token")["dollar"].transform("sum") > 0
    rows = submits[earned].dropna(subset=["dollar"])
    sessions = rows.assign(spent=np.minimum(rows["duration"], longest)).groupby("token")[["dollar", "spent"]].sum()
    return float((3600 * sessions["dollar"] / sessions["spent"]).median())


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Compute from the released files what the guards would cost there."""

    folder: Positional[Path]
    """The folder of the released files (ap_h_final_checks.tsv.gz …)."""
    min_words: int = 6
    """Sentences with fewer words would not have been played."""
    guards: GuardRule = field(default_factory=GuardRule)


def main(arguments: Arguments) -> None:
    """Print the tables."""
    log, submits = read_log(arguments.folder), read_log(arguments.folder, SUBMITS)
    _say_leak(arguments.folder)
    refused = guard(log, arguments.guards, arguments.min_words)
    table = guard_costs(log, refused)
    say(f"\n{'guard':<16}{'checks':>8}{'MI':>7}{'paid':>7}{'dollars':>10}{'of paid':>9}{'of dollars':>12}")
    for name, row in table.iterrows():
        say(
            f"{name!s:<16}{row['checks']:>8,.0f}{row['mi']:>7,.0f}{row['paid']:>7,.0f}{row['dollars']:>10.2f}"
            f"{row['of_paid']:>9.1%}{row['of_dollars']:>12.1%}"
        )
    say(f"\nmedian pay per hour of sessions that earned any: ${hourly_pay(submits):.2f}")
    parts = {
        "MI, paid": log.loc[log["dollar"] > 0, "bleurt"],
        "MI, not paid": log.loc[(log["mi"] == 1) & (log["dollar"] == 0), "bleurt"],
        "no MI": log.loc[log["mi"] == 0, "bleurt"],
    }
    say(f"\nBLEURT{'5 %':>16}{'25 %':>8}{'50 %':>8}{'75 %':>8}{'95 %':>8}")
    for name, values in similarity_quantiles(parts).iterrows():
        say(f"{name!s:<14}" + "".join(f"{value:>8.2f}" for value in values))


def _say_leak(folder: Path) -> None:
    test = set(read_split(folder, TEST)["text_a"])
    for name in MACHINE:
        rows = read_delimited(folder / name, WHAT, REMEDY, **PLAIN)
        shared = rows["sentence"].isin(test)
        say(
            f"{name}: {len(rows):,} attempts, {rows['sentence'].nunique():,} sources; "
            f"{rows.loc[shared, 'sentence'].nunique()} of the {len(test)} sources of AP_H-test among them "
            f"({shared.sum()} rows)"
        )


if __name__ == "__main__":
    run(main, prog="python -m studies.released_game")
