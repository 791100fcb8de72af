"""How far people's labels agree with the word of entailment models about the same pairs; pure."""

import numpy as np
import pandas as pd

from analysis.evaluation.metrics import cells, measures_of, plain


def compare(labels: pd.DataFrame, judged: pd.DataFrame) -> dict[str, float | int | None]:
    """pairs, accuracy, mcc and precision of the judges against people; null where not defined.

    `labels`: pair_id, binary (1: paraphrase); `judged`: pair_id, value (1: each text entails the other).
    """
    both = labels[["pair_id", "binary"]].merge(judged.drop_duplicates("pair_id"), on="pair_id").dropna()
    people, machine = ((both[name] == 1).to_numpy(np.bool_) for name in ("binary", "value"))
    found = measures_of(cells(people, machine).sum(axis=0, keepdims=True))
    return {"pairs": len(both)} | {name: plain(found[name][0]) for name in ("accuracy", "mcc", "precision")}
