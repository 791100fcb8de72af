"""How far people's labels agree with the judges' word; pure."""

from dataclasses import dataclass

import pandas as pd
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef


@dataclass(frozen=True, kw_only=True)
class JudgeAgreement:
    """Judges against people on the same pairs; a measure is None where one side gave one answer only."""

    n: int
    agree: float
    mcc: float | None
    kappa: float | None
    precision: float | None
    """The share of pairs that people accept among those that the judges accept."""


def compare(judged: pd.DataFrame, labels: pd.DataFrame) -> JudgeAgreement:
    """`judged`: pair_id, value (1: both directions entail); `labels`: pair_id, binary (1: paraphrase)."""
    both = judged[["pair_id", "value"]].merge(labels[["pair_id", "binary"]], on="pair_id").dropna()
    machine, people = both["value"].astype(int), both["binary"].astype(int)
    varied = machine.nunique() == 2 and people.nunique() == 2
    accepted = people[machine == 1]
    return JudgeAgreement(
        n=len(both),
        agree=float((machine == people).mean()) if len(both) else 0.0,
        mcc=float(matthews_corrcoef(people, machine)) if varied else None,
        kappa=float(cohen_kappa_score(people, machine)) if varied else None,
        precision=float(accepted.mean()) if len(accepted) else None,
    )
