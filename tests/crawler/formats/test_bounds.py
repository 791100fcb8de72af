"""Any bytes give cards or a named finding, within two seconds of the processor and 256 MB."""

import gzip
import io
import json
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.formats.reading import read
from tests.crawler.anki_files import latest, legacy_1, legacy_2, package, packed
from tests.crawler.crawling import ROOT
from tests.crawler.formats.test_archive import TABLE, tar
from tests.crawler.formats.test_decks import CARDS, NOTES, built, note

SECONDS, MEGABYTES = 2, 256
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
@settings(max_examples=40)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(kind, data):
    content = bytearray(SEEDS[kind])
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    check(bytes(content[: data.draw(st.integers(1, len(content)))]) if content else b"x")


@settings(max_examples=100)
@given(start=st.sampled_from(sorted({content[:24] for content in SEEDS.values()})), rest=st.binary(max_size=2000))
def test_any_bytes_behind_a_known_start_are_read_or_refused(start, rest):
    check(start + rest)


def zip_of(name, size, fill=b"\0"):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as file:
        for _ in range(size >> 20):
            file.write(fill * (2**20 // len(fill)))
    return content.getvalue()


BOMBS = {
    "gzip": lambda: gzip.compress(bytes(2**27)),
    "zip": lambda: zip_of("a.tsv", 2**27),
    "zip of gzip": lambda: package({"a.gz": gzip.compress(bytes(2**27))}),
    "package": lambda: zip_of("collection.anki2", 2**27),
    "zstd": lambda: package({"collection.anki21b": packed(bytes(2**27))}),
    "yaml": lambda: (
        b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 20))
        + b"notes:\n- {front: a, back: *a19}\n"
    ),
    "json": lambda: b"[" * 2**20,
    "many": lambda: package({f"{n}.md": note() for n in range(3000)}),
    "quotes": lambda: b'a\t"b\n' * 20_000,
    "tags": lambda: b"a\t" + b"<b>" * 30_000 + b"</b>\nc\td\n",
    "long side": lambda: b"a\t" + b"x" * 100_000 + b"\nc\td\n",
    "html": lambda: b"<!DOCTYPE html><html>" + b"<div>" * 200_000,
    "noise": lambda: random.Random(5).randbytes(2**22),
}


def memory(line):
    """A line of this process's memory figures, in MB: VmRSS is now, VmHWM the peak."""
    figures = dict(one.split(":", 1) for one in Path("/proc/self/status").read_text().splitlines())
    return int(figures[line].split()[0]) / 1024


def measure():
    """Reads each bomb; prints its name, the findings, cards, seconds, and the peak of memory above the start (MB)."""
    read("warm", NOTES.encode())
    for name, build in BOMBS.items():
        content = build()
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
        before, started = memory("VmRSS"), time.process_time()
        outcome = read(name, content)
        seconds, rise = time.process_time() - started, memory("VmHWM") - before
        n_cards = sum(len(deck.cards) for deck in outcome.decks)
        print(json.dumps([name, [one.kind for one in outcome.findings], n_cards, round(seconds, 2), round(rise, 1)]))


def test_bombs_are_refused_within_two_seconds_and_256_mb():
    code = "from tests.crawler.formats.test_bounds import measure; measure()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == BOMBS.keys()
    for name, (kinds, n_cards, seconds, rise) in found.items():
        assert kinds or n_cards, name
        assert seconds < SECONDS, (name, seconds)
        assert rise < MEGABYTES, (name, rise)
    assert {found[name][0][0] for name in ("gzip", "zip", "package", "zstd", "zip of gzip")} == {"too_large"}
    assert (found["many"][1], found["long side"][1]) == (3000, 2)
