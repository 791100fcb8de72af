"""Models judged side by side (see `models.judge`) as one self-contained HTML page; pure except for its template."""

from typing import Any

from markupsafe import Markup

from analysis.evaluation import comparing
from analysis.reporting import figures
from analysis.reporting.models import HEADLINE, RULES
from analysis.reporting.page import template
from data.measures import intervals

PARADE_SOURCE = "He et al. 2020, Tables 7 and 11, on the published test split"
PARADE: dict[str, dict[str, float]] = {
    name: dict(zip(("accuracy", "f1", "precision", "recall"), figures, strict=True))
    for name, figures in {
        "DecAtt": (0.540, 0.530, 0.519, 0.541),
        "ESIM": (0.595, 0.646, 0.556, 0.770),
        "PWIM": (0.701, 0.687, 0.689, 0.686),
        "SSE": (0.689, 0.702, 0.649, 0.764),
        "BERT-base": (0.729, 0.708, 0.687, 0.731),
        "BERT-large": (0.736, 0.709, 0.669, 0.753),
        "ALBERT-xxlarge": (0.753, 0.741, 0.738, 0.745),
        "SciBERT": (0.741, 0.723, 0.707, 0.740),
    }.items()
}
"""One seed each, without intervals. The code that the paper names for the first four chooses epoch and threshold on the
test split; its reading of ESIM shares one LSTM between both directions."""


def draw(judged: dict[str, Any]) -> dict[str, str]:
    """The drawings as SVG elements, by name; those without a value are missing."""
    models, curves = judged["models"], judged["curves"]
    drawings = {
        "models_auc": figures.draw_models(models, HEADLINE, "auc", "ROC-AUC"),
        "models_f1": figures.draw_models(models, HEADLINE, "f1", "F1"),
    }
    if any(model["bins"] for model in models):
        drawings["calibration"] = figures.draw_calibration(models)
    if curves:
        drawings["curves_f1"] = figures.draw_curves(curves, "f1", "F1")
    return drawings


def render(judged: dict[str, Any], title: str, again: str, beside_parade: bool) -> str:
    """The page; `again`: the command that makes it; `beside_parade`: show what He et al. print on the same pairs."""
    page: str = template("models.html").render(
        judged=judged,
        few=intervals.warn_of_few(judged["n_groups"]),
        title=title,
        again=again,
        rules=RULES,
        measures=comparing.MEASURES,
        drawings={name: Markup(svg) for name, svg in draw(judged).items()},  # noqa: S704 - our own drawings of numbers
        published=PARADE if beside_parade else None,
        published_source=PARADE_SOURCE,
    )
    return page
