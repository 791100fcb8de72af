"""`scrapy crawl studystack` against a local site in its page shapes."""

import pytest

from crawler.ledger.ledger import Ledger
from tests.crawler.tools.card_sites import FILLING, TEXTS, stack_routes
from tests.crawler.tools.crawling import crawl, rejects, sets
from tests.crawler.tools.local_site import LocalSite


@pytest.mark.sweep
def test_studystack_reads_a_list_and_a_category_and_falls_back_on_the_export(tmp_path):
    store, listed = tmp_path / "store", tmp_path / "sets.txt"
    listed.write_text("1001\nhttps://www.studystack.com/flashcard-1002\n\n")
    with LocalSite(stack_routes()) as site:
        arguments = (
            "studystack",
            "-a",
            f"site={site.url}",
            "-a",
            "category=7",
            "-a",
            f"sets={listed}",
            "-a",
            "terms=any",
        )
        done = crawl(*arguments, store=store)
        assert sum("categoryStackListJson" in path for path in site.asked) == 2
        assert len(site.asked) == len(set(site.asked))
    assert done.returncode == 1, done.stderr
    found = sets(store)
    assert found["1001"] == found["1002"] == TEXTS
    assert found["1003"] == [("pipe", "a | b"), ("stack", "last in, first out")]
    assert found["1007"] == [("captcha", "Just a moment")]
    assert found.keys() == {"1001", "1002", "1003", "1007", *FILLING}
    assert rejects(store, "studystack") == {
        "changed_markup": 2, "blocked": 1, "private": 1, "no_separator": 2, "empty_front": 2, "gone": 1,
    }  # fmt: skip
    with Ledger(store / "ledgers" / "studystack.sqlite") as ledger:
        pages = ledger.pages().set_index("key")["state"]
    failed = {"/flashcard-1004", "/flashcard-1005", "/flashcard-1006"}
    assert set(pages.index[pages == "failed"]) == failed


def test_a_site_that_refuses_is_left_alone_and_the_operator_is_told_what_to_bring(tmp_path):
    listed = tmp_path / "sets.txt"
    listed.write_text("\n".join(str(number) for number in range(1, 40)))
    refused = {f"/flashcard-{number}": stack_routes()["/flashcard-1004"] for number in range(1, 40)}
    with LocalSite(refused) as site:
        arguments = ("studystack", "-a", f"site={site.url}", "-a", f"sets={listed}", "-a", "terms=any")
        one_at_a_time = ("-s", "CONCURRENT_REQUESTS=1")  # a busy machine asks for more before it has read the tenth
        done = crawl(*arguments, *one_at_a_time, store=tmp_path / "store")
        assert len([path for path in site.asked if path.startswith("/flashcard")]) < 15
    assert done.returncode == 1
    assert "refused 10 requests in a row and is left alone (silence counts)" in done.stderr
    assert "their export as text (.txt)" in done.stdout
