"""Numbers and names as the report and the data card show them; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from data.console.messages import figure
from data.contract.measures import (
    AGREEMENT,
    CHANCE,
    CHECKED,
    FIRST,
    HABITS,
    HELD_OUT,
    KNOWN,
    RIGHT_VOTES,
    STANDING,
)
from data.contract.questions import Question

MIN_EXACT_COUNT = 1_000
"""Of fewer things, a share is shown without decimals and a coefficient with two: more say nothing."""
COUNTED = 100
"""Of fewer things, the count is given without the share."""
OF_ANSWER = {"alpha": "Krippendorff’s α alone of", "share": "share of"}

Measure = tuple[str, str | None, str | None]
"""A measure, its control and its answer, as in the table `quality`; None for none."""

GROUPS = {
    "Agreement with the other annotators": AGREEMENT,
    "How often the annotator is right, as the others’ answers show it": RIGHT_VOTES,
    "What chance would reach in the annotator’s place": CHANCE,
    "Checks (which do not count as votes)": CHECKED,
    "Speed and use of the scale": HABITS,
}


@dataclass(frozen=True, kw_only=True)
class VoteNames:
    """What the two sides of a question's vote, and the pairs on either, are called."""

    yes: str = "paraphrase"
    no: str = "non-paraphrase"
    are_yes: str = "paraphrases"
    are_no: str = "non-paraphrases"
    vote: str = "“paraphrase”"


PARADE = VoteNames()


def name_sides(question: Question) -> VoteNames:
    """The sides of the question's vote: paraphrases and others, or what its answers are called."""
    if question.has_paraphrases or question.vote is None:
        return PARADE
    yes, no = (f"“{'/'.join(values)}”" for values in (question.vote.positive, question.vote.negative))
    return VoteNames(yes=yes, no=no, are_yes=f"pairs labelled {yes}", are_no=f"pairs labelled {no}", vote=yes)


def list_measures(rows: Iterable[dict[str, Any]]) -> list[Measure]:
    """The measures of rows of the table `quality`, each once."""
    return list(dict.fromkeys((row["measure"], row["control"], row["answer"]) for row in rows))


def select_measures(rows: Iterable[dict[str, Any]], *measures: Measure) -> list[dict[str, Any]]:
    """The rows of those measures."""
    return [row for row in rows if (row["measure"], row["control"], row["answer"]) in measures]


def group_measures(known: Sequence[Measure]) -> dict[str, list[Measure]]:
    """The known measures of annotators by GROUPS; those that belong to none come last."""
    grouped = {title: [one for name in names for one in known if one[0] == name] for title, names in GROUPS.items()}
    grouped["More"] = [one for one in known if all(one not in measures for measures in grouped.values())]
    return {title: measures for title, measures in grouped.items() if measures}


def group_populations(known: Sequence[Measure]) -> dict[str, list[Measure]]:
    """The known measures of all annotators together, by the votes that they count: others give another figure."""
    of_first = [one for one in known if one[0] in FIRST]
    of_standing = [one for one in known if not whose(one[0], one[1])]
    held_out = [one for one in known if one[0] in HELD_OUT]
    of_all = [one for one in known if one not in {*of_first, *of_standing, *held_out}]
    grouped = {
        "the votes that count at the end of each round": of_standing,
        "the votes before any was replaced": of_first,
        "votes that were held out, foretold by the others": held_out,
        "all votes of each round, replaced ones included (of chance: the middle 95 % of guessers’ draws)": of_all,
    }
    return {title: names for title, names in grouped.items() if names}


def whose(measure: str, control: str | None) -> str:
    """What to add to a measure of all annotators together that is shown beside measures of the votes that count."""
    return "" if measure in STANDING or control else " (of all votes, replaced ones included)"


def count(value: int | None) -> str:
    """A number of things with thousands separators; a dash for None."""
    return "–" if value is None else f"{value:,}".replace("-", "−")


def share(value: float | None, of: int = MIN_EXACT_COUNT) -> str:
    """A share (0 to 1) of a number of things as a percentage, without decimals where these are few; a dash for None."""
    return "–" if value is None else f"{value:.{int(of >= MIN_EXACT_COUNT)}%}".replace("%", " %").replace("-", "−")


def part(value: float | None, of: int) -> str:
    """The share in brackets, after its count; empty of so few things that the count says more."""
    return f" ({share(value, of)})" if of >= COUNTED else ""


def real(value: float | None, digits: int = 3, of: int = MIN_EXACT_COUNT) -> str:
    """A number with `digits` decimals, two at most where it is of few things; a dash for None."""
    return figure(value, digits if of >= MIN_EXACT_COUNT else min(digits, 2)).replace("-", "−")


def within(low: float | None, high: float | None, of: int = MIN_EXACT_COUNT) -> str:
    """The ends of an interval, with the decimals of `real`; empty where there is none."""
    return "" if low is None else f"{real(low, of=of)} to {real(high, of=of)}"


def words(name: str) -> str:
    """A name from our tables as words."""
    return name.replace("_", " ")


def measure(name: str, control: str | None = None, answer: str | None = None) -> str:
    """A measure or label in words; of a control or of an answer with its name."""
    shown = f"{OF_ANSWER[name]} “{answer}”" if answer else KNOWN.get(name, words(name))
    return f"{shown} ({words(control)})" if control else shown


FILTERS = {filter_.__name__: filter_ for filter_ in (count, share, real, within, part, whose, words, measure)}
"""What the templates of pages and of the data card call these by."""
