"""How frequent the pooled model takes paraphrases to be, on drawn crowds."""

import numpy as np
import pandas as pd

from data.measures.raters.pooled_dawid_skene import fit


def test_few_votes_on_hard_pairs_do_not_move_the_share() -> None:
    """Without a hold on the shares as given, a mean of 38 % positive votes becomes 23 % paraphrases."""
    given, found = zip(*(_shares(n_pairs=100, share=0.44, seed=seed) for seed in range(12)), strict=True)
    assert abs(np.mean(found) - np.mean(given)) < 0.06


def test_many_pairs_tell_how_rare_paraphrases_are() -> None:
    """Of 3 %, annotators who err make some 25 % of the votes; the model sees through part of it."""
    given, found = _shares(n_pairs=1_500, share=0.03, seed=1)
    assert found < 0.75 * given


def _shares(n_pairs: int, share: float, seed: int, n_people: int = 30, per_pair: int = 3) -> tuple[float, float]:
    """The share of positive votes, and of pairs that the model takes for paraphrases; people differ widely."""
    random = np.random.default_rng(seed)
    is_paraphrase = random.random(n_pairs) < share
    if_paraphrase, if_not = random.beta(4, 4, n_people), random.beta(6, 2.5, n_people)
    people = np.argsort(random.random((n_pairs, n_people)), axis=1)[:, :per_pair].ravel()
    pairs = np.repeat(np.arange(n_pairs), per_pair)
    chances = np.where(is_paraphrase[pairs], if_paraphrase[people], 1 - if_not[people])
    votes = (random.random(len(pairs)) < chances).astype("int64")
    columns = {"pair_id": pairs.astype(str), "annotator": people.astype(str), "score": votes, "vote": votes}
    model = fit(pd.DataFrame(columns))
    return float(votes.mean()), float(model.chances.loc[:, model.is_paraphrase].sum(axis=1).mean())
