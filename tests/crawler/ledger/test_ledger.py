"""The ledger: a page and its cards together or not at all, and a list that never grows by asking again."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.ledger.ledger import Ledger, PageReply, SourcePage
from data.console.errors import InputError


def deck_of(set_id, *fronts):
    cards = tuple(Card(front=front, back=f"{front}!", position=n) for n, front in enumerate(fronts))
    return Outcome(decks=(Deck(set_id=set_id, title="t", cards=cards, licence_note="free"),))


def found(kind):
    return Outcome(findings=(Finding(kind=kind, detail="d"),))


def reply_of(page, outcome):
    return PageReply(page=page, url=f"http://site{page.key}", outcome=outcome, status=200, body_sha256="ab")


def page_of(n, kind="set"):
    return SourcePage(kind=kind, key=f"/{n}/")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledgers" / "quizlet.sqlite") as ledger:
        yield ledger


def test_asking_twice_lists_a_page_once(ledger):
    assert ledger.ask([page_of(1), page_of(2), page_of(1)]) == [page_of(1), page_of(2)]
    assert ledger.ask([page_of(2), page_of(3)]) == [page_of(3)]
    assert ledger.left() == [page_of(1), page_of(2), page_of(3)]


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (deck_of("1", "a"), "done"),
        (Outcome(), "done"),
        (found("gone"), "done"),
        (found("truncated"), "done"),
        (found("blocked"), "failed"),
        (found("server_error"), "failed"),
        (found("changed_markup"), "failed"),
        (found("private"), "failed"),
    ],
)
def test_only_definite_answers_are_not_asked_for_again(ledger, outcome, state):
    ledger.ask([page_of(1)])
    ledger.record(reply_of(page_of(1), outcome))
    assert ledger.counts() == {state: 1}
    assert ledger.is_done(page_of(1)) == (state == "done")
    assert ledger.left() == ([] if state == "done" else [page_of(1)])


def test_cards_come_back_with_their_page_and_deck(ledger):
    card = Card(front="f", back="b\n2", position=3, media=("image", "audio"), language="en")
    deck = Deck(
        set_id="9", title="T", cards=(card,), copied_from="8", licence_note="note", declared=4, unread=("A", "B")
    )
    ledger.record(reply_of(page_of(9), Outcome(decks=(deck,))))
    assert ledger.unread() == {"9": "not read: A, B"}
    row = ledger.cards().iloc[0]
    assert row[["url", "body_sha256", "set_id", "set_title", "copied_from", "licence_note"]].tolist() == [
        "http://site/9/", "ab", "9", "T", "8", "note",
    ]  # fmt: skip
    assert row[["position", "front", "back", "media", "language"]].tolist() == [3, "f", "b\n2", "audio,image", "en"]


def test_a_further_record_replaces_the_page_its_parts_and_all_they_held(ledger):
    part = replace(page_of(1, "items"), key="/json/1")
    first = Outcome(
        decks=deck_of("1", "old").decks, skipped=(("7", "deleted_item"),), findings=found("blocked").findings
    )
    ledger.record(reply_of(page_of(1), first), [reply_of(part, deck_of("1", "older"))], links=["x"])
    ledger.record(reply_of(page_of(1), deck_of("1", "new")))
    assert ledger.cards()["front"].tolist() == ["new"]
    assert ledger.findings().empty
    assert ledger.skipped().empty
    assert ledger.linked([page_of(1)]) == set()
    assert ledger.counts() == {"done": 1}


def test_links_match_the_named_pages(ledger):
    ledger.record(reply_of(page_of(1, "search"), Outcome()), links=["a", "b"])
    ledger.record(reply_of(page_of(2, "search"), Outcome()), links=["b", "c"])
    assert ledger.linked([page_of(1, "search")]) == {"a", "b"}
    assert ledger.linked([page_of(1, "search"), page_of(2, "search")]) == {"a", "b", "c"}
    assert ledger.linked([]) == set()


def test_what_follows_from_a_page_is_listed_with_it(ledger):
    ledger.ask([page_of(1, "search"), page_of(5)])
    new = ledger.record(reply_of(page_of(1, "search"), Outcome()), asks=[page_of(5), page_of(6)])
    assert new == [page_of(6)]
    assert ledger.left() == [page_of(5), page_of(6)]


def test_nothing_of_a_page_is_written_if_its_last_part_cannot_be(ledger):
    ledger.ask([page_of(1)])
    impossible = Card(front="f", back="b", position=object())
    part = Outcome(decks=(Deck(set_id="1", title="t", cards=(impossible,)),))
    with pytest.raises(sqlite3.Error):
        ledger.record(reply_of(page_of(1), deck_of("1", "a")), [reply_of(page_of(2, "items"), part)], asks=[page_of(3)])
    assert ledger.cards().empty
    assert ledger.left() == [page_of(1)]


def test_text_that_utf8_cannot_hold_is_kept_as_well_as_can_be(ledger):
    ledger.record(reply_of(page_of(1), deck_of("1", "lone \ud800 surrogate")))
    assert ledger.cards()["front"].tolist() == ["lone ? surrogate"]


def test_a_ledger_belongs_to_one_site(ledger):
    ledger.bind("https://quizlet.com")
    ledger.bind("https://quizlet.com")
    with pytest.raises(
        InputError, match=r"quizlet\.sqlite: expected the record of https://quizlet\.com, found .*elsewhere"
    ):
        ledger.bind("https://elsewhere.example")


def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "quizlet.sqlite"
    path.write_bytes(b"this is no database, " * 100)
    with pytest.raises(InputError, match="expected a ledger"):
        Ledger(path)
    assert path.read_bytes() == b"this is no database, " * 100


def test_a_second_reader_sees_what_was_recorded(ledger, tmp_path):
    ledger.record(reply_of(page_of(1), deck_of("1", "a", "b")))
    with Ledger(tmp_path / "ledgers" / "quizlet.sqlite") as other:
        assert other.cards()["front"].tolist() == ["a", "b"]


@given(minutes=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5))
def test_what_a_page_is_replaced_by_is_later_even_by_a_clock_that_was_set_back(tmp_path_factory, minutes):
    start, times = datetime(2026, 11, 1, tzinfo=UTC), []
    with Ledger(tmp_path_factory.mktemp("ledger") / "x.sqlite") as ledger:
        for whole, part in minutes:
            replies = [
                replace(reply_of(page_of(n), deck_of(str(n), "a")), fetched_at=start + timedelta(minutes=minute))
                for n, minute in enumerate((whole, part))
            ]
            ledger.record(replies[0], replies[1:])
            times.append(pd.to_datetime(ledger.cards()["fetched_at"], utc=True, format="ISO8601"))
    assert [at.tolist() for at in times[:1]] == [[start + timedelta(minutes=minute) for minute in minutes[0]]]
    for before, after in pairwise(times):
        assert len(after) == 2
        assert before.max() < after.min()


STEPS = st.lists(st.tuples(st.integers(0, 4), st.lists(st.text(max_size=5), max_size=3)), max_size=12)


@given(steps=STEPS)
def test_the_cards_match_each_page_s_last_record(tmp_path_factory, steps):
    last = {}
    with Ledger(tmp_path_factory.mktemp("ledger") / "x.sqlite") as ledger:
        for number, names in steps:
            ledger.record(reply_of(page_of(number), deck_of(str(number), *names)))
            last[number] = [name.encode("utf-8", "replace").decode() for name in names]
        cards = ledger.cards()
    assert {n: names for n, names in last.items() if names} == cards.groupby("set_id")["front"].agg(list).rename(
        index=int
    ).to_dict()
