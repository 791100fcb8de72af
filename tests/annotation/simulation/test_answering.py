"""What simulated annotators answer: always something that answers the question, and never a text as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.questions.answers import fault
from annotation.questions.declarations import list_shipped, shipped_question
from annotation.simulation.answering import latent_classes, simulate

WORDS = st.text("abc ", min_size=1).filter(str.strip)


@pytest.mark.parametrize("name", list_shipped())
@given(first=WORDS, second=WORDS, assignment=st.text(), data=st.data())
def test_every_answer_answers_the_question(name, first, second, assignment, data):
    question = shipped_question(name)
    place = data.draw(st.integers(0, len(latent_classes(question)) - 1))
    shown = {"definition1": first, "assignment": assignment} | (
        {"definition2": second} if question.shown.is_pair else {}
    )
    answers = simulate(question, place, shown)
    texts = {control for control, given_ in answers.items() if isinstance(given_, str)}
    assert not fault(question, {name: [some] if isinstance(some, str) else some for name, some in answers.items()})
    assert all(answers[control].split() not in ([], first.split()) for control in texts)
    turned = shown | ({"definition1": second, "definition2": first} if question.shown.is_pair else {})
    assert simulate(question, place, turned).keys() == answers.keys()
    if not texts:
        assert simulate(question, place, turned) == answers


@pytest.mark.parametrize("name", list_shipped())
def test_every_declared_answer_is_given_by_an_annotator(name):
    question = shipped_question(name)
    given_ = {control.name: set() for control in question.asked}
    for number in range(200):
        for place in range(len(latent_classes(question))):
            for control, some in simulate(
                question, place, {"definition1": f"text {number}", "definition2": "b"}
            ).items():
                given_[control] |= set(some)
    for control in question.asked:
        assert not control.answers or given_[control.name] == set(control.values)


def test_most_annotators_correct_a_text_alike():
    question, text = shipped_question("sentence-correction"), "one two three four five six seven"
    edits = [simulate(question, 1, {"definition1": text, "assignment": str(n)})["corrected"] for n in range(200)]
    most = max(edits.count(edit) for edit in edits)
    assert 120 < most < 180
