"""A report (see `analysis.facts`) as one HTML page that needs nothing from elsewhere; pure but for its template."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analysis import figures

NAMES = {
    "not_paraphrase": "non-paraphrase",
    "kappa": "κ with the majority, own vote included",
    "kappa_left_out": "κ with the majority of the others",
    "kappa_four_class": "κ of the four scores",
    "chance_kappa": "κ of a coin flipper in this place",
    "chance_passes": "share of coin flippers that would pass",
}
STEPS = {
    "terms": "Terms",
    "cards": "Cards",
    "accepted": "Accepted cards",
    "definitions": "Definitions",
    "pairs": "Pairs",
    "assigned": "Assignments",
    "rated": "Ratings",
    "labelled": "Labels",
    "split": "Splits",
}


def render(report: dict[str, Any]) -> str:
    """The page of a report: what the report holds and nothing else."""
    values = {name: figure["value"] for name, figure in report["figures"].items()}
    page: str = _template().render(report=report, drawings=_draw(values), steps=STEPS, **values)
    return page


def _draw(values: dict[str, Any]) -> dict[str, Markup]:
    """The drawings of the figures that are there."""
    drawings = {}
    overlap = values["overlap"]
    if overlap and (overlap["paraphrase"]["n"] or overlap["non_paraphrase"]["n"]):
        drawings["overlap"] = figures.draw_overlap(overlap)
        most = max(overlap["by_votes"].values(), key=lambda spreads: sum(one["n"] for one in spreads))
        drawings["votes"] = figures.draw_overlap_by_votes(most)
    if values["lengths"]:
        drawings["lengths"] = figures.draw_lengths(values["lengths"]["histogram"])
    return {name: Markup(svg) for name, svg in drawings.items()}  # noqa: S704 - drawn by us, from numbers


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "share": share, "real": real, "words": words, "measure": _measure}
    style = files("analysis").joinpath("templates/report.css").read_text("utf-8")
    environment.globals["style"] = Markup(style)  # noqa: S704 - our own file
    return environment.get_template("report.html")


def count(value: int | None) -> str:
    """A number of things, thousands apart; a dash for none."""
    return "–" if value is None else f"{value:,}"


def share(value: float | None) -> str:
    """A share (0 to 1) in per cent; a dash for none."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %")


def real(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals; a dash for none."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def words(name: str) -> str:
    """A name of ours as words."""
    return name.replace("_", " ")


def _measure(name: str) -> str:
    return NAMES.get(name, words(name))
