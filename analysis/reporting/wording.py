"""Numbers and names as a page and a card show them; pure."""

from collections.abc import Sequence

from data.console import figure
from data.vocabulary import AGREEMENT_MEASURES, CHANCE_MEASURES, CHECKS, HABIT_MEASURES, SCORES

NAMES = {
    "kappa": "κ with the majority, own vote included",
    "kappa_left_out": "κ with the majority of the others",
    "kappa_four_class": "κ of the four scores",
    "kappa_weighted": "κ of the scores with each other rater, squared weights",
    "alpha": "Krippendorff’s α",
    "alpha_scores": "α of the scores, squared distances",
    "chance_kappa": "κ of a coin flipper in this place",
    "shuffled_kappa": "κ of the own votes, shuffled",
    "chance_passes": "share of coin flippers that would pass",
    "fleiss_kappa": "Fleiss’ κ",
    "mean_kappa": "mean κ with the majority, own vote included",
    "mean_kappa_left_out": "mean κ with the majority of the others",
    "seconds": "seconds a rating, median",
    "fast_share": "share that is too fast to have been read",
    **{f"share_of_{score}": f"share of score {score}" for score in SCORES},
}

GROUPS = {
    "How far the others agree": AGREEMENT_MEASURES,
    "What chance reaches in the same place": CHANCE_MEASURES,
    "Checks that do not vote": tuple(CHECKS.values()),
    "Speed and use of the scale": HABIT_MEASURES,
}


def group_measures(known: Sequence[str]) -> dict[str, list[str]]:
    """The measures of annotators that are known, by what they tell; those without a place last."""
    grouped = {title: [one for one in measures if one in known] for title, measures in GROUPS.items()}
    placed = {one for measures in GROUPS.values() for one in measures}
    grouped["More"] = sorted(set(known) - placed)
    return {title: measures for title, measures in grouped.items() if measures}


def count(value: int | None) -> str:
    """A number of things, thousands apart; a dash for none."""
    return "–" if value is None else f"{value:,}".replace("-", "−")


def share(value: float | None) -> str:
    """A share (0 to 1) in per cent; a dash for none."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %").replace("-", "−")


def real(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals; a dash for none."""
    return figure(value, digits).replace("-", "−")


def words(name: str) -> str:
    """A name of ours as words."""
    return name.replace("_", " ")


def measure(name: str) -> str:
    """A measure, or a label, in words."""
    return NAMES.get(name, words(name))
