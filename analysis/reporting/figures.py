"""The report's drawings, as SVG text to put into a page; pure.

Each takes a figure's value (see `analysis.reporting.catalogue`). The same value gives the same bytes.
"""

import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK, MUTED, RULE = "#1d2733", "#5b6775", "#d9dee4"
YES, NO, PLAIN = "#1f6feb", "#d9730d", "#6b7c93"
"""Paraphrase, non-paraphrase, neither: apart in every common colour blindness and in grey."""

STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": RULE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
}
TENTHS = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")


def draw_overlap(value: dict[str, Any]) -> str:
    """Paraphrases beside non-paraphrases: the share of pairs in each tenth of the overlap, with the two means."""

    def draw(axes: Axes) -> None:
        for label, colour, shift in (("paraphrase", YES, -0.2), ("non_paraphrase", NO, 0.2)):
            one = value[label]
            if one["deciles"] is None:
                continue
            places = [tenth + 0.5 + shift for tenth in range(len(TENTHS))]
            name = f"{label.replace('_', '-')}s ({one['n']:,})"
            axes.bar(places, [100 * share for share in one["deciles"]], width=0.38, color=colour, label=name)
            axes.axvline(10 * one["mean"], color=colour, linewidth=1.4, linestyle=(0, (4, 3)))
        _label(axes, "Jaccard overlap (dashed: the mean)", "% of the pairs")
        axes.set_xticks(range(len(TENTHS) + 1), [*TENTHS, "1"])
        axes.legend(loc="upper right")

    return _svg(draw, (7.2, 3.1), "overlap")


def draw_overlap_by_votes(spreads: Sequence[dict[str, Any]]) -> str:
    """The share of pairs in each tenth of the overlap, one line for each number of votes for "paraphrase"."""

    def draw(axes: Axes) -> None:
        shown = [(votes, one) for votes, one in enumerate(spreads) if one["deciles"] is not None]
        for votes, one in shown:
            colour = _between(NO, YES, votes / max(len(spreads) - 1, 1))
            places = [tenth + 0.5 for tenth in range(len(TENTHS))]
            name = f"{votes} of {len(spreads) - 1} votes: mean {one['mean']:.3f}"
            axes.plot(
                places, [100 * share for share in one["deciles"]], color=colour, marker="o", markersize=3.5, label=name
            )
        _label(axes, "Jaccard overlap", "% of the pairs with so many votes")
        axes.set_xticks(range(len(TENTHS) + 1), [*TENTHS, "1"])
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper right")

    return _svg(draw, (7.2, 3.1), "votes")


def draw_lengths(histogram: Sequence[int]) -> str:
    """How many definitions have so many words."""

    def draw(axes: Axes) -> None:
        axes.bar(range(len(histogram)), histogram, width=0.82, color=PLAIN)
        _label(axes, "words (between white space)", "definitions")

    return _svg(draw, (7.2, 2.5), "lengths")


def draw_beside(sets: Sequence[dict[str, Any]]) -> str:
    """One strip a data set: the share of its paraphrases and of its non-paraphrases in each tenth of the overlap."""

    def draw(figure: Figure) -> None:
        strips = figure.subplots(len(sets), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, one in zip(strips, sets, strict=True):
            for label, colour, shift in (("paraphrase", YES, -0.2), ("non_paraphrase", NO, 0.2)):
                shares = one[label]["deciles"]
                if shares is not None:
                    name = f"{label.replace('_', '-')}s" if one is sets[0] else None
                    places = [tenth + 0.5 + shift for tenth in range(len(TENTHS))]
                    axes.bar(places, [100 * share for share in shares], width=0.38, color=colour, label=name)
            auc = "–" if one["auc"] is None else f"{one['auc']:.3f}"
            told = f"{one['name']}: {one['pairs']:,} pairs, AUC of overlap alone {auc}"
            axes.set_title(told, loc="left", fontsize=10.5, color=INK)
        strips[0].legend(loc="upper right")
        strips[-1].set_xticks(range(len(TENTHS) + 1), [*TENTHS, "1"])
        strips[-1].set_xlabel("Jaccard overlap (bars: % of the pairs)", loc="left")

    return _svg_of(draw, (7.2, 0.7 + 1.45 * len(sets)), "beside")


def draw_baselines(rows: Sequence[dict[str, Any]]) -> str:
    """One line a model: its accuracy with the interval; those that must fail in grey."""

    def draw(axes: Axes) -> None:
        for place, row in enumerate(reversed(rows)):
            one = row["accuracy"]
            colour = PLAIN if row["must_fail"] else YES
            if one["low"] is not None:
                axes.plot([100 * one["low"], 100 * one["high"]], [place, place], color=colour, linewidth=2)
            axes.plot([100 * one["value"]], [place], color=colour, marker="o", markersize=6)
        axes.set_yticks(range(len(rows)), [row["model"].replace("_", " ") for row in reversed(rows)])
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        _label(axes, "accuracy in %, with its 95 % interval by groups", "")

    return _svg(draw, (7.2, 0.9 + 0.32 * len(rows)), "baselines")


def as_file(element: str) -> str:
    """A drawing as an SVG file of its own."""
    return '<?xml version="1.0" encoding="utf-8"?>\n' + element.replace(
        "<svg ", '<svg style="font-family: sans-serif" ', 1
    )


def _label(axes: Axes, across: str, up: str) -> None:
    axes.set_xlabel(across, loc="left")
    axes.set_title(up, loc="left", fontsize=10.5, color=MUTED)


def _between(low: str, high: str, share: float) -> str:
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (low, high)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


def _svg(draw: Callable[[Axes], None], inches: tuple[float, float], name: str) -> str:
    """The drawing on one pair of axes, as `_svg_of` gives it."""
    return _svg_of(lambda figure: draw(figure.add_subplot()), inches, name)


def _svg_of(draw: Callable[[Figure], None], inches: tuple[float, float], name: str) -> str:
    """The drawing as an `<svg>` element that takes the page's font and width."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=inches, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _embeddable(buffer.getvalue())


def _embeddable(document: str) -> str:
    """The drawing without what only a file needs, and without ids that nothing refers to."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>\s*", "", element, flags=re.DOTALL)
    used = set(re.findall(r"(?:url\(#|href=\"#)([^\")]+)", element))
    element = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", element)
    element = re.sub(r'<svg ([^>]*?)height="[^"]+"([^>]*?)width="[^"]+"', r'<svg aria-hidden="true" \1\2', element)
    return re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", element)
