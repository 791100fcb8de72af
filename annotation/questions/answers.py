"""Whether an answer fits the question; pure."""

from data.contract.questions import Control, Question

OUTSIDE_SCALE = "score_outside_scale"
UNDECLARED = "undeclared_answer"
CONTRADICTION = "contradictory_answers"
INCOMPLETE = "answer_missing"

Given = dict[str, list[str]]
"""Name of a control -> the values or the one text given."""


def called_for(question: Question, given: Given) -> list[Control]:
    """The controls that the answers to earlier ones call for."""
    return [
        control
        for control in question.asked
        if not control.when or control.when.answer in given.get(control.when.control, [])
    ]


def relevant(question: Question, given: Given) -> Given:
    """The answers without those to a declared control that nothing called for."""
    unasked = {control.name for control in question.asked} - {control.name for control in called_for(question, given)}
    return {name: values for name, values in given.items() if name not in unasked}


def fault(question: Question, given: Given) -> str:
    """Why the answers (of `relevant`) are none to the question; empty where they are. The last resort is INCOMPLETE."""
    controls = {control.name: control for control in question.asked}
    if not given.keys() <= controls.keys():
        return UNDECLARED
    for control in (controls[name] for name in given if controls[name].kind != "edited-text"):
        values = given[control.name]
        if not set(values) <= set(control.values):
            return OUTSIDE_SCALE if control is question.scale else UNDECLARED
        if len(values) > 1 and (control.kind != "several-of" or control.alone in values):
            return CONTRADICTION
    return INCOMPLETE if {control.name for control in called_for(question, given)} - given.keys() else ""


def join_or(values: list[str]) -> str:
    """The values, at least one, as a choice in words: "0, 1 or 2"."""
    *others, last = values
    return f"{', '.join(others)} or {last}" if others else last


def describe(question: Question) -> str:
    """What an answer to the question is, in words."""
    if question.scale:
        return f"a score of {join_or(question.scale.values)}"
    return "; ".join(
        f"{control.name} as a text"
        if control.kind == "edited-text"
        else f"{control.name} of {', '.join(control.values)}"
        for control in question.asked
    )
