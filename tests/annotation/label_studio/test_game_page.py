"""The game's page in a real Chromium: by keyboard on a laptop screen, with script and without."""

import os
from pathlib import Path

import pytest

from tests.annotation.label_studio.test_game import GOOD, Generous, game, judges_at, open_round  # noqa: F401 - a fixture
from tests.annotation.label_studio.test_labelling_page import LAPTOP, browser, sign_in  # noqa: F401 - a fixture
from tests.axe import serious_faults

pytestmark = pytest.mark.sweep

WORTHLESS = (
    "These words here say something quite different",
    "Rain fell over the quiet harbour for most of that long summer",
)
SCREENS = Path(os.environ["PARADE_SCREENS"]) if "PARADE_SCREENS" in os.environ else None


def shoot(page, name):
    if SCREENS:
        page.screenshot(path=SCREENS / f"{name}.png")


def check(page, text):
    page.fill("#text", text)
    with page.expect_navigation():
        page.click("text=Check")


def test_a_game_is_played_by_keyboard(game, browser, label_studio):  # noqa: F811
    from annotation.campaign import accounts

    with judges_at(game.folder) as judge:
        open_round(game, judge, players=1)
        (account,) = accounts.read_accounts(game.store.root, game.name)
        page = sign_in(browser, label_studio.running.url, account)
        faults = []
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.wait_for_selector("blockquote")
        assert "/game/" in page.url
        shoot(page, "1-start")
        sentence = page.inner_text("blockquote")
        page.keyboard.type(sentence)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "repeats the sentence" in page.inner_text("table")
        shoot(page, "2-copy")
        page.fill("#text", GOOD[sentence])
        page.focus("#text")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "a bonus of $0.85" in page.inner_text("table")
        box = page.locator("#best").bounding_box()
        assert box["y"] + box["height"] < LAPTOP["height"], "the button is seen without scrolling"
        assert box["height"] == page.locator("#check button").bounding_box()["height"], "its word is not broken"
        assert page.evaluate("document.documentElement.scrollWidth") <= LAPTOP["width"]
        shoot(page, "3-worth")
        for text in ("word " * 190, "x" * 900):
            check(page, text)
        box = page.locator("#best").bounding_box()
        assert box["y"] + box["height"] < LAPTOP["height"], "the best one stays in sight"
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
        assert "You have earned $1.05" in page.inner_text("header")
        assert "Sentence 2 of 3" in page.inner_text("h1")
        assert page.inner_text(".kept") == "Submitted: you keep $1.05 for your last sentence."
        assert page.inner_text("blockquote") != sentence
        shoot(page, "4-next")
        page.fill("#text", "<img src=x onerror=alert(1)> a b c d e f g")
        page.focus("#text")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "plain text" in page.inner_text("table")
        assert page.locator("td img").count() == 0
        page.fill("#text", "A whole new text that nobody has seen")
    page.focus("#text")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "Your sentence is stored" in page.inner_text(".note")
    assert page.input_value("#text") == "A whole new text that nobody has seen"
    shoot(page, "5-no-judge")
    assert [fault for fault in faults if "503" not in fault] == []


def test_who_is_stuck_finds_the_way_on(game, browser, label_studio):  # noqa: F811
    from annotation.campaign import accounts

    with judges_at(game.folder) as judge:
        open_round(game, judge, players=1)
        (account,) = accounts.read_accounts(game.store.root, game.name)
        page = sign_in(browser, label_studio.running.url, account)
        page.wait_for_selector("blockquote")
        sentence = page.inner_text("blockquote")
        for number, text in enumerate([sentence, sentence.upper(), sentence + "!", "word " * 190, "x" * 900]):
            assert (page.locator("text=Give up").count() == 0) == (number < 3)
            check(page, text)
        button = page.locator("text=Give up")
        box = button.bounding_box()
        assert box["y"] + box["height"] < LAPTOP["height"], "the button is seen without scrolling"
        shoot(page, "6-stuck")
        with page.expect_navigation():
            button.click()
        assert "Sentence 2 of 3" in page.inner_text("header")
        assert "$0.00" in page.inner_text("header")


def test_a_game_is_played_without_scripts(game, browser, label_studio):  # noqa: F811
    from annotation.campaign import accounts

    with judges_at(game.folder, practice=True) as judge:
        open_round(game, judge, players=1)
        (account,) = accounts.read_accounts(game.store.root, game.name)
        page = sign_in(browser, label_studio.running.url, account)
        page.wait_for_selector("blockquote")
        plain = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
        page = plain.new_page()
        page.goto(f"{label_studio.running.url}/")
        page.fill("#text", GOOD[page.inner_text("blockquote")])
        page.click("text=Check")
        page.click("#best")
        assert "Sentence 2 of 3" in page.inner_text("header")
        assert "no money is paid" in page.inner_text("header")


class Fair(Generous):
    """Judges that find each of WORTHLESS to say something else."""

    def judge(self, first, second, rule):
        none = {"implied": False, "reward": 0}
        answers = zip(super().judge(first, second, rule), second, strict=True)
        return [answer | none if text in WORTHLESS else answer for answer, text in answers]


def test_a_telephone_shows_all_and_asks_before_a_line_without_bonus_is_final(game, browser, label_studio):  # noqa: F811
    from annotation.campaign import accounts

    with judges_at(game.folder, practice=True, judges=Fair()) as judge:
        open_round(game, judge, players=1)
        (account,) = accounts.read_accounts(game.store.root, game.name)
        page = sign_in(browser, label_studio.running.url, account)
        page.wait_for_selector("blockquote")
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.inner_text("header p >> nth=0") == "0 points so far. Practice: no money is paid"
        shoot(page, "7-telephone")
        sentence = page.inner_text("blockquote")
        check(page, WORTHLESS[0])
        assert "no bonus" in page.inner_text("table")
        asked = []
        page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
        page.click("#best")
        assert asked == ["This sentence earns no bonus, and submitting it is final. Submit it anyway?"]
        assert page.inner_text("blockquote") == sentence
        page.reload()
        check(page, GOOD[sentence])
        shoot(page, "8-telephone-worth")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        cells = page.locator("td:has(.worth), td:has(div)").all()
        assert len(cells) == 3
        assert min(cell.bounding_box()["width"] for cell in cells) > 300
        with page.expect_navigation():
            page.click("#best")
        assert page.inner_text(".kept") == "Submitted: you keep 85 points for your last sentence."
        assert page.inner_text("header p >> nth=0") == "85 points so far. Practice: no money is paid"
        page.emulate_media(color_scheme="dark")
        shoot(page, "9-telephone-dark")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert serious_faults(page) == []
        check(page, WORTHLESS[1])
        page.once("dialog", lambda dialog: dialog.accept())
        with page.expect_navigation():
            page.click("#best")
        assert page.inner_text(".kept") == "Submitted: your last sentence earned nothing."
