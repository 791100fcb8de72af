"""What a simulated annotator answers to any question: all of it follows from one score from 0 to 3; pure."""

from collections.abc import Mapping

from annotation.questions.answers import called_for
from annotation.questions.question import Control, Question
from data.vocabulary import SCORES

Answers = dict[str, list[str] | str]


def simulate(question: Question, score: int, shown: Mapping[str, str]) -> Answers:
    """The chosen values, or the corrected text, by control.

    The answers of a control share the scores evenly in their order, so that the higher half of the scores gives the
    higher half of the answers; of a control of which several can be chosen, the score says how many. `shown`: the
    fields of the task.
    """
    answers: Answers = {}
    for control in question.asked:
        given = {name: values for name, values in answers.items() if isinstance(values, list)}
        if control in called_for(question, given):
            answers[control.name] = _correct(shown["definition1"]) if not control.answers else _choose(control, score)
    return answers


def _choose(control: Control, score: int) -> list[str]:
    if control.kind != "several-of":
        return [control.values[score * len(control.values) // len(SCORES)]]
    several = [value for value in control.values if value != control.alone]
    return several[:score] or [control.alone or several[0]]


def _correct(text: str) -> str:
    """The text with its last word twice: an edit that is never none."""
    return f"{text} {text.rsplit(maxsplit=1)[-1]}" if text.split() else "text"
