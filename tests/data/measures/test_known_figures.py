"""Agreement and labels of real people's ratings, against what is known of them."""

import numpy as np
import pandas as pd
import pytest

from annotation.aggregation.models import posteriors
from data.measures import agreement
from studies.rating_data import read_lewidi, read_truth_inference


def accuracy(chances, truth):
    """The share of right labels, a tie counted half."""
    chances = chances.reindex(truth.index)
    return np.where(chances == 0.5, 0.5, (chances > 0.5) == (truth == 1)).mean()


@pytest.mark.parametrize(("name", "majority"), [("product", 0.8966), ("duck", 0.7593)])
def test_the_majority_of_the_truth_inference_data(shared_data, name, majority):
    votes, truth = read_truth_inference(shared_data / "annotations" / "truth_inference", name)
    assert accuracy(posteriors(votes, "majority"), truth) == pytest.approx(majority, abs=5e-5)
    assert accuracy(posteriors(votes, "dawid-skene"), truth) > majority


def test_the_fleiss_kappa_of_lewidis_paraphrases(shared_data):
    scores, overlap = read_lewidi(shared_data / "annotations" / "lewidi2025")
    assert (len(scores), scores["annotator"].nunique(), len(overlap)) == (2_000, 4, 500)
    pairs = pd.factorize(scores["pair_id"])[0].astype("int64")
    binary = agreement.counts(pairs, (scores["score"] > 0).to_numpy("int64"), 2)
    assert agreement.fleiss_kappa(binary).value == pytest.approx(0.423, abs=5e-4)
    eleven = agreement.counts(pairs, (scores["score"] + 5).to_numpy("int64"), 11)
    assert agreement.fleiss_kappa(eleven).value == pytest.approx(0.155, abs=5e-4)
