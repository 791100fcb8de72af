"""A store that moves: what arrives is what was packed, and nothing else ever does."""

import io
import json
import sqlite3
import tarfile
from contextlib import closing

import pandas as pd
import pytest

from data.__main__ import main
from data.console.errors import InputError
from data.contract import register
from data.contract.stages import WITHOUT_RATINGS
from data.contract.tables.campaign import Annotators, Assignments, Ratings
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import START, assignments, named, pairs, ratings


@pytest.fixture
def filled(store):
    """Pairs in two versions, ratings with a comment, rejects of two rooms, a ledger, and secrets."""
    store.replace(Pairs, pairs(4), Manifest(stage="clustering"), generator="recommended")
    store.replace(Pairs, pairs(6), Manifest(stage="clustering"), generator="recommended")
    given = [(1, pair, "a01") for pair in ("p", "q")]
    store.append(Assignments, assignments(given), Manifest(stage="annotation.plan", part="main"))
    rows = ratings([(named(*one), 2) for one in given]).assign(comment="somebody's comment")
    store.append(Ratings, rows, Manifest(stage="annotation.collect", part="main"))
    for stage in ("clustering", "annotation.adjudicate"):
        row = pd.DataFrame({"id": ["x"], "reason": ["tie"], "detail": [f"3 ratings, 1 votes in {stage}"]})
        store.reject(stage, row, Manifest(stage=stage))
    people = {"campaign": "main", "annotator": "a01", "at": START, "role": "expert", "state": "active"}
    more = dict.fromkeys(("level", "areas", "quota", "guide_version", "consent_version"))
    store.append(Annotators, pd.DataFrame([people | more]), Manifest(stage="annotation.plan", part="main"))
    (store.root / "private").mkdir()
    (store.root / "private" / "main-accounts.json").write_text("somebody@example.org")
    (store.root / "ledgers").mkdir()
    with closing(sqlite3.connect(store.root / "ledgers" / "quizlet.sqlite")) as ledger:
        ledger.execute("CREATE TABLE cards (front TEXT)")
        ledger.execute("INSERT INTO cards VALUES ('a term')")
        ledger.commit()
    return store


def call(*args):
    return main([*map(str, args)])


def test_a_store_arrives_as_it_was_with_its_past(filled, tmp_path, capsys):
    assert call("pack", tmp_path / "s.tar.gz", "--store", filled.root) == 0
    assert call("unpack", tmp_path / "s.tar.gz", "--store", tmp_path / "there") == 0
    out = capsys.readouterr().out
    assert out.count("blake2b digest") == 2
    unpacked = Store(tmp_path / "there")
    for table in register.TABLES:
        assert unpacked.read(table).equals(filled.read(table)), table.table_name()
        assert unpacked.version(table) == filled.version(table)
        assert unpacked.history(table) == filled.history(table)
    assert len(unpacked.read(Pairs, version=0)) == 4
    with closing(sqlite3.connect(unpacked.root / "ledgers" / "quizlet.sqlite")) as ledger:
        assert ledger.execute("SELECT front FROM cards").fetchall() == [("a term",)]
    assert sorted(path.name for path in unpacked.root.iterdir() if path.name in ("private", "locks", "server")) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_without_ratings_nothing_of_them_travels(filled, tmp_path):
    assert call("pack", tmp_path / "s.tar.gz", "--no-ratings", "--store", filled.root) == 0
    assert call("unpack", tmp_path / "s.tar.gz", "--store", tmp_path / "there") == 0
    unpacked = Store(tmp_path / "there")
    for table in set(register.TABLES) - WITHOUT_RATINGS:
        assert not unpacked.exists(table)
    assert unpacked.read(Rejects)["stage"].to_list() == ["clustering"]
    assert len(unpacked.read(Assignments)) == 2
    for path in unpacked.root.rglob("*"):
        assert path.is_dir() or b"votes in annotation" not in path.read_bytes()
    assert len(list((unpacked.root / "rejects").glob("*.parquet"))) == 1


@pytest.mark.sweep
def test_nothing_is_written_over(filled, tmp_path, capsys):
    assert call("pack", tmp_path / "s.tar.gz", "--store", filled.root) == 0
    before = (tmp_path / "s.tar.gz").read_bytes()
    assert call("pack", tmp_path / "s.tar.gz", "--store", filled.root) == 2
    assert (tmp_path / "s.tar.gz").read_bytes() == before
    version = filled.version(Pairs)
    assert call("unpack", tmp_path / "s.tar.gz", "--store", filled.root) == 2
    assert filled.version(Pairs) == version
    assert call("pack", tmp_path / "t.tar.gz", "--store", tmp_path / "nothing") == 2
    assert call("unpack", tmp_path / "none.tar.gz", "--store", tmp_path / "there") == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert len(errors) == 4


def rebuilt(path, change):
    """The pack with its members (name, bytes) and entries as `change` makes them."""
    with tarfile.open(path, "r:gz") as archive:
        members = [(entry, archive.extractfile(entry).read()) for entry in archive]
    out = path.with_name("changed.tar.gz")
    with tarfile.open(out, "w:gz") as archive:
        for entry, content in change(members):
            entry.size = len(content) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(content))
    return out


def entry(name, **more):
    member = tarfile.TarInfo(name)
    for field, value in more.items():
        setattr(member, field, value)
    return member


def named_too(name):
    """A file of this name that the list of contents names as well."""

    def change(members):
        listed = json.loads(members[0][1])
        listed["files"][name] = {"bytes": 4, "digest": "0" * 32}
        return [(members[0][0], json.dumps(listed).encode()), *members[1:], (entry(name), b"evil")]

    return change


CHANGES = {
    "a byte": lambda members: [*members[:-1], (members[-1][0], b"x" + members[-1][1][1:])],
    "longer": lambda members: [*members[:-1], (members[-1][0], members[-1][1] + b"x")],
    "missing": lambda members: members[:-1],
    "twice": lambda members: [*members, members[-1]],
    "foreign": lambda members: [*members, (entry("pairs/evil"), b"evil")],
    "no list": lambda members: members[1:],
    "list late": lambda members: [*members[1:], members[0]],
    "broken list": lambda members: [(members[0][0], b"{"), *members[1:]],
    "link": lambda members: [*members, (entry("pairs/l", type=tarfile.SYMTYPE, linkname="/etc/passwd"), b"")],
    "up": named_too("../evil"),
    "up inside": named_too("pairs/../../evil"),
    "absolute": named_too("/tmp/evil"),
    "backslash": named_too("pairs\\..\\evil"),
    "private": named_too("private/main-accounts.json"),
    "top": named_too("evil"),
    "dot": named_too("pairs/./evil"),
    "no digest": named_too("pairs/evil"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_pack_leaves_nothing(filled, tmp_path, name):
    pack.pack(filled, tmp_path / "s.tar.gz", ratings=True)
    changed = rebuilt(tmp_path / "s.tar.gz", CHANGES[name])
    before = {path for path in tmp_path.rglob("*") if "store" not in path.parts}
    with pytest.raises(InputError, match="expected a pack, whole and unchanged"):
        pack.unpack(changed, tmp_path / "there")
    assert {path for path in tmp_path.rglob("*") if "store" not in path.parts} == before


@pytest.mark.parametrize("content", [b"", b"no archive", bytes(2000)])
def test_what_is_no_pack_is_one_line(tmp_path, content, capsys):
    (tmp_path / "x").write_bytes(content)
    assert call("unpack", tmp_path / "x", "--store", tmp_path / "there") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_cut_pack_leaves_nothing(filled, tmp_path):
    pack.pack(filled, tmp_path / "s.tar.gz", ratings=True)
    content = (tmp_path / "s.tar.gz").read_bytes()
    for n in (len(content) // 3, len(content) * 4 // 5):  # the end may be padding alone
        (tmp_path / "cut").write_bytes(content[:n])
        with pytest.raises(InputError):
            pack.unpack(tmp_path / "cut", tmp_path / "there")
        assert not (tmp_path / "there").exists()


def test_a_ledger_that_leads_off_its_site_is_refused(filled, tmp_path, capsys):
    path = filled.root / "ledgers" / "quizlet.sqlite"
    with closing(sqlite3.connect(path)) as ledger:
        ledger.execute("CREATE TABLE pages (kind TEXT, key TEXT)")
        ledger.execute("INSERT INTO pages VALUES ('set', '.evil.example/1/')")
        ledger.commit()
    pack.pack(filled, tmp_path / "s.tar.gz", ratings=True)
    assert call("unpack", tmp_path / "s.tar.gz", "--store", tmp_path / "there") == 2
    assert "s.tar.gz, ledgers/quizlet.sqlite: expected the ledger of a crawl, found a page" in capsys.readouterr().err
    assert not (tmp_path / "there").exists()
