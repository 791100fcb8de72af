"""A report (see `catalogue`) as one self-contained HTML page; pure except for its template."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analysis.evaluation.shortcuts import HARDNESS, MAX_AUC, SIGNALS
from analysis.reporting import catalogue, explorer, figures
from analysis.splitting import leaks
from analysis.statistics.wording import FILTERS, group_measures, group_populations, list_measures, select_measures
from data.contract import measures
from data.contract.stages import STAGES
from data.contract.vocabulary import (
    ALL_ROUNDS,
    EVERYBODY,
    SPLITS,
)
from data.labelled.metrics import MEASURES
from data.measures import intervals
from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH


def render(report: dict[str, Any], drawings: dict[str, str], pairs: dict[str, Any] | None = None) -> str:
    """The page of a report with its drawings (see `draw`) and the pairs that can be searched (see `explorer`)."""
    values = _values(report)
    optional: dict[str, Any] = dict.fromkeys(catalogue.OPTIONAL)
    judged = on_last_split(values.get("baselines"))
    embedded = Markup(explorer.embed(pairs)) if pairs else None  # noqa: S704 - JSON without tags
    page: str = template("report.html").render(
        report=report,
        drawings={name: Markup(svg) for name, svg in drawings.items()},  # noqa: S704 - our own drawings of numbers
        pairs=embedded,
        n_searched=len(pairs["pairs"]) if pairs else 0,
        called=report["called"],
        text=_call_text(values),
        language=language(report["source"].get("language", ENGLISH.code)).name,
        kinds=leaks.KINDS,
        clean=leaks.is_clean(values.get("leakage") or []),
        titles={stage.name: stage.title for stage in STAGES},
        measures=MEASURES,
        signals=SIGNALS | HARDNESS,
        limit=MAX_AUC,
        grouped=group_measures,
        everybody=EVERYBODY,
        all_rounds=ALL_ROUNDS,
        populations=group_populations,
        chance_measures=measures.CHANCE,
        agreement_measures=measures.AGREEMENT,
        standing_measures=measures.STANDING,
        few=intervals.warn_of_few(judged[0]["n_groups"]) if judged else None,
        **optional | values | {"baselines": judged},
    )
    return page


def on_last_split(rows: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """The rows of the baselines on the last split that they were judged on."""
    last = max((row["split"] for row in rows or []), key=SPLITS.index, default=None)
    return [row for row in rows or [] if row["split"] == last] or None


def _most_voted(overlap: dict[str, Any]) -> list[dict[str, Any]]:
    """The spreads by votes for the number of votes that most pairs with votes have."""
    voted = [spreads for n, spreads in overlap["by_votes"].items() if n != "0"]
    most: list[dict[str, Any]] = max(voted, key=lambda spreads: sum(spread["n"] for spread in spreads))
    return most


def _call_text(values: dict[str, Any]) -> str:
    """What a text of the pairs is called: a definition only where it defines an entity."""
    return "definition" if (values["size"] or {}).get("entities") else "text"


def _values(report: dict[str, Any]) -> dict[str, Any]:
    return {name: figure["value"] for name, figure in report["figures"].items()}


def draw(report: dict[str, Any]) -> dict[str, str]:
    """The drawings of the figures that have a value, as SVG elements."""
    drawings, values = {}, _values(report)
    overlap = values["overlap"]
    if overlap and (overlap["paraphrase"]["n"] or overlap["non_paraphrase"]["n"]):
        drawings["overlap"] = figures.draw_overlap(overlap, report["called"])
        if set(overlap["by_votes"]) != {"0"}:
            drawings["votes"] = figures.draw_overlap_by_votes(_most_voted(overlap))
    if values.get("calibration"):
        drawings["foretold"] = figures.draw_foretold(values["calibration"], report["called"]["vote"])
    if values["lengths"]:
        drawings["lengths"] = figures.draw_lengths(values["lengths"]["histogram"], _call_text(values))
    shown = [row for row in on_last_split(values.get("baselines")) or [] if row["rule"] == row["headline"]]
    if shown:
        drawings["baselines"] = figures.draw_baselines(shown)
    for number, pair in enumerate(values.get("alignments") or [], start=1):
        drawings[f"alignment-{number}"] = figures.draw_alignment(pair) if pair["cells"] else figures.draw_effects(pair)
    return drawings


def template(name: str) -> Any:
    """A template of this room, with the page's style and the filters for numbers and names."""
    return _environment().get_template(name)


def _capital(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = {"capital": _capital, "measures_of": list_measures, "with_measures": select_measures}
    environment.filters |= FILTERS | own
    style = files("analysis").joinpath("templates/report.css").read_text("utf-8")
    script = files("analysis").joinpath("templates/explorer.js").read_text("utf-8")
    environment.globals["style"] = Markup(style)  # noqa: S704 - our own file
    environment.globals["script"] = Markup(script)  # noqa: S704 - our own file
    environment.globals["script_hash"] = b64encode(sha256(script.encode()).digest()).decode()
    return environment
