"""The places of what is drawn, in the units of each drawing."""

from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, TOP = 600, 100, 44, 12
"""Size and place of the drawing of the answers by day."""
MOST_DAYS = 120
"""How many bars fit; of a longer campaign the last days are drawn."""

DOTS = (-0.2, 1.0)
"""The values at the ends of the drawing of kappas."""
DOT_LEFT, DOT_WIDTH = 8, 204


def draw_days(days: Sequence[Mapping[str, Any]], most: int) -> dict[str, Any] | None:
    """A bar for each day with answers, and the line of all so far up to `most`; None without answers."""
    if not days:
        return None
    shown = days[-MOST_DAYS:]
    step = WIDTH / len(shown)
    highest = max(day["n"] for day in shown)
    bars = [
        {
            "x": f"{LEFT + step * place + step * 0.1:.1f}",
            "y": f"{TOP + HEIGHT * (1 - day['n'] / highest):.1f}",
            "width": f"{min(step * 0.8, 60):.1f}",
            "height": f"{HEIGHT * day['n'] / highest:.1f}",
            "day": day["day"],
            "n": day["n"],
            "total": day["total"],
        }
        for place, day in enumerate(shown)
    ]
    return {"bars": bars, "highest": highest, "first": shown[0]["day"], "last": shown[-1]["day"], "most": most}


def draw_dots(people: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str] | None]:
    """Of each annotator the places of kappa and of its interval; None where it says nothing."""
    return {str(row["annotator"]): _dot(row.get("kappa")) for row in people}


def _dot(kappa: Mapping[str, Any] | None) -> dict[str, str] | None:
    if kappa is None or kappa["value"] is None or kappa["reason"]:
        return None
    low, high = (kappa[end] if kappa[end] is not None else kappa["value"] for end in ("low", "high"))
    return {"x": _place(kappa["value"]), "low": _place(low), "high": _place(high)}


def _place(value: float) -> str:
    low, high = DOTS
    return f"{DOT_LEFT + DOT_WIDTH * (min(max(value, low), high) - low) / (high - low):.1f}"


AXIS = [(_place(value), f"{value:g}") for value in (0, 0.5, 1)]
"""The places and names of the marks below the kappas."""


def draw_grid(rows: Sequence[Mapping[str, Any]], answers: Sequence[str]) -> dict[str, Any] | None:
    """How often each answer met each rounded mean of the others': rows by answer; None where there are none."""
    if not rows or not answers:
        return None
    counts = {(str(row["score"]), str(row["others"])): row["n"] for row in rows}
    most = max(counts.values())
    table = [
        [(counts.get((own, other), 0), round(4 * counts.get((own, other), 0) / most)) for other in answers]
        for own in answers
    ]
    return {"answers": answers, "rows": list(zip(answers, table, strict=True))}
