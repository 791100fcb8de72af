"""Questions as folders: what is shipped, what a lead declares, and what is refused in one line."""

from pathlib import Path

import pytest

from annotation.questions.declarations import list_shipped, read, shipped_question, standard_in
from data.console.errors import InputError
from data.contract.questions import PUBLISHED_QUESTION, from_content
from data.texts.languages.base import language

DECLARED = (Path("annotation/questions/parade") / "question.toml").read_text(encoding="utf-8")
GUIDE = "# How to answer\n\nVersion 1\n\nRead both.\n"


def declare(folder: Path, text: str = DECLARED, guide: str = GUIDE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "question.toml").write_text(text, encoding="utf-8")
    (folder / "guide.md").write_text(guide, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", list_shipped())
def test_a_shipped_question_survives_storing(name):
    question = read(name)
    assert question.name == name
    assert from_content(question.content) == question
    assert from_content(question.content).digest == question.digest


def test_the_question_of_published_labels_survives_storing_and_cannot_be_asked(tmp_path):
    assert from_content(PUBLISHED_QUESTION.content) == PUBLISHED_QUESTION
    assert PUBLISHED_QUESTION.sides == shipped_question().sides == ("no paraphrase", "paraphrase")
    assert (PUBLISHED_QUESTION.is_asked, shipped_question().is_asked) == (False, True)
    with pytest.raises(InputError, match="published: expected a name that no shipped question has"):
        read(str(declare(tmp_path / "published")))


def test_the_standard_question_follows_the_language():
    assert [standard_in(language(code)) for code in ("en", "de")] == ["parade", "parade-de"]
    english, german = read("parade"), read("parade-de")
    assert english.guide.count("\n") == german.guide.count("\n")
    assert [flag.value for flag in english.flags.answers] == [flag.value for flag in german.flags.answers]


def test_a_folder_is_a_question_of_its_name(tmp_path):
    question = read(str(declare(tmp_path / "mine")))
    assert (question.name, question.guide, question.shown) == ("mine", GUIDE, shipped_question().shown)


@pytest.mark.parametrize(
    ("name", "old", "new", "guide"),
    [
        ("mine", "Do the two", "Do these two", GUIDE),
        ("mine", "Not English", "No English", GUIDE),
        ("mine", "", "", GUIDE + "More.\n"),
        ("other", "", "", GUIDE),
    ],
)
def test_any_change_is_another_question(tmp_path, name, old, new, guide):
    question = read(str(declare(tmp_path / "mine")))
    assert old in DECLARED
    changed = read(str(declare(tmp_path / name, DECLARED.replace(old, new), guide)))
    assert changed.digest != question.digest


def test_comments_and_layout_are_no_other_question(tmp_path):
    question = read(str(declare(tmp_path / "mine")))
    declare(tmp_path / "mine", "# a remark\n\n" + DECLARED.replace(" = ", "  =  "))
    assert read(str(tmp_path / "mine")).digest == question.digest


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("old", "new", "place", "expected"),
    [
        ('version = "1"', 'version = "1', "question.toml", "expected a declared question, as TOML, found"),
        ('version = "1"', "a = " + "[" * 5000 + "]" * 5000, "question.toml", "found maximum recursion depth"),
        ('version = "1"', "a" + ".a" * 5000 + " = 1", "question.toml", "found maximum recursion depth"),
        ('version = "1"', "version = 1", "question.toml, version", "expected Input should be a valid string, found 1"),
        ('version = "1"', "", "question.toml, version", "found nothing"),
        ('version = "1"', 'version = "1"\ncolour = "red"', "colour", 'Unexpected keyword argument, found "red"'),
        ("raters = 3", "raters = 0", "question.toml, raters", "greater than or equal to 1, found 0"),
        ('kind = "scale"', 'kind = "stars"', "asked, 1, kind", "expected Input should be 'scale'"),
        ('value = "3"', 'value = "1"', "asked, 1", "expected the values of a scale from the lowest to the highest"),
        ('value = "3"', 'value = "much"', "asked, 1", "expected whole numbers from 0 to 100 as values of a scale"),
        ('["2", "3"]', '["1", "3"]', "asked, 1", "expected as positive the last of the answers"),
        ('["2", "3"]', '["0", "1", "2", "3"]', "asked, 1", "expected as positive the last of the answers"),
        ('name = "score"', 'name = "flag"', "asked, 1", "expected another name than flag"),
        ('level = "interval"', 'level = "ratio"', "asked, 1, level", "'nominal', 'ordinal' or 'interval'"),
        ('kind = "scale"', 'kind = "one-of"', "asked, 1", "expected the level interval only for a scale"),
        ('kind = "scale"', 'kind = "yes-no"', "asked, 1", "expected the answers no and yes, in this order"),
        ('kind = "scale"', 'kind = "edited-text"', "asked, 1", "expected an edited text without answers"),
        ('kind = "scale"', 'kind = "scale"\nalone = "3"', "asked, 1", "expected alone only for several-of"),
        ('kind = "scale"', 'kind = "scale"\nwhen = {control = "x", answer = "y"}', "asked, 1", "when only for an"),
        ("[flags]", '[[asked]]\nname = "t"\nkind = "edited-text"\nheading = "h"\nreminder = "r"\n'
         'when = {control = "score", answer = "9"}\n[flags]', "question.toml", "expected as when of t an answer to an"),
        ("[flags]", '[[asked]]\nname = "score"\nkind = "edited-text"\nheading = "h"\nreminder = "r"\n'
         'when = {control = "score", answer = "3"}\n[flags]',
         "question.toml", "expected a name of its own for each control: 'score' is there twice"),
        ("[flags]", '[[asked]]\nname = "t"\nkind = "edited-text"\nheading = "h"\nreminder = "r"\n[flags]',
         "asked, 2", "expected when for an edited text"),
        ('name = "score"', 'name = "answer"', "asked, 1", "expected another name than flag"),
        ('name = "score"', 'name = "answer2"', "asked, 1", "expected another name than flag"),
        ('value = "1"', 'value = "01"', "asked, 1", "expected whole numbers from 0 to 100 as values of a scale"),
        ('value = "3"', 'value = "101"', "asked, 1", "expected whole numbers from 0 to 100 as values of a scale"),
        ('version = "1"', "version = 2026-01-05", "question.toml, version", 'found {"date": "2026-01-05"}'),
        ('key = "3"', 'key = "33"', "asked, 1, answers, 4, key", "found \"33\""),
        ('key = "3"', 'key = "e"', "question.toml", "expected a key of its own: 'e' is there twice"),
        ('"not_english"', '"boring"', "flags", "expected flags among not_english, ill_formed, cannot_judge"),
        ("Not English", "", "flags, answers, 1, text", "at least 1 character"),
        ("Not English", "$score", "flags, answers, 1, text", "expected one line without $"),
        ("Not English", "a\\nb", "flags, answers, 1, text", "expected one line without $"),
        ('"Definition 2"]', '"Definition 2", "x"]', "shown, captions", "at most 2 items"),
        ('level = "interval"', 'keeps = ["3"]', "asked, 1", "each of the answers once in keeps, changes or drops"),
        ('level = "interval"', 'keeps = ["1", "2", "3"]\ndrops = ["0", "1"]', "asked, 1", "each of the answers once"),
        ('level = "interval"', 'keeps = ["2", "3"]\nchanges = ["1"]\ndrops = ["0"]', "question.toml",
         "expected an edited text for each answer that changes the item"),
        ("[flags]", 'keeps = ["2", "3"]\nchanges = ["1"]\ndrops = ["0"]\n[[asked]]\nname = "t"\nkind = "edited-text"\n'
         'heading = "h"\nreminder = "r"\nwhen = {control = "score", answer = "1"}\n[flags]',
         "question.toml", "expected one caption where an answer changes the text"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_names_the_place(tmp_path, old, new, place, expected):
    assert old in DECLARED
    with pytest.raises(InputError) as caught:
        read(str(declare(tmp_path / "mine", DECLARED.replace(old, new))))
    line = str(caught.value)
    assert place in line.split(": expected", maxsplit=1)[0]
    assert expected in line
    assert line.endswith("; see docs/questions.md")
    assert "\n" not in line


@pytest.mark.parametrize("field", ["name", "guide"])
def test_what_the_folder_says_is_no_field(tmp_path, field):
    with pytest.raises(InputError, match=f'question.toml, {field}: expected no such field.*found "x"; leave it out'):
        read(str(declare(tmp_path / "mine", f'{field} = "x"\n' + DECLARED)))


def test_a_scale_from_0_to_10_can_be_asked(tmp_path):
    answers = "".join(f'{{ value = "{n}", key = "{"0123456789a"[n]}", text = "grade {n}" }},' for n in range(11))
    head, _, rest = DECLARED.partition("answers = [")
    text = f"{head}answers = [{answers}]{rest.partition(']')[2]}".replace('["2", "3"]', '["9", "10"]')
    assert read(str(declare(tmp_path / "mine", text))).asked[0].codes == {str(n): n for n in range(11)}


def test_a_guide_with_control_characters_is_refused(tmp_path):
    with pytest.raises(InputError, match="guide: expected a guide without control characters"):
        read(str(declare(tmp_path / "mine", guide=GUIDE + "ring\x07\n")))
    assert read(str(declare(tmp_path / "mine", guide=GUIDE.replace("\n", "\r\n") + "\ta tab\r\n"))).name == "mine"


@pytest.mark.parametrize("guide", ["", "# No version\n"])
def test_a_guide_names_its_version(tmp_path, guide):
    with pytest.raises(InputError, match=r"guide: expected a guide with a line `Version …`"):
        read(str(declare(tmp_path / "mine", guide=guide)))


def test_a_name_that_is_no_ones_and_a_shipped_one_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"--question: expected grammar, label-and-grammar, parade.*found 'nobody'"):
        read("nobody")
    with pytest.raises(InputError, match="a name that no shipped question has"):
        read(str(declare(tmp_path / "parade")))
    with pytest.raises(InputError, match=r"name: expected String should match pattern"):
        read(str(declare(tmp_path / "My Question")))


def test_the_example_of_the_documentation_is_a_question(tmp_path):
    text = Path("docs/questions.md").read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    question = read(str(declare(tmp_path / "clearer", text)))
    assert question.vote is question.asked[0]
