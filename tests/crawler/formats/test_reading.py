"""Any bytes give cards or a named finding, within two seconds of the processor and 256 MB."""

import csv
import gzip
import json
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.reading import read
from tests.crawler.tools.anki_files import latest, legacy_1, legacy_2, package
from tests.crawler.tools.bombs import BOMBS
from tests.crawler.tools.crawling import ROOT
from tests.crawler.tools.decks import CARDS, NOTES, TABLE, built, kinds, note, tar

SECONDS, MEGABYTES = 20, 256
SEEDS = {
    "legacy package": legacy_1(),
    "second package": legacy_2(),
    "latest package": latest(),
    "tar": tar({"a.md": note(), "b.tsv": TABLE}),
    "tar.gz": gzip.compress(tar({"a.md": note(), "b.tsv": TABLE})),
    "zip": package({"a.md": note(), "b.tsv": TABLE}),
    "sqlite": built(CARDS, "INSERT INTO cards VALUES (1, 1, 'a', 'b', 0), (2, 1, 'c', 'd', 0)"),
    "yaml": NOTES.encode(),
    "markdown": note(),
    "json": json.dumps([{"front": "a", "back": "b"}]).encode(),
    "crowdanki": b'{"__type__": "Deck", "notes": [], "note_models": [], "children": [{"__type__": "Deck"}]}',
    "page": b'<!DOCTYPE html><html><script id="__NEXT_DATA__">{"props": {"pageProps": {}}}</script></html>',
    "resource": b'{"responses": [{"models": {"studiableItem": [{"id": 1, "cardSides": []}]}}]}',
    "table": TABLE * 3,
}


def check(content):
    started = time.process_time()
    outcome = read("any", content)
    assert time.process_time() - started < SECONDS
    assert outcome.decks or outcome.findings


@pytest.mark.parametrize("kind", SEEDS)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(kind, data):
    content = bytearray(SEEDS[kind])
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    check(bytes(content[: data.draw(st.integers(1, len(content)))]) if content else b"x")


@given(start=st.sampled_from(sorted({content[:24] for content in SEEDS.values()})), rest=st.binary(max_size=2000))
def test_any_bytes_behind_a_known_start_are_read_or_refused(start, rest):
    check(start + rest)


@pytest.mark.sweep
def test_bombs_take_no_minutes_and_no_memory():
    done = subprocess.run(
        [sys.executable, "-m", "tests.crawler.tools.bombs"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == BOMBS.keys()
    for name, (faults, n_cards, seconds, rise) in found.items():
        assert faults or n_cards, name
        assert seconds < SECONDS, (name, seconds)
        assert rise < MEGABYTES, (name, rise)
    assert {found[name][0][0] for name in ("gzip", "zip", "package", "zstd", "zip of gzip")} == {"too_large"}
    assert (found["many"][1], found["long side"][1]) == (3000, 2)


UNSEPARATED = (
    "flashcards/schlopshow+Cybersecurity-Flashcards/CPTS/Active-Directory-Enumeration/Active-Directory-Enumeration.csv"
)


@pytest.mark.sweep
def test_every_file_gives_as_many_cards_and_skipped_notes_as_its_index_says(shared_data):
    with (shared_data / "flashcards/index.tsv").open(encoding="utf-8", newline="") as file:
        counted = {row["path"]: int(row["cards"]) for row in csv.DictReader(file, delimiter="\t")}
    for path in {path.partition("!")[0] for path in counted}:
        outcome = read(path, (shared_data / path).read_bytes())
        assert kinds(outcome) == ([] if any(deck.cards for deck in outcome.decks) else ["no_cards"]), path
        for deck in outcome.decks:
            n_cards = counted.pop(deck.set_id)
            extra = 1 if path == UNSEPARATED else 0  # a row without a separator, which the index left out
            skipped = 0 if "!" in deck.set_id else len(outcome.skipped)
            assert len(deck.cards) + skipped == n_cards + extra, deck.set_id
    assert not counted


@pytest.mark.sweep
def test_many_rows_without_a_blank_line_take_about_as_long_each_as_few():
    def take(n_rows):
        started = time.process_time()
        assert read("any", ("term\t" + "text " * 20 + "\n").encode() * n_rows).decks
        return time.process_time() - started

    few, many = take(10_000), take(100_000)
    assert many < 32 * few  # 10 times if each takes as long; 60 when rows were joined one by one
