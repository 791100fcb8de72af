"""The pages with which a crawl starts, from its flags."""

import pytest

from crawler.commands.arguments import arguments_of, read_starts
from crawler.ledger.ledger import SourcePage
from crawler.pages import quizlet
from crawler.pages.sites import SITES
from data.console.errors import InputError

QuizletArguments = arguments_of(SITES["quizlet"])


@pytest.mark.parametrize(
    "line", ["no set", "https://www.cram.com/flashcards/a-9000001", "http://[bad", "https://quizlet.com/search"]
)
def test_a_line_that_names_no_set_of_the_site_is_refused_by_its_number(tmp_path, line):
    listed = tmp_path / "sets.txt"
    listed.write_text(f"500000001\n\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=r"sets.txt line 3: expected a set of https://quizlet.com, found"):
        read_starts(QuizletArguments(sets=listed, store=tmp_path), quizlet)


def test_named_sets_are_read_without_a_search(tmp_path):
    listed = tmp_path / "sets.txt"
    listed.write_text("500000001\n", "utf-8")
    named = SourcePage(kind="set", key="/500000001/")
    assert read_starts(QuizletArguments(sets=listed, store=tmp_path), quizlet) == [named]
    (tmp_path / "terms.txt").write_text("hash table\n", "utf-8")
    both = QuizletArguments(sets=listed, search=str(tmp_path / "terms.txt"), store=tmp_path)
    assert read_starts(both, quizlet) == [named, SourcePage(kind="search", key=quizlet.search_address("hash table", 1))]
