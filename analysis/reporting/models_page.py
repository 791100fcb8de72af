"""Models judged side by side (see `models.judge`) as one self-contained HTML page; pure except for its template."""

from typing import Any

from markupsafe import Markup

from analysis.evaluation import comparing, published
from analysis.reporting import figures
from analysis.reporting.models import HEADLINE, RULES
from analysis.reporting.page import template
from data.measures import intervals


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
        published=published.PARADE if beside_parade else None,
        published_source=published.PARADE_SOURCE,
    )
    return page
