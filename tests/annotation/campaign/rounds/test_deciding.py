"""Which methods make labels of which control."""

from typing import get_args

from annotation.aggregation.models import MACE, POOLED
from annotation.campaign.rounds.deciding import methods_for
from annotation.questions.declarations import shipped_question
from data.contract.vocabulary import MAJORITY, Method


def test_every_control_has_the_methods_that_are_defined_for_it():
    decision, corrected = shipped_question("sentence-correction").asked
    assert methods_for(decision) == get_args(Method)
    assert methods_for(corrected) == (MAJORITY,)
    assert set(get_args(Method)) - set(methods_for(shipped_question("phenomena").first)) == {MACE}
    assert POOLED in methods_for(shipped_question("phenomena").first)
