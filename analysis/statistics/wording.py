"""Numbers and names as the report and the data card show them; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from data.console import figure
from data.questions import Question
from data.vocabulary import AGREEMENT_MEASURES, CHANCE_MEASURES, CHECKS, HABIT_MEASURES

NAMES = {
    "kappa": "κ with the majority, including one’s own vote",
    "kappa_left_out": "κ with the majority of the others",
    "kappa_answers": "κ of the answers with the most frequent one",
    "kappa_weighted": "κ of the answers with each other annotator’s, quadratic weights",
    "alpha": "Krippendorff’s α",
    "alpha_scores": "α of the answers, by their level of measurement",
    "chance_kappa": "κ of a coin flipper in the annotator’s place",
    "shuffled_kappa": "κ of the annotator’s own votes, shuffled",
    "chance_passes": "share of coin flippers that would pass",
    "fleiss_kappa": "Fleiss’ κ",
    "with_majority": "share of votes that are the majority’s, including one’s own vote",
    "with_majority_left_out": "share of votes that are the majority’s of the others",
    "mean_kappa": "mean κ with the majority, including one’s own vote",
    "mean_kappa_left_out": "mean κ with the majority of the others",
    "alpha_masi": "Krippendorff’s α of the sets of answers (MASI)",
    "identical": "share of identical texts, over each two of an item",
    "edit_distance": "mean share of characters by which two texts of an item differ",
    "seconds": "median seconds per rating",
    "fast_share": "share rated too fast to have been read",
}

OF_ANSWER = {"alpha": "Krippendorff’s α alone of", "share": "share of"}

GROUPS = {
    "Agreement with the other annotators": AGREEMENT_MEASURES,
    "What chance would reach in the annotator’s place": CHANCE_MEASURES,
    "Checks (which do not count as votes)": tuple(CHECKS.values()),
    "Speed and use of the scale": HABIT_MEASURES,
}


@dataclass(frozen=True, kw_only=True)
class Sides:
    """What the two sides of a question's vote, and the pairs on either, are called."""

    yes: str = "paraphrase"
    no: str = "non-paraphrase"
    are_yes: str = "paraphrases"
    are_no: str = "non-paraphrases"
    vote: str = "“paraphrase”"


PARADE = Sides()


def name_sides(question: Question | None) -> Sides:
    """The sides of the question's vote: paraphrases and others, or what its answers are called."""
    if question is None or question.is_paraphrase_scale or question.vote is None:
        return PARADE
    yes, no = (f"“{'/'.join(values)}”" for values in (question.vote.positive, question.vote.negative))
    return Sides(yes=yes, no=no, are_yes=f"pairs labelled {yes}", are_no=f"pairs labelled {no}", vote=yes)


def group_measures(known: Sequence[str]) -> dict[str, list[str]]:
    """The known measures of annotators by GROUPS; those that belong to none come last."""
    grouped = {title: [name for name in measures if name in known] for title, measures in GROUPS.items()}
    grouped["More"] = sorted(set(known) - {name for measures in GROUPS.values() for name in measures})
    return {title: measures for title, measures in grouped.items() if measures}


def count(value: int | None) -> str:
    """A number of things with thousands separators; a dash for None."""
    return "–" if value is None else f"{value:,}".replace("-", "−")


def share(value: float | None) -> str:
    """A share (0 to 1) as a percentage; a dash for None."""
    return "–" if value is None else f"{value:.1%}".replace("%", " %").replace("-", "−")


def real(value: float | None, digits: int = 3) -> str:
    """A number with `digits` decimals; a dash for None."""
    return figure(value, digits).replace("-", "−")


def words(name: str) -> str:
    """A name from our tables as words."""
    return name.replace("_", " ")


def measure(name: str) -> str:
    """A measure or label in words."""
    control, _, own = name.rpartition(".")
    begin, _, answer = own.partition("_of_")
    shown = NAMES.get(own) or (f"{OF_ANSWER[begin]} “{answer}”" if begin in OF_ANSWER else words(own))
    return f"{shown} ({words(control)})" if control else shown
