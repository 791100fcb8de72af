"""What a template of Anki shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.packages.templates import Showing, is_cloze, shown_fields

FIELDS = ("Term", "Gloss", "Rank")
ALWAYS, SOMETIMES, TYPED = Showing


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{{Term}}<hr>{{ Gloss }}", {0: ALWAYS, 1: ALWAYS}),
        ("{{Gloss}} {{Term}}", {1: ALWAYS, 0: ALWAYS}),
        ("{{furigana:Term}} {{edit:text:Gloss}}", {0: ALWAYS, 1: ALWAYS}),
        ('<div class="card rank-{{Rank}}" data-x="{{Gloss}}">{{Term}}</div>', {0: ALWAYS}),
        ("<!-- {{Rank}} --><style>.{{Gloss}}{}</style><script>let a = '{{Gloss}}' < 1</script>{{Term}}", {0: ALWAYS}),
        ("{{tts en_GB voices=Any:Rank}}[sound:{{Gloss}}]{{Term}}", {0: ALWAYS}),
        ("{{#Gloss}}see {{Gloss}}{{/Gloss}}{{Term}}", {1: SOMETIMES, 0: ALWAYS}),
        ("{{^Rank}}{{#Gloss}}{{/Gloss}}{{Term}}{{/Rank}}{{Gloss}}", {0: SOMETIMES, 1: ALWAYS}),
        ("{{#Gloss}}{{Term}}{{/Gloss}}{{Term}}", {0: ALWAYS}),
        ("{{hint:Gloss}}{{type:Term}}", {1: SOMETIMES, 0: TYPED}),
        ("{{FrontSide}}{{Tags}}{{Other}}{{Term", {}),
        ("{{/Term}}{{Term}}", {0: ALWAYS}),
        ("\ue0000\ue001{{Term}}\ue0009\ue001", {0: ALWAYS}),
    ],
)
def test_a_template_shows_what_a_reader_sees(template, shown):
    assert list(shown_fields(template, FIELDS).items()) == list(shown.items())


@pytest.mark.parametrize(
    ("template", "cloze"),
    [
        ("{{cloze:Text}}", True),
        ("{{cloze::Text}}", True),
        ("{{edit: cloze :Text}}", True),
        ("{{Cloze}}", False),
        ("{{#cloze}}{{/cloze}}", False),
    ],
)
def test_a_cloze_is_told_by_its_filter(template, cloze):
    assert is_cloze(template) == cloze


@given(st.text(alphabet="{}#^/:<>! -'\"\ue000\ue0010TermGlossRank", max_size=60))
def test_any_text_is_a_template(template):
    assert set(shown_fields(template, FIELDS)) <= set(range(len(FIELDS)))
