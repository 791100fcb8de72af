"""Delimited text in its many layouts, and what is no card file."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.reading import read
from crawler.formats.texts import blocks


def sides(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def read_text(text, name="deck.txt"):
    return read(name, text.encode())


TWO = [("stack", "last in, first out"), ("queue", "first in; first out")]


@pytest.mark.parametrize(
    "text",
    [
        "stack\tlast in, first out\nqueue\tfirst in; first out\n",
        "stack|last in, first out\r\nqueue|first in; first out",
        "\ufeffterm;definition\nstack;last in, first out\nqueue;\"first in; first out\"\n",
        'stack,"last in, first out"\nqueue,first in; first out\n',
        "Front,Back\nstack,last in, first out\nqueue,first in; first out\n",
        "ID\tAntwort\tFrage\ttags\n1\tlast in, first out\tstack\tx\n2\tfirst in; first out\tqueue\ty\n",
        '"question","answer"\n\n"stack","last in, first out"\n"queue","first in; first out"\n',
        "定义|术语\nlast in, first out|stack\nfirst in; first out|queue\n",
        "#separator:semicolon\n#html:true\n#guid column:1\n#notetype column:2\n#tags column:5\n"
        'g1;Basic;stack;"last in, <b>first</b> out";x\ng2;Basic;queue;"first in; first out";x\n',
        "#separator:tab\n#columns:Note\tBack\tFront\nn\tlast in, first out\tstack\nn\tfirst in; first out\tqueue\n",
        'sep=;\r\nTerm;Definition\r\nstack;last in, first out\r\nqueue;"first in; first out"\r\n',
        "| Definition | Term |\n|:---|---|\n| last in, first out | stack |\n| first in; first out | queue |\n",
    ],
)  # fmt: skip
def test_layouts_that_hold_the_same_two_cards(text):
    outcome = read_text(text)
    assert sides(outcome) == TWO
    assert (outcome.findings, outcome.skipped) == ((), ())


def test_a_directive_that_names_no_column_is_passed_over():
    text = f"#separator:tab\n#guid column:{5000 * '7'}\n#tags column:none\nstack\tlast in, first out\n"
    assert sides(read_text(text)) == TWO[:1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_encodings(encoding):
    assert sides(read("deck", "naïve\tcafé\nrôle\tpart\n".encode(encoding))) == [("naïve", "café"), ("rôle", "part")]


def test_quizlets_export_is_split_once_and_rows_without_a_separator_are_reported():
    text = 'stack\ta\tb\nqueue\tsays "hello\nand goes on\nheap\t\n\nlist\t"quoted" word\ntree\tits" end\n \tno front\n'
    outcome = read_text(text, "my set.txt")
    expected = [
        ("stack", "a\tb"),
        ("queue", 'says "hello'),
        ("list", '"quoted" word'),
        ("tree", 'its" end'),
    ]
    assert sides(outcome) == expected
    assert outcome.skipped == (("row 3", "no_separator"), ("row 4", "no_text"), ("row 8", "empty_front"))
    assert outcome.decks[0].title == "my set"


def test_what_is_above_a_header_is_no_card():
    text = "Week 3,\n,\nTerm,Definition\nstack,last in\nqueue,first in\n"
    outcome = read_text(text)
    assert sides(outcome) == [("stack", "last in"), ("queue", "first in")]
    assert outcome.skipped == (("row 1", "above_the_header"),)
    assert len(sides(read_text("stack,a pile\nTerm,Definition\nqueue,a row\n"))) == 3


def test_a_markdown_table_of_terms_is_read_among_other_lines():
    table = "| # | Term | Meaning |\n|--:|------|---------|\n| 1 | stack | a pile |\n| 2 | queue | a row |\n"
    outcome = read_text(f"# Week 3\n\nRead this.\n\n{table}\nMore:\n\n{table.replace('a ', 'the ')}")
    assert sides(outcome) == [("stack", "a pile"), ("queue", "a row"), ("stack", "the pile"), ("queue", "the row")]
    assert outcome.skipped == ()
    assert outcome.decks[0].read_as == "a table with a header that names the sides; 3 lines of other text"
    options = "| Name | Description |\n|---|---|\n| --all | reads all files |\n| --none | reads none |\n"
    assert not read_text(f"# A program\n\n{options}").decks


def test_the_index_that_pandas_writes_is_no_front():
    rows = "".join(f"{at},organ {at},what organ {at} does\n" for at in range(8))
    assert sides(read_text(f",text,label text\n{rows}"))[0] == ("organ 0", "what organ 0 does")
    assert len(sides(read_text(f",text,label text\n{rows}"))) == 8


def test_a_mark_within_quotes_separates_nothing():
    text = "".join(f'"organ {at}","one; two; what organ {at} does"\n' for at in range(8))
    assert sides(read_text(text))[0] == ("organ 0", "one; two; what organ 0 does")


@pytest.mark.parametrize("form", ["- **{}**: {}", "- **{}:** {}", "**{}** – {}", "{} - {}", "{}: {}"])
def test_bold_names_of_a_list_are_names(form):
    cards = [(f"organ {at}", f"a part of a body that does what {at} others do not do") for at in range(8)]
    whole = "".join(f"{form.format(*card)}\n" for card in cards)
    assert sides(read_text(whole)) == cards


def test_quizlets_export_with_one_card_after_another():
    cards = [("stack", "last in; first out"), ("queue", "first in; first out"), ("deque", "a row with two ends")]
    for mark in ("\t", " - ", ","):
        text = ";".join(f"{front}{mark}{back.replace(';', ' and')}" for front, back in cards)
        assert sides(read_text(text)) == [(front, back.replace(";", " and")) for front, back in cards]


def test_quizlets_export_with_blank_lines_between_cards_of_several_lines():
    text = "stack\ta pile:\n- last in\n- first out\n\nqueue\ta row\n\ndeque\ta row\nwith two ends\n"
    expected = [("stack", "a pile:\n- last in\n- first out"), ("queue", "a row"), ("deque", "a row\nwith two ends")]
    assert sides(read_text(text)) == expected


def test_quoted_fields_over_several_lines_with_html():
    text = 'stack|"\n<p>last in,<br>first &amp; out</p>\n<img src=""a.png"">"\nqueue|"a ""line"" | row"\n'
    outcome = read_text(text)
    assert sides(outcome) == [("stack", "last in,\nfirst & out"), ("queue", 'a "line" | row')]
    assert [card.media for card in outcome.decks[0].cards] == [("image",), ()]


def test_code_and_lone_tags_are_text():
    text = "generic\ta List<String> of <b> or a<b\nampersand\tR&D and a && b\n"
    assert sides(read_text(text)) == [("generic", "a List<String> of <b> or a<b"), ("ampersand", "R&D and a && b")]


def test_rows_that_do_not_fit_a_wider_table_are_reported():
    text = "guid,front,back,tags\n1,stack,pile,x\n2,queue\n3,heap,tree,x,y\n4,{{c1::list}} of,extra,x\nalone\n"
    outcome = read_text(text)
    assert sides(outcome) == [("stack", "pile")]
    reasons = ["missing_field", "wrong_number_of_fields", "cloze", "no_separator"]
    assert outcome.skipped == tuple((f"row {row}", reason) for row, reason in enumerate(reasons, 3))
    longer = "guid\tfront\tback\ttags\n1\tstack\tpile\tx\n3\theap\ttree\tx\ty\n"
    assert sides(read_text(longer)) == [("stack", "pile"), ("heap", "tree")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Stack\n\nA pile, last in, first out.\n\nIt grows, it shrinks.\n", "unknown_format"),
        ("def f():\n\treturn 1\n\ndef g():\n\treturn 2\n", "unknown_format"),
        ("int a;\nint b;\n", "unknown_format"),
        ("Dear all, hello.\n", "unknown_format"),
        ("<!DOCTYPE html><html>a,b\nc,d</html>", "unknown_format"),
        ('{"name": "stack", "value": "pile"}', "unknown_format"),
        ("SQLite format 3\x00\x10\x00", "corrupt_deck"),
        ("  \n\n", "empty_file"),
        ("", "empty_file"),
    ],
)
def test_anything_else_is_a_named_finding(text, kind):
    outcome = read_text(text)
    assert not outcome.decks
    assert [finding.kind for finding in outcome.findings] == [kind]


def test_torn_gzip_and_bytes_that_are_no_text():
    torn = gzip.compress(b"stack\tpile\nqueue\trow\n")[:-9]
    assert [finding.kind for finding in read("a.txt.gz", torn).findings] == ["corrupt_gzip"]
    assert [finding.kind for finding in read("a.png", b"\x89PNG\r\n\x1a\n\x00\x00").findings] == ["unknown_format"]


def test_too_large(monkeypatch):
    monkeypatch.setattr("crawler.formats.reading.MAX_BYTES", 1000)
    monkeypatch.setattr("crawler.formats.reading.MAX_TEXT_BYTES", 1000)
    for content in (b"a\tb\n" * 1000, gzip.compress(b"a\tb\n" * 1000)):
        assert [finding.kind for finding in read("a", content).findings] == ["too_large"]


def test_a_text_of_very_many_lines_is_searched_for_a_mark_alone(monkeypatch):
    monkeypatch.setattr("crawler.formats.texts.plain.MAX_LINES", 20)
    for end in (b"\n", b"\r"):
        assert [finding.kind for finding in read("a", (b"word" + end) * 30).findings] == ["too_large"]
    assert len(sides(read("a", b"stack\tpile\n" * 30))) == 30


def test_a_text_is_parsed_once_to_be_read_and_to_be_refused(monkeypatch):
    parsed = []
    parse = blocks._PARSER.parse
    monkeypatch.setattr(blocks._PARSER, "parse", lambda text: parsed.append(text) or parse(text))
    outcome = read("notes.txt", b"One.\n\nTwo words.\n\n- a: some longer text\n- b\n- c: some more text\n")
    assert not outcome.decks
    assert len(parsed) == 1


letters = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cf"], exclude_characters="<&{#*_`[]\\~=^:：-–—"
)
side = st.text(letters, min_size=1, max_size=20).map(str.strip).filter(bool)


@given(st.lists(st.tuples(side, side), min_size=2, max_size=5), st.sampled_from(["\t", "|", ";", ","]), st.booleans())
def test_what_a_csv_writer_writes_is_read_back(pairs, separator, crlf):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\r\n" if crlf else "\n")
    writer.writerows([("term", "definition"), *pairs])
    assert sides(read_text(file.getvalue())) == pairs


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read_or_refused(content):
    outcome = read("any", content)
    assert bool(outcome.decks) != bool(outcome.findings)


@pytest.mark.sweep
def test_the_released_definitions(shared_data):
    outcome = read("derived", (shared_data / "parade/derived_definitions.tsv.gz").read_bytes())
    assert (len(outcome.decks[0].cards), outcome.skipped) == (10168, ())
