"""The numbers behind each drawing, as CSV; pure. Each takes the value of a figure (see `reporting.catalogue`)."""

from typing import Any

import pandas as pd

from data.files.spreadsheet_cells import without_formulas
from data.labelled.metrics import MEASURES


def tabulate_overlap(value: dict[str, Any]) -> str:
    """One row per tenth of the overlap: shares of paraphrases and of non-paraphrases."""
    columns = {name: value[name]["deciles"] or [None] * 10 for name in ("paraphrase", "non_paraphrase")}
    return _csv(pd.DataFrame({"from": [tenth / 10 for tenth in range(10)], **columns}))


def tabulate_votes(spreads: list[dict[str, Any]]) -> str:
    """One row per tenth of the overlap: shares of the pairs by number of votes."""
    columns = {f"votes_{votes}": spread["deciles"] or [None] * 10 for votes, spread in enumerate(spreads)}
    return _csv(pd.DataFrame({"from": [tenth / 10 for tenth in range(10)], **columns}))


def tabulate_foretold(bins: list[dict[str, Any]]) -> str:
    """One row per tenth of the chance: held-out votes, their mean chance, and the share that came."""
    return _csv(pd.DataFrame(bins, columns=["n", "chance", "vote"]))


def tabulate_lengths(histogram: list[int], text: str) -> str:
    """One row per number of words: how many texts have that many; `text`: what one is called."""
    return _csv(pd.DataFrame({"words": range(len(histogram)), f"{text}s": histogram}))


def tabulate_baselines(rows: list[dict[str, Any]]) -> str:
    """One row per model, threshold rule and split: the measures with their intervals."""
    table = [
        {name: row[name] for name in OF_BASELINES}
        | {f"{name}{end}": row[name][key] for name in MEASURES for key, end in ENDS}
        for row in rows
    ]
    return _csv(pd.DataFrame(table))


OF_BASELINES = ("model", "runs", "must_fail", "rule", "threshold", "split", "n", "missing", "auc", "auc_spread")
ENDS = (("value", ""), ("low", "_low"), ("high", "_high"), ("spread", "_spread"))


def _csv(table: pd.DataFrame) -> str:
    text: str = without_formulas(table).to_csv(index=False, lineterminator="\n")
    return text
