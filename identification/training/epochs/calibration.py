"""Logits as probabilities, thresholds, and the measures by which an epoch is chosen; pure."""

import math
from collections.abc import Mapping

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss

from data.labelled.metrics import measure_auc
from data.measures.agreement import Reals
from identification.config import Measure

TEMPERATURES = 0.05, 20.0
"""The temperatures that are tried."""
CONSTANT = 1e-3
"""Scores of validation that all lie within this range are a constant prediction."""


def scores_of(logits: Reals, temperature: float) -> Reals:
    """P(paraphrase), 0 to 1."""
    scores: Reals = expit(logits / temperature)
    return scores


def measure(scores: Reals, labels: Reals, threshold: float = 0.5) -> dict[str, float]:
    """NLL, F1 and accuracy at the threshold, and ROC AUC of scores against labels of both kinds."""
    said, auc = scores >= threshold, measure_auc(labels == 1, scores)
    return {
        "nll": float(log_loss(labels, scores, labels=[0.0, 1.0])),
        "f1": float(f1_score(labels, said, zero_division=0.0)),
        "accuracy": float((said == labels).mean()),
        "auc": math.nan if auc is None else auc,
    }


def is_better(measures: Mapping[str, float], best: Mapping[str, float] | None, select: Measure) -> bool:
    """Whether an epoch is better than the best before it."""
    if best is None:
        return True
    return measures[select] < best[select] if select == "nll" else measures[select] > best[select]


def fit_temperature(logits: Reals, labels: Reals) -> float:
    """The temperature with the lowest NLL (Guo et al. 2017); it changes no order and no decision at 0.5."""

    def nll(log_temperature: float) -> float:
        return float(np.logaddexp(0, np.where(labels == 1, -1, 1) * logits / math.exp(log_temperature)).mean())

    limits = math.log(TEMPERATURES[0]), math.log(TEMPERATURES[1])
    return float(math.exp(minimize_scalar(nll, bounds=limits, method="bounded", options={"xatol": 1e-6}).x))


def name_outcome(scores: Reals, labels: Reals) -> str:
    """`trained`, `constant_prediction` or `loss_did_not_fall`, by the scores and labels of validation.

    The loss has fallen where the scores' loss, with the best slope and shift of their logits, lies below the loss of
    the best constant by more than the standard error of their difference over the pairs: scores without any order of
    their own pass in about one of fifty cases.
    """
    if len(scores) and np.ptp(scores) < CONSTANT:
        return "constant_prediction"
    limit = np.finfo(np.float64).eps
    logits = logit(np.clip(scores, limit, 1 - limit))[:, None]
    fitted = LogisticRegression(C=np.inf).fit(logits, labels)
    if fitted.coef_[0, 0] <= 0:
        return "loss_did_not_fall"
    gains = _losses(np.full(len(labels), labels.mean()), labels) - _losses(fitted.predict_proba(logits)[:, 1], labels)
    return "trained" if gains.mean() > gains.std() / math.sqrt(len(gains)) else "loss_did_not_fall"


def _losses(scores: Reals, labels: Reals) -> Reals:
    """The negative log-likelihood of each pair."""
    likelihoods = np.where(labels == 1, scores, 1 - scores)
    losses: Reals = -np.log(np.maximum(likelihoods, np.finfo(np.float64).tiny))
    return losses
