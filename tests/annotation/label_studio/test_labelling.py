"""The page's configuration, made from a question."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from annotation.label_studio.labelling import labelling
from annotation.questions.declarations import shipped_question
from tests.annotation.questions.test_declarations import DECLARED, declare

GOLDEN = Path(__file__).parent.parent / "golden"
GUIDES = {"standing": None, "own": "# Mine & <yours>\n\nVersion 7\n\n- a \"quoted\" 'line'\n"}


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("look", ["blind", "informed"])
@pytest.mark.parametrize("entity", ["entity", "plain"])
def test_the_standard_page_is_the_golden_one(entity, look, guide):
    page = labelling(
        shipped_question(), show_entity=entity == "entity", informed=look == "informed", guide=GUIDES[guide]
    )
    assert page.encode() == (GOLDEN / f"{entity}-{look}-{guide}.xml").read_bytes()


def test_a_question_with_markup_stays_text(tmp_path):
    from annotation.questions.declarations import read

    odd = '<View/> & \\"quotes\\" {{ 7*7 }} {% if %}'
    question = read(str(declare(tmp_path / "odd", DECLARED.replace("Not English", odd))))
    page = ET.fromstring(labelling(question, show_entity=False))
    assert odd.replace("\\", "") in [choice.get("value") for choice in page.iter("Choice")]


def test_a_dollar_sign_in_a_guide_means_no_value_of_the_task():
    page = labelling(shipped_question(), show_entity=True, guide="Version 1\n\n$entity costs $5\n")
    lines = [header.get("value") for header in ET.fromstring(page).iter("Header")]
    assert "\u2060$\u2060entity costs \u2060$\u20605" in lines
