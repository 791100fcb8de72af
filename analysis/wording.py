"""Numbers and names as a page and a card show them; pure."""

NAMES = {
    "kappa": "κ with the majority, own vote included",
    "kappa_left_out": "κ with the majority of the others",
    "kappa_four_class": "κ of the four scores",
    "kappa_weighted": "κ of the scores with each other rater, squared weights",
    "chance_kappa": "κ of a coin flipper in this place",
    "chance_passes": "share of coin flippers that would pass",
}


def count(value: int | None) -> str:
    """A number of things, thousands apart; a dash for none."""
    return "–" if value is None else f"{value:,}".replace("-", "−")


def share(value: float | None) -> str:
    """A share (0 to 1) in per cent; a dash for none."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %").replace("-", "−")


def real(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals; a dash for none."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def words(name: str) -> str:
    """A name of ours as words."""
    return name.replace("_", " ")


def measure(name: str) -> str:
    """A measure, or a label, in words."""
    return NAMES.get(name, words(name))
