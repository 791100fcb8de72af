"""docs/tutorial.md is true: its commands run, and a browser does what it asks of the reader.

`PARADE_SCREENSHOTS=docs/images` makes its pictures.
"""

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.labels import Labels
from data.storage.store import Store
from tests.annotation.label_studio.test_labelling_page import PATIENCE, accept, how_far, screenshot, submit
from tests.campaign import ROOT, failures, free_port, in_folder, read, read_blocks, run_document

pytestmark = [pytest.mark.server, pytest.mark.sweep, pytest.mark.timeout(1800)]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
DOCUMENT = read("tutorial")
CHROMIUM = Path("/usr/bin/chromium")
SIZE = {"width": 1180, "height": 640}


@pytest.fixture
def page():
    """A browser's page of the size of the pictures."""
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is missing: expected at {CHROMIUM}")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=str(CHROMIUM), args=flags).new_page(viewport=SIZE)
        page.set_default_timeout(PATIENCE)
        yield page


def label(page: Page, letter: str) -> None:
    """Sign in with what the letter says, accept the guide, and answer all pairs by keyboard."""
    words = dict(line.split() for line in letter.splitlines() if line.startswith("  "))
    page.goto(words["address"])
    page.fill("input[name=email]", words["e-mail"])
    page.fill("input[name=password]", words["password"])
    with page.expect_navigation(url=lambda url: "login" not in url):
        page.click("button[type=submit]")
    screenshot(page, "agreement")
    accept(page)
    for number in range(10):
        page.wait_for_selector(".parade-sides")
        if number == 3:
            how_far(page, "3 of 10 done. Skip leaves the pair without an answer.")
            screenshot(page, "labelling")
        page.keyboard.press("0")
        assert submit(page) == {"score": {"choices": ["0"]}}


def test_the_tutorial_ends_with_a_released_set(label_studio_environment, tmp_path, monkeypatch, page):
    for name in ("demo", "scrapy.cfg"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.delenv("PARADE_STORE", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run, ports, shown = in_folder(tmp_path), {"8160": free_port(), "8161": free_port()}, []

    def call(command):
        if " look " in command:
            words = [sys.executable, *command.split()[1:]]
            shown.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
            address = next(line.strip() for line in shown[0].stdout if line.startswith("http://"))
            page.goto(address)
            assert "of 30" in page.locator("main").inner_text()
            screenshot(page, "look")
            return 0, "", ""
        if " simulate " in command:
            label(page, (tmp_path / "letters" / "sign-in" / "a01.txt").read_text(encoding="utf-8"))
        return run(command)

    with contextlib.chdir(tmp_path):
        try:
            steps = list(run_document(DOCUMENT, ports, call))
        finally:
            run("python -m annotation server stop")
            for server in shown:
                server.send_signal(signal.SIGINT)
                server.communicate()
    assert failures(steps) == []
    assert [step.command for step in steps] == [one for block in read_blocks(DOCUMENT) for one in block.commands]
    page.goto(f"file://{tmp_path}/report/report.html")
    screenshot(page, "report")
    assert (tmp_path / "released" / "README.md").exists()
    store = Store(tmp_path / "data" / "store")
    said = store.read(Ratings).merge(store.read(Assignments), on="assignment_id")
    assert said["annotator"].value_counts().to_dict() == {"a01": 10, "a02": 10, "a03": 10}
    assert set(said.loc[said["annotator"] == "a01", "score"]) == {0}
    assert store.read(Labels)["binary"].notna().all()
