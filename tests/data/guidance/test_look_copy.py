"""The copy of a store for the browser: what is in it, and what never is."""

import asyncio
import json
import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from datasette.app import Datasette

from data.contract.base import Table
from data.contract.tables.campaign import Annotators, Documents, Ratings
from data.contract.tables.definitions import Cards
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.guidance.commands.takedown import Arguments as Takedown
from data.guidance.commands.takedown import main as take_down
from data.guidance.look import copying, server
from data.guidance.look.copied_rows import SOURCES, read_rows
from data.guidance.look.copying import copy_store, is_current
from data.guidance.look.differing import mark_words
from data.guidance.look.figures import describe_campaign
from data.guidance.look.joined import join_ratings
from data.guidance.look.wording import find_idle, next_command
from data.guidance.look.written import mask
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import STAGES, START

SECRETS = ("maria.curie", "hunter2", "tok-4711", "example.net", "expert on poisons", "the lead's telephone")


@pytest.fixture
def campaign(store: Store) -> Store:
    """A campaign from terms to labels."""
    for write in STAGES.values():
        write(store)
    return store


@pytest.mark.sweep
def test_no_secret_of_the_store_is_in_any_byte_of_the_copy(campaign: Store, tmp_path: Path) -> None:
    for name in ("people.csv", "accounts/main.json", "keys/main.key", "server/token"):
        path = campaign.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(" ".join(SECRETS))
    people = campaign.read(Annotators).assign(at=START + pd.Timedelta(days=2), areas="expert on poisons")
    campaign.append(Annotators, people, Manifest(stage="test"))
    papers = (
        campaign.read(Documents)
        .head(1)
        .assign(version="9", text="call the lead's telephone or maria.curie@example.net")
    )
    campaign.append(Documents, papers, Manifest(stage="test"))
    said = "ask Maria.Curie@lab.example.net or https://maria.curie:hunter2@example.org/x"
    rows = campaign.read(Ratings).assign(submitted_at=START + pd.Timedelta(days=3), comment=said.lower())
    campaign.append(Ratings, rows, Manifest(stage="test"))
    path = tmp_path / "copy.db"
    copy_store(campaign.root, path)
    content = path.read_bytes().decode("utf-8", errors="replace").lower()
    assert "ask [mail address] or https://example.org/x" in content
    assert [secret for secret in SECRETS if secret in content] == []


@pytest.mark.sweep
def test_ratings_know_their_texts_and_the_others(campaign: Store, tmp_path: Path) -> None:
    copy_store(campaign.root, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as base:
        base.row_factory = sqlite3.Row
        rows = base.execute("select * from ratings where pair_id = (select pair_id from ratings limit 1)").fetchall()
        pair = base.execute("select * from pairs where pair_id = ?", (rows[0]["pair_id"],)).fetchone()
        n_found = base.execute("select count(*) from pairs_words where pairs_words match 'hash'").fetchone()[0]
    scores = [row["score"] for row in rows]
    for place, row in enumerate(rows):
        others = sorted(scores[:place] + scores[place + 1 :])
        assert row["others"] == " ".join(map(str, others))
        assert row["difference"] == row["score"] - sum(others) / 2
        assert (row["first"], row["second"]) == (pair["first"], pair["second"])
    assert pair["scores"] == " ".join(map(str, sorted(scores)))
    assert pair["spread"] == max(scores) - min(scores)
    assert pair["label"] == ("paraphrase" if sum(score >= 2 for score in scores) >= 2 else "no paraphrase")
    assert json.loads(pair["decks"]) == ["Deck"]
    assert n_found > 0
    assert figures_of(tmp_path / "copy.db")["campaigns"][0]["simulated"] == {"people": 1, "ratings": 11}


@pytest.mark.sweep
def test_the_figures_of_a_campaign_can_be_counted_by_hand(campaign: Store) -> None:
    found = describe_campaign(campaign, read_plans(campaign), "main")
    assert (found["done"], found["open"], found["planned"], found["items"]) == (33, 0, 33, "11 pairs")
    assert found["hours"] == pytest.approx(33 * 20 / 3600)
    assert found["labels"]["yes"] + found["labels"]["no"] == 11
    assert [row["ratings"] for row in found["rounds"]] == [33]
    assert found["rounds"][0]["fleiss"] == found["agreement"]["fleiss_at_first"]


def figures_of(path: Path) -> dict[str, Any]:
    """What the copy says of the store and its campaigns."""
    with sqlite3.connect(path) as base:
        found: dict[str, Any] = json.loads(base.execute("select content from figures").fetchone()[0])
    return found


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of every table but the figures, in order."""
    with sqlite3.connect(path) as base:
        names = [name for (name,) in base.execute("select name from sqlite_master where type = 'table'")]
        names = [name for name in names if name not in ("figures", "sqlite_stat1")]
        return {name: sorted(base.execute(f'select * from "{name}"').fetchall(), key=repr) for name in names}


@pytest.mark.sweep
def test_a_later_copy_writes_what_changed_and_equals_a_new_one(campaign: Store, tmp_path: Path) -> None:
    first, later, new = (tmp_path / f"{name}.db" for name in ("first", "later", "new"))
    copy_store(campaign.root, first)
    with sqlite3.connect(first) as base:
        base.execute("update definitions set text = 'kept from the copy before'")
    marked = contents(first)["definitions"]
    rows = campaign.read(Ratings).head(3).assign(submitted_at=START + pd.Timedelta(days=9), score=0, comment="later")
    campaign.append(Ratings, rows, Manifest(stage="test"))
    copy_store(campaign.root, later, first)
    copy_store(campaign.root, new)
    found, expected = contents(later), contents(new)
    assert found.pop("definitions") == marked != expected.pop("definitions")
    assert found == expected
    with sqlite3.connect(later) as base:
        assert base.execute("select count(*) from ratings where comment = 'later'").fetchone() == (3,)
        assert base.execute("select count(*) from pairs_words where pairs_words match 'hash'").fetchone()[0] > 0


@pytest.mark.sweep
def test_a_text_that_was_taken_down_is_in_no_byte_of_a_later_copy(campaign: Store, tmp_path: Path) -> None:
    first, later = tmp_path / "first.db", tmp_path / "later.db"
    copy_store(campaign.root, first)
    pair = campaign.read(Pairs).iloc[0]
    take_down(Takedown(texts=(pair["first_id"],), store=campaign.root))
    copy_store(campaign.root, later, first)
    text = str(pair["first"]).encode()
    assert text in first.read_bytes()
    assert text not in later.read_bytes()


@pytest.mark.sweep
def test_a_rejected_row_shows_what_it_said(campaign: Store, tmp_path: Path) -> None:
    card = campaign.read(Cards).iloc[0]
    scope = {"stage": "crawler.definitions", "part": ""}
    row = scope | {"id": card["card_id"], "reason": "too_short", "detail": None}
    campaign.replace(Rejects, pd.DataFrame([row]), Manifest(stage="crawler.definitions"), **scope)
    copy_store(campaign.root, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as base:
        found = base.execute("select text from rejects where id = ?", (card["card_id"],)).fetchall()
    assert found == [(f"{card['front']}: {card['back']}",)]


def test_a_copy_of_an_empty_store_says_what_comes_first(store: Store, tmp_path: Path) -> None:
    copy_store(store.root, tmp_path / "copy.db")
    figures = figures_of(tmp_path / "copy.db")
    assert figures["campaigns"] == []
    assert figures["next"]


@pytest.mark.sweep
def test_a_copy_is_current_until_the_store_is_written(campaign: Store, tmp_path: Path) -> None:
    copy_store(campaign.root, tmp_path / "copy.db")
    assert is_current(Store(campaign.root), tmp_path / "copy.db")
    campaign.append(Ratings, campaign.read(Ratings).assign(submitted_at=START), Manifest(stage="test"))
    assert not is_current(Store(campaign.root), tmp_path / "copy.db")


@pytest.mark.sweep
def test_of_a_large_store_campaigns_come_after_small_tables_and_large_tables_last(
    campaign: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{number}.db" for number in range(6)]
    copy_store(campaign.root, paths[5])
    monkeypatch.setattr(copying, "MANY_ROWS", 10)
    copy_store(campaign.root, paths[0])
    copy_store(campaign.root, paths[1], paths[0])
    with monkeypatch.context() as patched:
        patched.setattr(copying, "describe_store", lambda *_: pytest.fail("the store has not changed since"))
        copy_store(campaign.root, paths[2], paths[1])
    figures = [figures_of(path) for path in paths[:3]]
    assert {"ratings", "assignments", "pairs"} & {*contents(paths[0])} == set()
    assert [len(one["campaigns"]) for one in figures] == [0, 1, 1]
    assert figures[0]["waiting"] == [copying.FIGURES, *figures[1]["waiting"]]
    assert [is_current(Store(campaign.root), path) for path in paths[:3]] == [False, False, True]
    assert contents(paths[2]) == contents(paths[5])
    rows = campaign.read(Ratings).head(3).assign(submitted_at=START + pd.Timedelta(days=9), comment="later")
    campaign.append(Ratings, rows, Manifest(stage="test"))
    copy_store(campaign.root, paths[3], paths[2])
    campaign.append(Ratings, rows.assign(submitted_at=START + pd.Timedelta(days=10)), Manifest(stage="test"))
    copy_store(campaign.root, paths[4], paths[3])
    before, now = figures_of(paths[3]), figures_of(paths[4])
    assert before["campaigns"][0]["last"] < now["campaigns"][0]["last"]
    assert contents(paths[3])["ratings"] == contents(paths[2])["ratings"]
    assert (before["waiting"], now["waiting"]) == (["pairs", "ratings"], [])
    monkeypatch.undo()
    copy_store(campaign.root, tmp_path / "new.db")
    assert contents(paths[4]) == contents(tmp_path / "new.db")


class Watched(Store):
    """A store that remembers which tables were read."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.seen: set[type[Table]] = set()

    def read(self, table: type[Table], *names: Any, **scope: Any) -> pd.DataFrame:
        self.seen.add(table)
        return super().read(table, *names, **scope)

    def history(self, table: type[Table]) -> list[dict[str, Any]]:
        self.seen.add(table)
        return super().history(table)


@pytest.mark.sweep
@pytest.mark.parametrize("table", SOURCES, ids=lambda table: table.table_name())
def test_the_sources_of_a_table_are_those_that_it_is_read_from(campaign: Store, table: type[Table]) -> None:
    """Else a later copy would keep a table although a source has changed. Here no model was run, so none has scores."""
    store = Watched(campaign.root)
    rows = join_ratings(store) if table in (Ratings, Pairs) else pd.DataFrame()
    read_rows(store, table, rows)
    assert {*SOURCES[table]} - {Predictions} <= store.seen <= {*SOURCES[table]}


def test_people_are_idle_who_have_not_begun_or_not_gone_on() -> None:
    now = pd.Timestamp("2026-03-10T12:00Z")
    row = {"annotator": "a01", "open": 4, "state": "active", "last": None}
    days_ago = {days: (now - pd.Timedelta(days=days)).isoformat() for days in (1, 4)}
    begun = row | {"annotator": "a02", "last": days_ago[1]}

    def found(*people: dict[str, Any], first: int | None = 4) -> list[tuple[str, str]]:
        days = [] if first is None else [{"day": f"{now - pd.Timedelta(days=first):%Y-%m-%d}"}]
        return find_idle({"people": people, "days": days}, now)

    assert found(row, begun) == [("a01", "has not begun; 4 open")]
    assert found(row, begun, first=0) == []  # the others have the first day to begin
    assert found(row, first=None) == []  # the first answer is still to come
    assert found(row | {"last": days_ago[4]}) == [("a01", "no answer for 4 days; 4 open")]
    assert found(row | {"last": days_ago[1]}, row | {"open": 0}, row | {"state": "paused"}) == []


def test_the_words_are_marked_that_the_other_text_lacks() -> None:
    first, second = mark_words("A red <b> fish", "a fish swims fast")
    assert first == "A <mark>red</mark> &lt;<mark>b</mark>&gt; fish"
    assert second == "a fish <mark>swims fast</mark>"
    first, second = mark_words("cats chase dogs", "dogs chase cats")
    assert "<mark>" in first
    assert "<mark>" in second


def test_mail_addresses_are_masked_and_handles_are_not() -> None:
    assert mask("to a.b+c@d.example.org, now @home") == "to [mail address], now @home"


@pytest.mark.sweep
def test_a_copy_that_is_killed_is_made_again(
    campaign: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "SECONDS", 0.01)
    refresher = server.Refresher(store=Store(campaign.root), folder=tmp_path, app=Datasette([]))
    killed: list[int | None] = []

    async def kill_once() -> None:
        watching = asyncio.create_task(refresher.watch())
        while not killed:
            for child in multiprocessing.active_children():
                child.kill()
                killed.append(child.pid)
            await asyncio.sleep(0.01)
        while not refresher.number:
            await asyncio.sleep(0.05)
        watching.cancel()

    asyncio.run(kill_once())
    assert "no new one could be made" in capsys.readouterr().out
    assert (tmp_path / "1.db").is_file()


def test_watch_is_not_named_where_it_runs() -> None:
    one = {"name": "main", "next": "python -m annotation watch --campaign main --store s"}
    assert next_command(one, None) == next_command(one, "other") == one["next"]
    assert next_command(one, "main") == ""
    then = one | {"next": "python -m annotation adjudicate --campaign main --store s"}
    assert next_command(then, "main") == then["next"]
