"""Files that unpack to more than they seem, or that cost more than they should; what reading each one takes.

`python -m tests.crawler.tools.bombs` reads them all in a process of its own.
"""

import gzip
import io
import json
import random
import time
import zipfile
from pathlib import Path

from crawler.formats.reading import read
from tests.crawler.tools.anki_files import package, packed
from tests.crawler.tools.decks import NOTES, note


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
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted again
        before, started = memory("VmRSS"), time.process_time()
        outcome = read(name, content)
        seconds, rise = time.process_time() - started, memory("VmHWM") - before
        n_cards = sum(len(deck.cards) for deck in outcome.decks)
        print(json.dumps([name, [one.kind for one in outcome.findings], n_cards, round(seconds, 2), round(rise, 1)]))


if __name__ == "__main__":
    measure()
