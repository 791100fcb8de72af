"""Temperature, threshold, batches and named outcomes: laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score

from identification.config import TrainingConfig

pytest.importorskip("torch", reason="torch is not installed: make models")

import torch

from data.labelled.metrics import best_threshold
from identification.architectures.networks.base import Recipe
from identification.architectures.networks.diin import DIIN
from identification.training.epochs import batches, calibration
from identification.training.epochs.loop import OPTIMIZERS, loss_of
from identification.training.epochs.settings import settle

LOGITS = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.integers(-40, 40).map(lambda tenth: tenth / 10)),
        arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0])),
    )
)


@pytest.mark.sweep
@given(LOGITS)
def test_no_other_threshold_has_a_higher_f1(drawn) -> None:
    logits, labels = drawn
    scores = calibration.scores_of(logits, 1.0)
    threshold = best_threshold(scores, labels)
    best = f1_score(labels, scores >= threshold, zero_division=0.0)
    for cut in np.unique(scores):
        assert best >= f1_score(labels, scores >= cut, zero_division=0.0) - 1e-9


@given(LOGITS)
def test_the_temperature_never_raises_the_nll(drawn) -> None:
    logits, labels = drawn
    if len(np.unique(labels)) < 2:
        return
    temperature = calibration.fit_temperature(logits, labels)
    fitted, plain = (calibration.measure(calibration.scores_of(logits, t), labels) for t in (temperature, 1.0))
    assert fitted["nll"] <= plain["nll"] + 1e-4
    assert fitted["auc"] == pytest.approx(plain["auc"])
    assert fitted["accuracy"] == plain["accuracy"]


def test_outcomes_have_names() -> None:
    rng = np.random.default_rng(2)
    labels = (rng.random(400) < 0.67).astype(np.float64)
    noise = rng.normal(size=400)
    weak, guess = (calibration.scores_of(0.7 + signal * (labels - 0.67) + 0.3 * noise, 1.0) for signal in (0.5, 0.0))
    assert calibration.name_outcome(weak, labels) == "trained"
    assert calibration.name_outcome(guess, labels) == "loss_did_not_fall"
    assert calibration.name_outcome(weak * 1e-5, labels) == "constant_prediction"
    assert calibration.name_outcome(1 - weak, labels) == "loss_did_not_fall", "the wrong way round"
    assert calibration.name_outcome(weak / 2, labels) == "trained", "the threshold makes good for a shift"
    assert calibration.name_outcome(labels, labels) == "trained", "certain and right"
    assert calibration.name_outcome(1 - labels, labels) == "loss_did_not_fall", "certain and wrong"


def test_scores_that_know_nothing_seldom_count_as_trained() -> None:
    rng = np.random.default_rng(4)
    labels = (rng.random((100, 300)) < 0.6).astype(np.float64)
    scores = np.clip(0.6 + 0.05 * rng.normal(size=labels.shape), 0.01, 0.99)
    outcomes = [calibration.name_outcome(*row) for row in zip(scores, labels, strict=True)]
    assert outcomes.count("trained") < 7


@given(arrays(np.int64, st.integers(0, 300), elements=st.integers(1, 90)), st.integers(1, 33), st.integers(0, 9))
def test_every_row_is_in_one_batch_and_batches_are_of_like_cost(cost, size, seed) -> None:
    for parts in (batches.deal(cost, size, np.random.default_rng(seed)), batches.rank(cost, size)):
        assert sorted(np.concatenate(parts).tolist() if parts else []) == list(range(len(cost)))
        assert all(0 < len(part) <= size for part in parts)
    if len(cost):
        assert sum(np.ptp(cost[part]) for part in batches.rank(cost, size)) <= np.ptp(cost)


@given(st.floats(0, 1), st.floats(-3, 3))
def test_soft_losses_are_the_mix_of_the_two_hard_ones(share, logit) -> None:
    logits = torch.tensor([[0.0, logit]])
    for loss in ("cross-entropy", "multi-margin"):
        settings = settle(TrainingConfig(recipe="paper"), "bow", RECIPES[loss], trains_words=False)
        no, mixed, yes = (float(loss_of(logits, torch.tensor([target]), settings)) for target in (0.0, share, 1.0))
        assert mixed == pytest.approx(share * yes + (1 - share) * no, abs=1e-5)


RECIPES = {
    loss: Recipe(optimizer="adam", learning_rate=0.1, batch_size=7, epochs=9, loss=loss)
    for loss in ("cross-entropy", "multi-margin")
}


def test_recipes_settle_what_no_one_chose() -> None:
    paper = settle(TrainingConfig(recipe="paper"), "esim", RECIPES["cross-entropy"], trains_words=True)
    assert (paper.learning_rate, paper.batch_size, paper.epochs, paper.soft, paper.select) == (0.1, 7, 9, False, "f1")
    assert paper.train_words
    chosen = TrainingConfig(labels="hard", epochs=2, select="auc", train_words=True)
    ours = settle(chosen, "esim", RECIPES["cross-entropy"], trains_words=False)
    assert (ours.epochs, ours.soft, ours.select, ours.train_words) == (2, False, "auc", True)
    assert settle(TrainingConfig(), "esim", RECIPES["cross-entropy"], trains_words=True).soft


def test_diin_s_recipe_is_the_adadelta_of_its_released_code() -> None:
    paper = settle(TrainingConfig(recipe="paper"), "diin", DIIN.recipe, trains_words=True)
    optimizer = OPTIMIZERS[paper.optimizer]([torch.zeros(1)], lr=paper.learning_rate)
    assert isinstance(optimizer, torch.optim.Adadelta)
    settings = {name: optimizer.defaults[name] for name in ("lr", "rho", "eps")}
    assert settings == {"lr": 0.5, "rho": 0.95, "eps": 1e-8}
    assert (paper.batch_size, paper.clip_norm) == (70, 1.0)


def test_the_rate_rises_then_falls_to_nothing_or_decays_by_epoch() -> None:
    wide = settle(TrainingConfig(), "cross-entropy", RECIPES["cross-entropy"], trains_words=False)
    assert {wide.rate(step, 100, 0) for step in range(100)} == {wide.learning_rate}
    bert = settle(TrainingConfig(), "cross-encoder:x", RECIPES["cross-entropy"], trains_words=True, width=768)
    rates = [bert.rate(step, 100, 0) for step in range(100)]
    assert max(rates) == bert.learning_rate == 3e-5
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] < 1e-6
