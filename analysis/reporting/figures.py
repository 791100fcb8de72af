"""The drawings of the report, as SVG for the page; pure.

Each takes the value of a figure (see `analysis.reporting.catalogue`). The same value gives the same bytes.
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
"""Paraphrase, non-paraphrase, neither: distinguishable with every common colour blindness and in grey."""

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
FIELDS = 20
"""A drawing of aligned words has room for at least this many across, so that short texts are not drawn large."""
TENTHS = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")


def draw_overlap(value: dict[str, Any], called: dict[str, str]) -> str:
    """One side of the vote beside the other: the share of pairs in each tenth of the overlap, with the two means."""

    def draw(axes: Axes) -> None:
        for label, colour, shift in (("paraphrase", YES, -0.2), ("non_paraphrase", NO, 0.2)):
            spread = value[label]
            if spread["deciles"] is None:
                continue
            places = [tenth + 0.5 + shift for tenth in range(len(TENTHS))]
            name = f"{called['are_yes' if label == 'paraphrase' else 'are_no']} ({spread['n']:,})"
            axes.bar(places, [100 * share for share in spread["deciles"]], width=0.38, color=colour, label=name)
            axes.axvline(10 * spread["mean"], color=colour, linewidth=1.4, linestyle=(0, (4, 3)))
        _label(axes, "Jaccard overlap (dashed: the mean)", "% of the pairs")
        axes.set_xticks(range(len(TENTHS) + 1), [*TENTHS, "1"])
        axes.legend(loc="upper right")

    return _svg(draw, (7.2, 3.1), "overlap")


def draw_overlap_by_votes(spreads: Sequence[dict[str, Any]]) -> str:
    """The share of pairs in each tenth of the overlap, one line for each number of votes for "paraphrase"."""

    def draw(axes: Axes) -> None:
        shown = [(votes, spread) for votes, spread in enumerate(spreads) if spread["deciles"] is not None]
        for votes, spread in shown:
            colour = _between(NO, YES, votes / max(len(spreads) - 1, 1))
            places = [tenth + 0.5 for tenth in range(len(TENTHS))]
            name = f"{votes} of {len(spreads) - 1} votes: mean {spread['mean']:.3f}"
            shares = [100 * share for share in spread["deciles"]]
            axes.plot(places, shares, color=colour, marker="o", markersize=3.5, label=name)
        _label(axes, "Jaccard overlap", "% of the pairs with that many votes")
        axes.set_xticks(range(len(TENTHS) + 1), [*TENTHS, "1"])
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper right")

    return _svg(draw, (7.2, 3.1), "votes")


def draw_lengths(histogram: Sequence[int], text: str) -> str:
    """The number of texts by number of words; `text`: what one is called."""

    def draw(axes: Axes) -> None:
        axes.bar(range(len(histogram)), histogram, width=0.82, color=PLAIN)
        _label(axes, "words (separated by white space)", f"{text}s")

    return _svg(draw, (7.2, 2.5), "lengths")


def draw_baselines(rows: Sequence[dict[str, Any]]) -> str:
    """One line per model: its accuracy with the interval; controls that must fail in grey."""

    def draw(axes: Axes) -> None:
        for place, row in enumerate(reversed(rows)):
            accuracy = row["accuracy"]
            colour = PLAIN if row["must_fail"] else YES
            if accuracy["low"] is not None:
                axes.plot([100 * accuracy["low"], 100 * accuracy["high"]], [place, place], color=colour, linewidth=2)
            axes.plot([100 * accuracy["value"]], [place], color=colour, marker="o", markersize=6)
        axes.set_yticks(range(len(rows)), [row["model"].replace("_", " ") for row in reversed(rows)])
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        _label(axes, "accuracy in %, with 95 % intervals from drawing groups", "")

    return _svg(draw, (7.2, 0.9 + 0.32 * len(rows)), "baselines")


def draw_models(models: Sequence[dict[str, Any]], rule: str, measure: str, name: str) -> str:
    """One line per model: a measure with its interval, best model first; `models`: as `models.judge` returns them."""
    rows = sorted(models, key=lambda model: (model[rule][measure]["value"] is not None, model[rule][measure]["value"]))

    def draw(axes: Axes) -> None:
        for place, model in enumerate(rows):
            value = model[rule][measure]
            if value["low"] is not None:
                axes.plot([value["low"], value["high"]], [place, place], color=YES, linewidth=2)
            if value["value"] is not None:
                axes.plot([value["value"]], [place], color=YES, marker="o", markersize=6)
        axes.set_yticks(range(len(rows)), [model["name"] for model in rows])
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        _label(axes, f"{name}, with 95 % intervals from drawing groups", "")

    return _svg(draw, (7.2, 0.9 + 0.32 * len(rows)), f"models {measure}")


def draw_curves(curves: Sequence[dict[str, Any]], measure: str, name: str) -> str:
    """One line per model: a measure by the number of training pairs; `curves`: as `models.judge` returns them."""

    def draw(axes: Axes) -> None:
        for number, curve in enumerate(curves):
            points = [point for point in curve["points"] if point[measure]["value"] is not None]
            colour = _between(NO, YES, number / max(1, len(curves) - 1))
            places = [point["n_train"] for point in points]
            axes.plot(
                places, [point[measure]["value"] for point in points], color=colour, marker="o", label=curve["name"]
            )
            low, high = (
                [point["value"] if point[side] is None else point[side] for point in (p[measure] for p in points)]
                for side in ("low", "high")
            )
            axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
        _label(axes, "training pairs", name)
        axes.set_xlim(left=0)
        axes.legend(loc="lower right")

    return _svg(draw, (7.2, 3.4), f"curves {measure}")


def draw_foretold(bins: Sequence[dict[str, Any]], vote: str) -> str:
    """The share of held-out votes that came, by the chance that the other votes gave them; `vote`: what a yes is."""

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=RULE, linewidth=1.4)
        most = max(part["n"] for part in bins)
        for part in bins:
            size = 3 + 7 * (part["n"] / most) ** 0.5
            axes.plot([part["chance"]], [part["vote"]], color=YES, marker="o", markersize=size)
        _label(axes, "chance given by the other votes (larger: more votes)", f"share of {vote} votes")

    return _svg(draw, (5.2, 3.4), "foretold")


def draw_calibration(models: Sequence[dict[str, Any]]) -> str:
    """One line per model: the share of paraphrases among pairs by score; on the diagonal, scores are probabilities."""

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=RULE, linewidth=1.4)
        known = [model for model in models if model["bins"]]
        for number, model in enumerate(known):
            colour = _between(NO, YES, number / max(1, len(known) - 1))
            bins = model["bins"]
            axes.plot(
                [part["score"] for part in bins],
                [part["share"] for part in bins],
                color=colour,
                marker="o",
                markersize=4,
                label=model["name"],
            )
        _label(axes, "mean score of the pairs in a tenth of the scores", "share of paraphrases among them")
        axes.legend(loc="upper left")

    return _svg(draw, (7.2, 4.2), "calibration")


def draw_alignment(pair: dict[str, Any]) -> str:
    """The words of two texts that a network aligns: the darker, the more; `pair`: as `alignments.describe` has it."""
    first, second = pair["first"], pair["second"]

    def draw(axes: Axes) -> None:
        for row, values in enumerate(pair["cells"]):
            colours = [_between("#ffffff", YES, max(0.0, min(1.0, value))) for value in values]
            axes.barh(
                [row] * len(values), 1, left=[place - 0.5 for place in range(len(values))], height=1, color=colours
            )
        axes.set_xticks(range(len(second)), second, rotation=60, ha="left", rotation_mode="anchor")
        axes.set_yticks(range(len(first)), first)
        axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
        axes.set_xlim(-0.5, max(len(second), FIELDS) - 0.5)
        axes.set_ylim(len(first) - 0.5, -0.5)
        axes.grid(visible=False)

    return _svg(draw, (7.2, 1.5 + 5.8 / max(len(second), FIELDS) * len(first)), f"alignment {pair['pair_id']}")


def draw_effects(pair: dict[str, Any]) -> str:
    """What leaving out each word does: to the right, words without which the score is lower."""
    texts = list(zip((pair["first"], pair["second"]), pair["effects"], strict=True))
    longest = max(len(words) for words, _ in texts)

    def draw(canvas: Figure) -> None:
        for axes, (words, values) in zip(canvas.subplots(1, 2, sharex=True), texts, strict=True):
            shown = [value or 0.0 for value in values]
            axes.barh(range(len(words)), shown, height=0.7, color=[YES if value >= 0 else NO for value in shown])
            axes.axvline(0, color=RULE, linewidth=1.2)
            axes.set_yticks(range(len(words)), words)
            axes.set_ylim(longest - 0.5, -0.5)
            axes.grid(visible=True, axis="x")
            axes.grid(visible=False, axis="y")
        canvas.supxlabel("score with the word, less that without it", x=0.02, ha="left", fontsize=10.5, color=MUTED)

    return _svg_of(draw, (7.6, 0.9 + 0.22 * longest), f"effects {pair['pair_id']}")


def as_file(element: str) -> str:
    """The drawing as an SVG file."""
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
    return _svg_of(lambda canvas: draw(canvas.add_subplot()), inches, name)


def _svg_of(draw: Callable[[Figure], None], inches: tuple[float, float], name: str) -> str:
    """The drawing as an `<svg>` element that takes its font and width from the page."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        canvas = Figure(figsize=inches, layout="constrained")
        FigureCanvasSVG(canvas)
        draw(canvas)
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _embeddable(buffer.getvalue())


def _embeddable(document: str) -> str:
    """The drawing without the parts that only a file needs and without unused ids."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>\s*", "", element, flags=re.DOTALL)
    used = set(re.findall(r"(?:url\(#|href=\"#)([^\")]+)", element))
    element = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", element)
    element = re.sub(r'<svg ([^>]*?)height="[^"]+"([^>]*?)width="[^"]+"', r'<svg aria-hidden="true" \1\2', element)
    return re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", element)
