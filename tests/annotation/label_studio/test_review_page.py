"""A senior's second look in a real Chromium: the page shows votes and comments and requires a reason."""

import secrets

import pytest

from annotation.label_studio.labelling import WHY, labelling
from annotation.questions.declarations import shipped_question
from tests.annotation.label_studio.test_labelling_page import COMMENT, browser, screenshot, sign_in, submit  # noqa: F401 - a fixture

VOTES = "The others: 0 · 3 “<b>the same</b> thing” · 3. You, the first time: 2."
TASKS = [
    {"assignment": f"r-{n}", "entity": "list", "definition1": "a list of things", "definition2": text, "votes": VOTES}
    for n, text in enumerate(["things in an order", "a set of things"])
]


@pytest.mark.sweep
def test_a_second_look_shows_the_votes_and_requires_a_reason(browser, label_studio):  # noqa: F811
    account, client = label_studio.account(), label_studio.client
    title = f"Definitions {secrets.token_hex(4)}"
    project = client.ensure_project(
        title=title, labelling=labelling(shipped_question(), show_entity=True, informed=True)
    )
    assert client.ensure_tasks({project: TASKS}) == 2
    assert client.open_for({project: (account.email, True)}) == 1
    page = sign_in(browser, label_studio.running.url, account)
    page.goto(f"{label_studio.running.url}/projects/{project}/data?labeling=1")
    page.wait_for_selector("text=things in an order")
    assert page.locator(".parade-votes").inner_text().endswith(VOTES)
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(f"text={WHY}")
    screenshot(page, "review-page-without-reason")
    page.keyboard.press("Space")
    page.wait_for_selector(f"text={WHY}", state="hidden")
    page.fill(COMMENT, "the order is what makes a list")
    page.keyboard.press("Enter")
    page.wait_for_selector(COMMENT, state="hidden")
    screenshot(page, "review-page")
    assert submit(page) == {
        "score": {"choices": ["1"]},
        "comment": {"text": ["the order is what makes a list"]},
    }
    rows = client.collect({project: None}).set_index("assignment")
    assert rows.loc["r-0", ["answers", "comment"]].to_list() == [{"score": ["1"]}, "the order is what makes a list"]
    client.open_for({project: (account.email, False)})
    closed = page.request.get(f"{label_studio.running.url}/api/projects/{project}/next")
    assert closed.status == 403
