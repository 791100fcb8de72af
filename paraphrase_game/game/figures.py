"""What the authors' released files show: their table of sizes, what each guard would have cost, and similarities."""

from collections import defaultdict

import numpy as np
import pandas as pd

from data.console.messages import progress
from data.texts import words
from paraphrase_game.config import RewardRule
from paraphrase_game.game.guards import REASONS, Earlier, GuardRule, refuse
from paraphrase_game.judges.reward import passed

PRINTED = {
    "attempts": 5007, "APT": 2659, "MI": 3232, "non-MI": 1775, "sources": 1631, "sources with APT": 1231,
    "sources with MI": 1338, "sources never MI": 293,
}  # fmt: skip
"""The row of AP_H in Table 2 of the paper."""


def count_attempts(log: pd.DataFrame, rule: RewardRule) -> dict[str, int]:
    """The row of AP_H in the paper's Table 2: attempts and source sentences, by what became of them."""
    by_source = log.groupby("sentence")
    ours = log.assign(apt=passed(log["mi"] == 1, log["bleurt"], rule))
    paid = log.assign(apt=log["dollar"] > 0)
    apt = paid if rule.recipe == "code" else ours
    implied = by_source["mi"].max()
    return {
        "attempts": len(log),
        "APT": int(apt["apt"].sum()),
        "MI": int(log["mi"].sum()),
        "non-MI": int((log["mi"] == 0).sum()),
        "sources": int(log["sentence"].nunique()),
        "sources with APT": int(apt.groupby("sentence")["apt"].max().sum()),
        "sources with MI": int(implied.sum()),
        "sources never MI": int((implied == 0).sum()),
    }


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
    """Per guard: checks, those of them with MI, those that were paid, and the dollars, with their shares of all."""
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
