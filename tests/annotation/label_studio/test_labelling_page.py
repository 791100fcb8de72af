"""The labelling page in a real Chromium, as annotators use it: by keyboard, on a laptop screen."""

import os
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page, sync_playwright

from annotation.campaign.accounts import Account
from annotation.campaign.documents import Document, default_guide
from annotation.label_studio.labelling import labelling
from annotation.questions.declarations import shipped_question
from tests.axe import serious_faults

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LAPTOP = {"width": 1366, "height": 650}
"""The part of 1366 x 768 that is not covered by the browser's own bars."""

PATIENCE = 120_000
"""Milliseconds: Label Studio's page is heavy, and machines that run tests are busy."""

NEXT = "/api/dm/actions?id=next_task"
SUBMIT = "[data-testid=bottombar-submit-button]"
COMMENT = "[data-testid=textarea-input]"
THIRTY_WORDS = " ".join(["characteristically"] * 30)


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is missing: expected at {CHROMIUM}")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)


@pytest.fixture(scope="module")
def annotator(browser, label_studio):
    """A signed-in annotator's page."""
    page = sign_in(browser, label_studio.running.url, label_studio.account())
    page.wait_for_selector("text=Nothing to label at the moment")
    return page


def sign_in(browser, url: str, account: Account) -> Page:
    """The page to which the login form leads an annotator, in a fresh browser context."""
    page = browser.new_context(viewport=LAPTOP).new_page()
    page.account = account
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/user/login/")
    page.fill("input[name=email]", account.email)
    page.fill("input[name=password]", account.password)
    with page.expect_navigation(url=lambda url: "login" not in url):
        page.click("button[type=submit]")
    if page.url.endswith("/agreement"):
        accept(page)
    return page


def accept(page: Page) -> None:
    """Tick every box of the page before the first task and continue."""
    for box in page.locator("input[name=accept]").all():
        box.check()
    with page.expect_navigation(url=lambda url: "agreement" not in url):
        page.click("text=Continue")


def visit(page: Page, url: str, project: int) -> None:
    """Open the project's first task, past the page before it where that asks for a tick."""
    page.goto(f"{url}/projects/{project}/data?labeling=1")
    if page.url.endswith("/agreement"):
        accept(page)


def submit(page: Page) -> dict:
    """Press Ctrl+Enter; return what the page sent, once the server has stored it and the next pair is shown."""
    page.wait_for_selector(f"{SUBMIT}:enabled")
    with (
        page.expect_response(lambda answer: NEXT in answer.url) as following,
        page.expect_response(lambda answer: answer.request.method == "POST" and "/annotations" in answer.url) as sent,
    ):
        page.keyboard.press("Control+Enter")
    assert sent.value.status == 201
    if following.value.ok:
        page.wait_for_selector(f"text={following.value.json()['data']['definition2']}")
        page.wait_for_selector(f"{SUBMIT}:disabled")
    return {part["from_name"]: part["value"] for part in sent.value.request.post_data_json["result"]}


def how_far(page: Page, line: str) -> None:
    """Wait until the line at the top says this."""
    page.wait_for_function("line => document.getElementById('parade-progress').textContent === line", arg=line)


def screenshot(page: Page, name: str) -> None:
    """Take a screenshot if PARADE_SCREENSHOTS names a folder."""
    folder = os.environ.get("PARADE_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def fits(page: Page, text: str) -> bool:
    """Whether the text is on the screen, above the bar at the bottom."""
    box = page.locator(".parade").get_by_text(text).first.bounding_box()
    return box["y"] > 0 and box["y"] + box["height"] <= page.locator(SUBMIT).bounding_box()["y"]


@pytest.mark.sweep
def test_three_pairs_by_keyboard(browser, label_studio, tasks):
    """By an annotator of their own, who has accepted nothing yet."""
    page, fetched = sign_in(browser, label_studio.running.url, label_studio.account()), []
    tasks.append({"assignment": "a-4", "definition1": "the last", "definition2": THIRTY_WORDS, "entity": "end"})
    project = label_studio.project(tasks, page.account, show_entity=True)
    page.on("response", lambda answer: fetched.append(answer) if "/api/" in answer.url else None)
    consent = Document(
        kind="consent", version="1", reference="IRB 2026/7", text="# Taking part\n\nYou may stop.\n\n- x"
    )
    label_studio.client.open_for({project: (page.account.email, True)}, [consent, default_guide()])
    page.goto(f"{label_studio.running.url}/projects/{project}/data?labeling=1")

    screenshot(page, "agreement-page")
    assert [heading.inner_text() for heading in page.locator("section h2").all()] == [
        "Taking part",
        "How to score two definitions",
    ]
    page.click("text=Continue")
    page.wait_for_selector("text=Please tick every box")
    accept(page)
    page.wait_for_selector("text=things in an order")
    assert page.locator(".parade-entity").inner_text() == "list"
    how_far(page, "0 of 4 done. Submit saves an answer, Skip leaves the pair without one.")
    assert "until then Submit stays grey and Ctrl+Enter does nothing" in default_guide().text
    assert page.locator(SUBMIT).is_disabled()
    page.keyboard.press("Control+Enter")
    page.keyboard.press("1")
    page.keyboard.press("2")
    screenshot(page, "labelling-page")
    assert submit(page) == {"score": {"choices": ["2"]}}
    how_far(page, "1 of 4 done. Skip leaves the pair without an answer.")

    texts = page.locator(".parade-sides").inner_text()
    assert tasks[1]["definition1"] in texts
    assert tasks[1]["definition2"] in texts
    assert page.title() != "ran"
    page.keyboard.press("f")
    assert submit(page) == {"flag": {"choices": ["ill_formed"]}}

    page.fill(COMMENT, "only 2 words, e.g. these")
    page.keyboard.press("Enter")
    page.wait_for_selector(COMMENT, state="hidden")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Choose a score (keys 0 to 3) or a flag (keys e, f, j).")
    page.keyboard.press("Space")
    page.wait_for_selector("text=Choose a score (keys 0 to 3) or a flag (keys e, f, j).", state="hidden")
    page.keyboard.press("0")
    page.keyboard.press("e")
    assert submit(page) == {
        "comment": {"text": ["only 2 words, e.g. these"]},
        "score": {"choices": ["0"]},
        "flag": {"choices": ["not_english"]},
    }

    collected = label_studio.client.collect({project: None}).set_index("assignment")
    assert collected["answers"].to_dict() == {"a-1": {"score": ["2"]}, "a-2": {}, "a-3": {"score": ["0"]}}
    assert collected["flags"].to_dict() == {"a-1": [], "a-2": ["ill_formed"], "a-3": ["not_english"]}
    assert (collected["seconds"] > 0).all()
    shown = [answer.json()["data"] for answer in fetched if NEXT in answer.url and answer.ok]
    assert shown == tasks


@pytest.mark.sweep
def test_six_pairs_with_a_change_a_skip_a_draft_and_a_closed_browser(browser, label_studio):
    account, url, collect = label_studio.account(), label_studio.running.url, label_studio.client.collect
    names = [f"pair {letter}" for letter in "abcdef"]
    tasks = [
        {"assignment": name, "definition1": f"{name} one", "definition2": f"{name} two", "entity": name}
        for name in names
    ]
    project = label_studio.project(tasks, account)
    page = sign_in(browser, url, account)
    for name in names[:3]:
        page.wait_for_selector(f"text={name} one")
        page.keyboard.press("1")
        assert submit(page) == {"score": {"choices": ["1"]}}
    before = collect({project: None}).set_index("assignment")

    page.wait_for_selector("text=pair d one")
    page.click("[data-testid=prev-task]")
    page.wait_for_selector("text=pair c one")
    page.keyboard.press("3")
    with page.expect_response(
        lambda answer: answer.request.method == "PATCH" and "/annotations/" in answer.url
    ) as changed:
        page.wait_for_selector("[data-testid=bottombar-update-button]:enabled")
        page.keyboard.press("Control+Enter")
    assert changed.value.ok
    after = collect({project: None}).set_index("assignment")
    assert [said["answers"]["pair c"]["score"] for said in (before, after)] == [["1"], ["3"]]
    assert after["submitted_at"]["pair c"] > before["submitted_at"]["pair c"]

    page.click("[data-testid=next-task]")
    page.wait_for_selector("text=pair d one")
    with page.expect_response(lambda answer: NEXT in answer.url):
        page.click("[data-testid=bottombar-skip-button]")
    page.wait_for_selector("text=pair e one")
    page.keyboard.press("2")
    with page.expect_response(lambda answer: answer.request.method == "POST" and "/drafts" in answer.url) as drafted:
        page.wait_for_selector(f"{SUBMIT}:enabled")
    assert drafted.value.status == 201
    page.context.close()
    assert "pair e" not in set(collect({project: None})["assignment"])

    page = sign_in(browser, url, account)
    page.wait_for_selector("text=pair e one")
    screenshot(page, "after-a-closed-browser")
    page.wait_for_selector("input[type=radio][name^='2']:checked")
    assert submit(page) == {"score": {"choices": ["2"]}}
    for name in names[5:]:
        page.wait_for_selector(f"text={name} one")
        page.keyboard.press("0")
        submit(page)
    thanks = "Thank you! Your answers are saved, and you may close this page. You can go back to those you skipped."
    how_far(page, f"5 of 6 done, 1 skipped. {thanks} New pairs, if there are any, will be here later.")
    screenshot(page, "the-end")
    annotations = collect({project: None}).set_index("assignment")
    skipped = annotations["skipped"].to_dict()
    assert [name for name in names if skipped.get(name)] == ["pair d"]
    scores = {name: given["score"][0] for name, given in annotations["answers"].items() if given}
    assert scores == {"pair a": "1", "pair b": "1", "pair c": "3", "pair e": "2"} | dict.fromkeys(names[5:], "0")
    assert set(annotations["completed_by"]) == {account.email}


@pytest.mark.sweep
def test_thirty_words_and_the_scale_fit_a_laptop(annotator, label_studio):
    texts = {"definition1": THIRTY_WORDS + " left", "definition2": THIRTY_WORDS + " right"}
    tasks = [{"assignment": "a-1", **texts, "entity": "long words"}]
    project = label_studio.project(tasks, annotator.account, show_entity=True)
    visit(annotator, label_studio.running.url, project)
    annotator.wait_for_selector("text=long words")
    screenshot(annotator, "thirty-long-words")
    for text in ("long words", "left", "right", "0 – ", "3 – ", "I cannot judge it"):
        assert fits(annotator, text), text
    sides = [annotator.locator(".parade-side").nth(side).bounding_box() for side in (0, 1)]
    assert sides[0]["y"] == sides[1]["y"]
    assert sides[0]["x"] + sides[0]["width"] <= sides[1]["x"]


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), [LAPTOP.values(), (390, 844)])
def test_the_line_at_the_top_covers_nothing(annotator, label_studio, tasks, width, height):
    """Neither Label Studio's header nor the pair; no text runs out of its box, and Submit is on the screen."""
    long = [{**tasks[0], "definition1": "x" * 200}]
    project = label_studio.project(long, annotator.account)
    visit(annotator, label_studio.running.url, project)
    annotator.wait_for_selector(".parade-sides")
    annotator.wait_for_selector("#parade-progress:not(:empty)")
    longest = "148 of 250 done, 12 skipped, about 120 min left. Skip leaves the pair without an answer."
    annotator.evaluate("line => { document.getElementById('parade-progress').textContent = line; }", longest)
    annotator.set_viewport_size({"width": width, "height": height})
    header, line, pair = (
        annotator.locator(one).bounding_box() for one in (".lsf-menu-header", "#parade-progress", ".parade")
    )
    wide, room = annotator.locator(".parade-side").first.evaluate("box => [box.scrollWidth, box.clientWidth]")
    page_width = annotator.evaluate("document.documentElement.scrollWidth")
    others = annotator.locator(".lsf-sidepanels__wrapper:visible, .lsf-current-task__task-count:visible").count()
    button = annotator.locator(SUBMIT).bounding_box()
    screenshot(annotator, f"width-{width}")
    annotator.set_viewport_size(LAPTOP)
    assert header["y"] + header["height"] <= line["y"]
    assert line["y"] + line["height"] <= pair["y"]
    assert wide <= room
    assert button["x"] + button["width"] <= width
    assert button["y"] + button["height"] <= height
    assert page_width == width
    assert others == 0


@pytest.mark.sweep
def test_the_form_to_sign_in_fits_a_narrow_window_and_has_labels(browser, label_studio):
    page = browser.new_context(viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{label_studio.running.url}/user/login/")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for label in ("Email Address", "Password"):
        box = page.get_by_label(label).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert serious_faults(page) == []


@pytest.mark.sweep
def test_the_guide_unfolds_below_and_covers_nothing(annotator, label_studio, tasks):
    project = label_studio.project(tasks[:1], annotator.account)
    visit(annotator, label_studio.running.url, project)
    annotator.wait_for_selector("text=things in an order")
    assert annotator.locator("[role=dialog]:visible").count() == 0
    assert annotator.locator(".parade-entity").count() == 0
    scale = annotator.locator(".parade-scale").bounding_box()
    annotator.click("text=Guide")
    annotator.wait_for_selector(f"text=Version {default_guide().version}")
    screenshot(annotator, "guide")
    assert annotator.locator("[role=dialog]:visible").count() == 0
    assert annotator.locator(".parade-scale").bounding_box() == scale
    colour = annotator.locator(".parade .ant-collapse").evaluate("box => getComputedStyle(box).backgroundColor")
    assert colour == "rgba(0, 0, 0, 0)"
    assert annotator.locator(".parade-guide").bounding_box()["y"] >= scale["y"] + scale["height"]


@pytest.mark.parametrize("show_entity", [True, False])
def test_the_page_shows_the_entity_only_on_request(show_entity):
    page = ET.fromstring(labelling(shipped_question(), show_entity=show_entity))
    values = [part.get("value", "") for part in page.iter()]
    assert ("$entity" in values) == show_entity
    assert {"$definition1", "$definition2"} <= set(values)
    keys = [part.get("hotkey") for part in page.iter("Choice") if part.get("hotkey")]
    assert keys == ["0", "1", "2", "3", "e", "f", "j"]


def test_the_page_contains_the_guide_of_the_file():
    page = ET.fromstring(labelling(shipped_question(), show_entity=False))
    (panel,) = (part for part in page.iter("View") if part.get("className") == "parade-guide")
    lines = [re.sub("^- ", "• ", line.lstrip("# ")) for line in default_guide().text.splitlines() if line]
    assert [part.get("value") for part in panel.iter("Header")] == lines
    assert f"Version {default_guide().version}" in lines
