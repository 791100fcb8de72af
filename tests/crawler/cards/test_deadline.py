"""Reading ends, whatever is read."""

import re
import signal
import subprocess
import sys
import time

import pytest

from crawler.cards.outcome import Outcome
from crawler.formats import reading
from crawler.spiders.base import SiteSpider
from data.console.errors import InputError
from data.files import deadline as deadlines
from data.files.deadline import DeadlineError, deadline
from data.files.papers import reader, texts
from data.files.papers.files import Columns
from tests.crawler.tools.anki_files import package
from tests.crawler.tools.crawling import ROOT
from tests.crawler.tools.decks import TABLE, kinds, note, sides
from tests.data.files.papers.test_bibliographies import BIBTEX, SAMPLES

ENDLESS = re.compile("(?:a+)+b")


def hang(*_):
    return ENDLESS.search("a" * 100)


def test_a_pattern_that_would_not_end_is_ended():
    started = time.process_time()
    with pytest.raises(DeadlineError), deadline(0.2):
        hang()
    assert time.process_time() - started < 2
    with deadline(0.2):
        pass
    time.sleep(0.01)
    with deadline(5), pytest.raises(DeadlineError), deadline(0.1):
        raise DeadlineError


def test_a_file_that_takes_too_long_is_a_finding_and_the_others_are_read(monkeypatch):
    read_note = reading.read_note
    monkeypatch.setattr(deadlines, "PROCESSOR_SECONDS", 0.2)
    monkeypatch.setattr(
        reading, "read_note", lambda name, text, *how: hang() if "hang" in text else read_note(name, text, *how)
    )
    content = package({"a.md": b"# Note\nhang", "b.tsv": TABLE})
    outcome = reading.read("a.zip", content)
    assert (kinds(outcome), len(sides(outcome))) == (["too_slow"], 2)


class Slow(SiteSpider):
    """Records its outcomes in a list; its only kind of page never ends."""

    def parse_set(self, response, page):
        hang()
        yield

    def record(self, reply, parts=(), **more):
        yield reply


def test_a_page_that_takes_too_long_is_a_finding(monkeypatch):
    from scrapy.http import TextResponse

    from crawler.ledger.ledger import SourcePage

    monkeypatch.setattr(deadlines, "PROCESSOR_SECONDS", 0.2)
    spider = Slow.__new__(Slow)
    spider.site = "https://quizlet.com"
    page = SourcePage(kind="set", key="/1/")
    (reply,) = spider.parse_page(TextResponse("https://quizlet.com/1/", body=b"x"), page)
    assert isinstance(reply.outcome, Outcome)
    assert kinds(reply.outcome) == ["too_slow"]


@pytest.mark.parametrize("spaces", [2_000, 1_000_000])
def test_the_title_that_hung_the_crawler_is_read_at_once(tmp_path, spaces):
    head = f"<title>a{' ' * spaces}b</title><link rel='canonical' href='https://www.studystack.com/flashcard-12345'>"
    page = f"<html><head>{head}</head><table id='theTable'><tr><td>stack</td><td>last in</td></tr></table></html>"
    started = time.process_time()
    (deck,) = reading.read("x.html", page.encode()).decks
    assert time.process_time() - started < 2
    assert len(deck.title) <= 1000


@pytest.mark.sweep
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["files", "papers"])
def test_ctrl_c_and_kill_are_heard_while_a_pattern_hangs(tmp_path, command, number):
    """Scrapy notes a signal and ends once the deadline has ended the file at hand; other commands end at once."""
    (tmp_path / "decks").mkdir()
    for n in range(20):
        (tmp_path / "decks" / f"{n}.md").write_bytes(note(front=f"stack {n}"))
    (tmp_path / "papers.bib").write_text("@article{a, title = {A}}\n")
    path = tmp_path / ("decks" if command == "files" else "papers.bib")
    arguments = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.crawler.tools.interrupted",
        command,
        path,
        tmp_path / "store",
    ]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "hanging\n"
        process.send_signal(number)
        out, errors = process.communicate(timeout=300)
    assert process.returncode != 0
    assert out.count("hanging") <= 3
    assert "Traceback" not in errors


@pytest.mark.parametrize("name", ["bibtex", "x.ris", "x.nbib", "pubmed.xml", "openalex.json", "arxiv.json"])
def test_papers_that_take_too_long_are_one_line(tmp_path, monkeypatch, name):
    monkeypatch.setattr(reader, "PROCESSOR_SECONDS", 0.2)
    monkeypatch.setattr(texts, "free", hang)
    (tmp_path / "papers").write_bytes(SAMPLES.get(name, BIBTEX))
    with pytest.raises(InputError, match=r"^[^\n]*papers that can be read in [^\n]*; split the file[^\n]*$"):
        list(reader.read_papers([tmp_path / "papers"], Columns.parse([])))
