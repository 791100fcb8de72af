"""Labels that follow from others along a path of sentences: s2' - s2 - s1 - s1'; pure.

s1 and s2 are a sentence and its word swap, s1' and s2' their back translations. Source: Zhang et al. 2019 (PAWS),
section 3.2, rules (1) to (3).
"""

import numpy as np
import pandas as pd


def follow_path(*labels: pd.Series) -> pd.Series:
    """The label of the two ends of each path from the labels of its steps, as Int64.

    1 where all steps are 1; 0 where exactly one is 0; null where more are, or one is null: two sentences that differ
    from a third may mean the same.
    """
    steps = pd.concat([step.reset_index(drop=True).astype("Int64") for step in labels], axis=1)
    zeros = (steps == 0).sum(axis=1).to_numpy("int64")
    unknown = (zeros > 1) | steps.isna().any(axis=1).to_numpy(bool)
    return pd.Series(np.where(zeros == 0, 1, 0), dtype="Int64").mask(unknown)
