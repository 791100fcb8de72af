"""No format refuses a file for a control character in it, or for a byte in another encoding."""

import gzip
import json

import pytest

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from tests.crawler.tools.anki_files import BASIC, package, schema_11
from tests.crawler.tools.decks import CARDS, built, kinds, note, sides, tar

FRONT, BACK = "redox re\x02action", "loss and\x1f gain\x7f of elec\x81trons"
CLEAN = ("redox reaction", "loss and gain of electrons")
FILES = {
    "table": f"{FRONT}\t{BACK}\n".encode() * 2,
    "quoted table": f'front,back\n"{FRONT}","{BACK}"\n'.encode(),
    "latin-1": f"{FRONT}\t{BACK}\n".encode("latin-1") * 2,
    "utf-16": f"{FRONT}\t{BACK}\n".encode("utf-16"),
    "json": json.dumps([{"front": FRONT, "back": BACK}], ensure_ascii=False).replace("\\u0002", "\x02").encode(),
    "escapes": json.dumps([{"front": FRONT, "back": BACK}]).encode(),
    "yaml": f"notes:\n- front: {FRONT}\n  back: {BACK}\n".encode(),
    "markdown": note(FRONT, BACK),
    "package": package({"collection.anki2": schema_11([(BASIC, ["", FRONT, BACK.replace("\x1f", "\x1e")])])}),
    "sqlite": built(CARDS, f"INSERT INTO cards VALUES (1, 1, '{FRONT}', '{BACK}', 0)"),
    "archive": gzip.compress(tar({"a.tsv": f"{FRONT}\t{BACK}\n".encode()})),
}


@pytest.mark.parametrize("kind", FILES)
def test_control_characters_are_dropped_and_counted(kind):
    outcome = read("deck", FILES[kind])
    assert kinds(outcome) == []
    assert set(sides(outcome)) == {CLEAN}
    assert outcome.n_dropped >= 2


def test_a_line_break_within_a_text_of_json_is_no_fault():
    content = b'[{"front": "stack", "back": "last in,\nfirst out"}]'
    assert sides(read("deck", content)) == [("stack", "last in,\nfirst out")]


def test_json_that_breaks_off_is_read_up_to_there_and_a_row_confirms_that():
    terms = [{"term": f"bone {n}", "definition": f"part {n} [of a leg}}"} for n in range(5)]
    content = json.dumps({"title": "Legs", "terms": terms})[:-30].encode()
    outcome = read("a.json", content)
    assert (len(sides(outcome)), kinds(outcome)) == (4, ["corrupt_deck"])
    assert "line 1 column" in outcome.findings[0].detail
    assert "read before that: 4 cards" in outcome.findings[0].detail
    assert kinds(read("a.json", content, LayoutFlags(fields=(("term", "definition"),)))) == []
    assert kinds(read("a.json", b'[{"term": "bone", "definit')) == ["corrupt_deck"]


def test_one_byte_of_another_encoding_leaves_the_others_as_they_are():
    content = "größe\tein Maß\n".encode() * 5 + b"menge\tviele St\xfccke\n"
    outcome = read("deck", content)
    assert sides(outcome)[-2:] == [("größe", "ein Maß"), ("menge", "viele Stücke")]
