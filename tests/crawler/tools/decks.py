"""Small decks in several formats, and what was read of them."""

import io
import sqlite3
import tarfile
import zipfile

from crawler.cards.advice import COLUMNS

NOTES = """\
topic: data structures
deck: All::CS
notes:
  # a comment
-       guid: n`B3F!CGGe
        front: stack
        back: |
                last in,

                first out
-       guid: zW*7#Fie*T
        front: on
        back: 0x10
        include_reverse: true
-       {guid: c, front: trie, back: "a *tree* of `letters`", markdown: true}
-       {guid: d, front: "{{c1::hidden}}", back: text}
-       {guid: e, front: lonely}
-       {guid: f, front: nested, back: [a, b]}
-       {guid: g, front: "", back: nothing}
"""


TABLE = b"stack\ta pile\nqueue\ta row\n"
CARDS = "CREATE TABLE cards (id INTEGER PRIMARY KEY, type INTEGER, front TEXT, back TEXT, known BOOLEAN)"


def sides(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def kinds(outcome):
    return [finding.kind for finding in outcome.findings]


def sheet_of(folder, *rows):
    """A sheet of decks with these rows below the whole header."""
    file = folder / "decks.csv"
    file.write_text("\n".join([",".join(COLUMNS), *rows, ""]), encoding="utf-8")
    return file


def note(front="What is a <b>stack</b>?", back="a pile<br>of plates", names=("Front", "Back")):
    head = "# Note\n```\nguid: g-1\nnotetype: Basic-1\n```\n\n### Tags\n```\ncs\n```\n\n"
    return f"{head}## {names[0]}\n{front}\n\n## {names[1]}\n{back}\n".encode()


def built(*statements):
    with sqlite3.connect(":memory:") as opened:
        for statement in statements:
            opened.execute(statement)
    content = opened.serialize()
    opened.close()
    return content


def tar(entries):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as opened:
        for name, part in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(part)
            opened.addfile(info, io.BytesIO(part))
    return content.getvalue()


def zipped(entries):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        for name, part in entries.items():
            opened.writestr(name, part)
    return content.getvalue()
