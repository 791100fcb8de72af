"""Scores of models as other programs write them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.datasets.predictions import read_predictions

PAIRS = pd.Series(["p", "q", "r", "s"])


@pytest.mark.parametrize(
    "content",
    [
        "pair_id,score\np,1\nq,0.0\nr,\n",
        "Pair_ID, Score\np,True\nq,false\nr,NaN\n",
        '"pair_id"\t"score"\n"p"\t1.0\n"q"\t0\n"s"\t\n',
        "\ufeffPAIR_ID;score\np;1\nq;0\n",
    ],
)
def test_scores_are_read_as_programs_write_them(content: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, "utf-8")
    np.testing.assert_array_equal(read_predictions(path, PAIRS), [1, 0, np.nan, np.nan])
