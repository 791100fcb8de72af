"""The page of every shipped question in a real Chromium, and what the gate lets through of it."""

import collections
import itertools

import pytest

from annotation.label_studio.server import environment
from annotation.label_studio.simulated.sitting import Sitting
from annotation.questions import declarations
from annotation.questions.declarations import list_shipped, shipped_question
from annotation.questions.marking import Span, highlight
from annotation.simulation.answering import simulate
from tests.annotation.label_studio.test_gate import OWN_WRITES, leaks
from tests.annotation.label_studio.test_labelling_page import (
    NEXT,
    SUBMIT,
    annotator,  # noqa: F401 - a fixture
    browser,  # noqa: F401 - a fixture
    fits,
    screenshot,
    visit,
)
from tests.annotation.questions.test_declarations import declare
from tests.annotation.support import probes
from tests.annotation.support.probes import bodies, labelled, make_things

pytestmark = pytest.mark.sweep

WORDS = " ".join(["characteristically"] * 12)
MARKUP = "<script>document.title='ran'</script> text with <b>markup</b> and {{7*7}}"

KEYS = {
    "grammar": [(["1", "2"], {"grammar": ["2"]}), (["3"], {"grammar": ["3"]}), (["f"], {"flag": ["ill_formed"]})],
    "label-and-grammar": [
        (["y", "3"], {"same_meaning": ["yes"], "grammar": ["3"]}),
        (["n", "1", "e"], {"same_meaning": ["no"], "grammar": ["1"], "flag": ["not_english"]}),
        (["j"], {"flag": ["cannot_judge"]}),
    ],
    "parade": [(["0", "3"], {"score": ["3"]}), (["2"], {"score": ["2"]}), (["j"], {"flag": ["cannot_judge"]})],
    "phenomena": [
        (["1", "4", "5"], {"phenomena": ["detail", "knowledge", "scope"]}),
        (["0"], {"phenomena": ["none"]}),
        (["e"], {"flag": ["not_english"]}),
    ],
    "same-meaning": [
        (["n", "y"], {"same_meaning": ["yes"]}),
        (["n"], {"same_meaning": ["no"]}),
        (["e", "f"], {"flag": ["ill_formed", "not_english"]}),
    ],
    "sentence-correction": [
        (["x", "r"], {"decision": ["reject"]}),
        (["a"], {"decision": ["accept"]}),
        (["j"], {"flag": ["cannot_judge"]}),
    ],
}
KEYS["parade-de"] = KEYS["parade"]
"""Question -> for three pairs the keys to press and what they say."""


def said(request):
    """What the page sends: the values by control."""
    parts = request.post_data_json["result"]
    return {part["from_name"]: sorted(next(iter(part["value"].values()))) for part in parts}


def send(page, method="POST"):
    """Press Ctrl+Enter; what the page sent, once the server has stored it."""
    button = SUBMIT if method == "POST" else "[data-testid=bottombar-update-button]"
    page.wait_for_selector(f"{button}:enabled")
    with page.expect_response(lambda answer: answer.request.method == method and "/annotations" in answer.url) as sent:
        page.keyboard.press("Control+Enter")
    assert sent.value.ok, sent.value.text()
    return said(sent.value.request)


def wait_for(page, task):
    page.wait_for_selector(f".parade-side >> text={task['assignment']}")


def ask(label_studio, page, question, n=5):
    """Open a project of `n` tasks that asks the question, at the first of them; returns tasks and project."""
    tasks = []
    for number in range(n):
        texts = {"definition1": f"task-{number} {MARKUP} {WORDS}"}
        texts |= {"definition2": f"the other {WORDS}"} if question.shown.is_pair else {}
        if question.shown.parts:
            first, second = texts["definition1"], texts["definition2"]
            texts["marked1"] = highlight(first, "first", [Span("given", "first", 0, 6)], second, question.shown)
            texts["marked2"] = highlight(second, "second", [Span("given", "second", 4, 9)], first, question.shown)
        texts |= dict.fromkeys(question.shown.beside, "known <b>text</b> {{7*7}}")
        tasks.append({"assignment": f"task-{number}", "entity": f"entity {number}", **texts})
    project = label_studio.project(tasks, page.account, question=question, show_entity=True)
    visit(page, label_studio.running.url, project)
    wait_for(page, tasks[0])
    return tasks, project


@pytest.mark.parametrize("name", list_shipped())
def test_keys_edit_back_and_skip(annotator, label_studio, name):  # noqa: F811
    page, question = annotator, shipped_question(name)
    tasks, project = ask(label_studio, page, question)
    assert MARKUP in page.locator(".parade-sides").inner_text()
    assert page.title() != "ran"
    captions = page.locator(".parade-sides").inner_text()
    assert [caption in captions for caption in question.shown.captions] == [True] * len(question.shown.captions)
    last = [control for control in question.asked if control.answers][-1].answers[-1].text
    for text in ("entity 0", "characteristically", last, question.flags.answers[-1].text):
        assert fits(page, text), text
    scrolled = page.evaluate("document.scrollingElement.scrollHeight <= window.innerHeight")
    assert scrolled, "the page scrolls"
    screenshot(page, f"question-{name}")

    page.fill("[data-testid=textarea-input] >> visible=true", "a comment alone")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(f"text={question.asked[0].reminder}")
    page.keyboard.press("Space")
    page.wait_for_selector(f"text={question.asked[0].reminder}", state="hidden")
    for number, (keys, expected) in enumerate(KEYS[name]):
        wait_for(page, tasks[number])
        for key in keys:
            page.keyboard.press(key)
        assert send(page) == expected | ({"comment": ["a comment alone"]} if number == 0 else {})
    wait_for(page, tasks[3])

    page.click("[data-testid=prev-task]")
    wait_for(page, tasks[2])
    for key in KEYS[name][1][0]:
        page.keyboard.press(key)
    changed, wanted = send(page, "PATCH"), {name: what for name, what in KEYS[name][1][1].items() if name != "flag"}
    assert {control: changed.get(control) for control in wanted} == wanted
    page.click("[data-testid=next-task]")
    wait_for(page, tasks[3])
    with page.expect_response(lambda answer: NEXT in answer.url):
        page.click("[data-testid=bottombar-skip-button]")
    wait_for(page, tasks[4])
    collected = label_studio.client.collect({project: None}).set_index("assignment")
    assert collected["skipped"].to_dict() == {f"task-{number}": number == 3 for number in range(4)}
    for number, (_, expected) in enumerate(KEYS[name][:2]):
        answers = {control: values for control, values in expected.items() if control != "flag"}
        given = {control: sorted(values) for control, values in collected["answers"][f"task-{number}"].items()}
        assert given == answers
    assert collected["answers"]["task-2"] != {}


def test_a_sentence_is_corrected_in_the_page(annotator, label_studio):  # noqa: F811
    page, question = annotator, shipped_question("sentence-correction")
    tasks, project = ask(label_studio, page, question, n=3)
    field = ".parade-choices [data-testid=textarea-input]"
    assert not page.locator(field).is_visible()
    page.keyboard.press("x")
    page.wait_for_selector(field)
    assert page.input_value(field) == tasks[0]["definition1"]
    screenshot(page, "question-sentence-correction-fix")
    assert fits(page, "Cut off or garbled")
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "POST") as sent:
        page.keyboard.press("Control+Enter")
    assert sent.value.status == 403
    page.wait_for_selector("text=Not saved: the text is as it was. Correct it, or give another answer.")
    assert not page.locator("text=please try again").count()
    screenshot(page, "question-sentence-correction-refused")
    page.hover(".parade-choices [data-testid=textarea-region]")
    page.click(".parade-choices [data-testid=htx-textbox-edit-button]")
    page.fill("[data-testid=htx-textbox-input]", "a corrected <b>sentence</b>, x r a 0")
    page.click(f"text={question.asked[0].heading}")
    assert send(page) == {"decision": ["fix"], "corrected": ["a corrected <b>sentence</b>, x r a 0"]}
    wait_for(page, tasks[1])
    page.keyboard.press("x")
    page.wait_for_selector(field)
    page.fill(field, "changed and then given up")
    page.click(f"text={question.asked[0].answers[2].text}")
    assert send(page) == {"decision": ["accept"]}
    collected = label_studio.client.collect({project: None}).set_index("assignment")["answers"]
    assert collected["task-0"] == {"decision": ["fix"], "corrected": ["a corrected <b>sentence</b>, x r a 0"]}
    assert collected["task-1"] == {"decision": ["accept"]}


def test_parts_are_highlighted_and_their_markup_is_text(annotator, label_studio, tmp_path):  # noqa: F811
    text = (declarations.SHIPPED / "phenomena" / "question.toml").read_text(encoding="utf-8")
    captions = 'captions = ["Definition 1", "Definition 2"]'
    parts = [
        '{ name = "given", text = "What the program moved" }',
        '{ name = "only", text = "Only this text has it", computed = "words-apart" }',
    ]
    question = declarations.read(
        str(declare(tmp_path / "marked", text.replace(captions, f"{captions}\nparts = [{', '.join(parts)}]")))
    )
    page = annotator
    tasks, project = ask(label_studio, page, question)
    marks = page.locator("mark.parade-part1")
    assert [marks.nth(place).inner_text() for place in range(marks.count())] == ["task-0", "other"]
    assert "markup" in page.locator("mark.parade-part2").all_inner_texts()
    assert page.locator(".parade-side").nth(0).inner_text().endswith(tasks[0]["definition1"])
    colours = [page.locator(f"mark.parade-part{n}").first.evaluate("part => getComputedStyle(part).backgroundColor")
               for n in (1, 2)]  # fmt: skip
    assert len({*colours, "rgba(0, 0, 0, 0)"}) == 3
    assert page.title() != "ran"
    assert page.locator(".parade-side b, .parade-side script").count() == 0
    screenshot(page, "question-with-parts")
    for shown in ("What the program moved", "A model says", "known <b>text</b> {{7*7}}", "I cannot judge it"):
        assert fits(page, shown), shown
    assert page.evaluate("document.scrollingElement.scrollHeight <= window.innerHeight"), "the page scrolls"
    screenshot(page, "question-with-parts")
    page.locator("mark.parade-part1").first.dblclick()  # selects words, as in any text; nothing can be labelled there
    page.keyboard.press("1")
    assert send(page) == {"phenomena": ["knowledge"]}
    wait_for(page, tasks[1])
    assert label_studio.client.collect({project: None})["answers"].to_list() == [{"phenomena": ["knowledge"]}]


@pytest.mark.parametrize("name", sorted({*list_shipped()} - {"parade"}))
def test_no_way_of_writing_an_answer_reaches_the_victim(label_studio, name):
    question, database = shipped_question(name), label_studio.folder / "data" / environment.DATABASE
    own, victim = (make_things(label_studio, f"{whose}-{name}", question) for whose in ("own", "victim"))
    before, statuses = probes.rows(database), collections.Counter()
    with Sitting(label_studio.running.url, own.account) as sitting:
        sitting.sign_in()
        for method, template in OWN_WRITES:
            whose = [(victim, victim), (own, victim), (victim, own), (own, own)]
            for way, (first, second) in itertools.product(bodies(victim, question), whose):
                path = probes.fill(template, first, other=second)
                query = {"project": own.project, "id": "next_task"}
                answer = sitting._browser.request(method, path, params=query, **bodies(victim, question)[way])
                statuses[answer.status_code] += 1
                assert leaks(answer, victim) == [], (way, path)
    assert statuses[403] > statuses[201] > 0
    assert probes.foreign_changes(before, probes.rows(database), own) == []
    assert list(label_studio.client.collect({victim.project: None})["completed_by"]) == [victim.account.email]


@pytest.mark.parametrize("name", list_shipped())
def test_the_gate_follows_the_page(label_studio, name):
    question, own = shipped_question(name), make_things(label_studio, f"page-{name}", shipped_question(name))
    with Sitting(label_studio.running.url, own.account) as sitting:
        sitting.sign_in()
        task = sitting.next_task(own.project)

        def status(result):
            path = f"/api/tasks/{task['id']}/annotations"
            return sitting._browser.post(path, json={"result": result, "lead_time": 1.0}).status_code

        right = labelled("x", question)["result"]
        for number, part in enumerate(right):
            kind, values = next(iter(part["value"].items()))
            wrong = {"choices": [["undeclared"], [], values * 2, "x" * 6000], "text": [[], ["a", "b"] * 6, 3]}[kind]
            for value in wrong:
                body = [*right[:number], part | {"value": {kind: value}}, *right[number + 1 :]]
                assert status(body) == 400, (part["from_name"], value)
            if part["from_name"] != "comment":
                assert status([*right[:number], *right[number + 1 :]]) == 400, part["from_name"]
        assert status([*right, {"from_name": "other", "value": {"choices": ["1"]}}]) == 400
        for control in question.asked:
            if control.kind in ("scale", "yes-no", "one-of"):
                several = {"from_name": control.name, "value": {"choices": control.values[:2]}}
                assert status([several]) == 400
            if control.alone:
                both = {"from_name": control.name, "value": {"choices": control.values}}
                assert status([both]) == 400
            if control.when:
                fix = {"from_name": control.when.control, "value": {"choices": [control.when.answer]}}
                for text, refused in (("", 400), (" ", 400), (f"  {task['data']['definition1']} ", 403)):
                    assert status([fix, {"from_name": control.name, "value": {"text": [text]}}]) == refused, text
        answers = simulate(question, 1, task["data"])
        longer = {name: given + " word" * 2_000 for name, given in answers.items() if isinstance(given, str)}
        sitting.submit(own.project, task["id"], answers | longer, 1.0, "at last")
    stored = label_studio.client.collect({own.project: None}).set_index("comment")["answers"]["at last"]
    answers |= longer
    assert stored == {name: [given] if isinstance(given, str) else given for name, given in answers.items()}
