"""What a simulated annotator answers to any question; pure.

An annotator decides on one thing, the question's vote or else its first control (`latent_classes`); the answers to the
other controls follow from that answer and from the pair, so that annotators who agree on it agree on the others.
"""

from collections.abc import Mapping
from dataclasses import replace

from annotation.questions.answers import called_for
from annotation.simulation.noise import keyed_uniform
from data.contract.questions import Control, Question
from data.measures.classes import PARADE, Classes, classes_of

Answers = dict[str, list[str] | str]

SAME_EDIT = 0.7
"""How often a text is corrected as most others would correct it."""


def latent_classes(question: Question) -> Classes:
    """The answers that a simulated annotator decides between.

    Where several may be given, PARADE's scores say how many; without a vote, the upper half of the answers counts as
    positive.
    """
    if not question.first.is_single:
        return PARADE
    classes = classes_of(question.first)
    return classes if classes.n_positive else replace(classes, n_positive=len(classes) // 2)


def simulate(question: Question, place: int, shown: Mapping[str, str]) -> Answers:
    """The chosen values, or the corrected text, by control.

    `place`: of the answer that the annotator decided on, among `latent_classes`. `shown`: the fields of the task.
    """
    n, answers = len(latent_classes(question)), Answers()
    for control in question.asked:
        given = {name: values for name, values in answers.items() if isinstance(values, list)}
        if control not in called_for(question, given):
            continue
        if not control.answers:
            answers[control.name] = _correct(shown)
        elif control is question.first and control.is_single:
            answers[control.name] = [control.values[place]]
        else:
            answers[control.name] = _choose(control, (place + _drawn(control, shown)) / n, shown)
    return answers


def _choose(control: Control, level: float, shown: Mapping[str, str]) -> list[str]:
    """The answer at this level, from 0 to 1, of all answers in their order; of several, how many and which."""
    if control.is_single:
        return [control.values[int(level * len(control.values))]]
    several = [value for value in control.values if value != control.alone]
    start, n = int(_drawn(control, shown) * len(several)), int(level * len(several))
    chosen = {*(several[start:] + several[:start])[:n]} or {control.alone or several[start]}
    return [value for value in control.values if value in chosen]


def _drawn(control: Control, shown: Mapping[str, str]) -> float:
    """A number between 0 and 1 for the pair, whichever text is shown first."""
    return keyed_uniform("simulated", control.name, *sorted((shown["definition1"], shown.get("definition2", ""))))


def _correct(shown: Mapping[str, str]) -> str:
    """The text with a word dropped or doubled: mostly as others do it, else in the annotator's own way."""
    text, own = shown["definition1"], shown.get("assignment", "")
    same = keyed_uniform("edit", own) < SAME_EDIT
    words = text.split() or ["text"]
    draw = keyed_uniform("edit", text, *([] if same else [own]))
    place = int(draw * len(words))
    again = [] if len(words) > 2 and draw * len(words) % 1 < 0.5 else [words[place], words[place]]
    return " ".join([*words[:place], *again, *words[place + 1 :]])
