"""Glossaries: several definitions a term; what is no definition is skipped with its reason."""

import gzip
import hashlib
import json
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards.outcome import GLOSSARIES
from crawler.glossaries import reading
from data.contract.tables.definitions import Cards
from data.storage.store import Store
from tests.crawler.tools.anki_files import package
from tests.crawler.tools.crawling import crawl, rejects


def source(text, **more):
    return {"text": text, "link": None, **more}


PUBLICATIONS = [source("NIST SP 800-0"), source("FIPS 0")]
EXPORT = {
    "comment": "invented",
    "parentTerms": [
        {"term": "authenticate", "abbrSyn": None, "seeAlso": None, "definitions": [
            {"text": "To <em>verify</em> who somebody is &amp; note it", "sources": PUBLICATIONS},
            {"text": "To prove one&#39;s identity", "sources": None},
        ]},
        {"term": "AuthN", "definitions": None},
        {"term": "hash <sub>n</sub>", "definitions": [
            {"text": f"wording number {n}", "sources": [{"link": "x"}, source("NIST SP 800-1", note="x")]}
            for n in range(39)
        ]},
        {"term": None, "definitions": [{"text": "nobody's", "sources": []}]},
    ],
}  # fmt: skip
JSON = b"\xef\xbb\xbf" + json.dumps(EXPORT).encode()
META = f"size:{len(JSON)}\r\nsha256:{hashlib.sha256(JSON).hexdigest().upper()}\r\n".encode()

RFC = b"""\
3.4. Type "D"
   Text before the first entry.

   $ alpha node
      1a. (I) /formal model/ A node of the kind that problem-
      solving programs use. (See: beta, "gamma (X)" under "delta".)

      Usage: People write "alpha".

      1b. (O) "A node of
      another kind." [C4009]

      2. (D) Synonym for "beta".



Shirey                       Informational                     [Page 17]
\x0c
RFC 4949         Internet Security Glossary, Version 2       August 2007


      Deprecated Usage: none.

   $ beta
      (N) A long line that fills the page to its end and then goes on behind the

Shirey                       Informational                     [Page 18]

RFC 4949         Internet Security Glossary, Version 2       August 2007

      page break with more. (Compare: alpha node.)

   $ gamma
      See: alpha node.

   $ delta
      (I) See: beta.

4. Security Considerations

   $ no entry
      (I) Behind the glossary.
"""

JARGON = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD" "http://example.invalid/d.dtd" [<!ENTITY ellipsis '...'> <!ENTITY a '&#956;m'>]>
<book><glosslist>
<glossentry id='x'><glossterm>frob box</glossterm><abbrev><emphasis>n.</emphasis></abbrev>
<glossdef role='etymology'><para>From frob.</para></glossdef>
<glossdef><para> [very common] </para></glossdef>
<glossdef><para> 1. [MIT] A box&ellipsis; of &a; with a <quote>handle</quote> and <glossterm>knobs</glossterm>.
See also <glossterm>knob</glossterm>.</para><para>More.</para></glossdef>
<glossdef><para> 2. n. Caf&eacute; &lsquo;box&rsquo;.</para></glossdef>
</glossentry>
<glossentry><glossterm>knob</glossterm>
<glossdef><para>See <glossterm>frob box</glossterm>.</para></glossdef></glossentry>
</glosslist></book>"""

FOLDOC = b"""\
00-database-info

   About this file.

stack
FILO
last-in first-out

   <programming> (Or "pile") A {data structure} whose items leave in {reverse order.

   More about stacks.

   (1995-04-10)

queue

   1. <operating system> A line of {process}es. (2001-01-01)

   2. <programming> A data structure that is read in
the
   order of writing.

{(http://example.org/too-long-for-the-margin)}.

pile

   {stack}.  See {stack}
"""

WORDS = [
    {"word": "stack", "lang_code": "en", "pos": "noun", "senses": [
        {"glosses": ["A pile.", "A pile of data."], "tags": []}, {"glosses": ["Plural of x"], "tags": ["form-of"]},
        {"tags": ["no-gloss"]},
    ]},
    {"word": "pile", "lang_code": "fr", "senses": [{"glosses": ["battery"]}]},
    {"word": "queue", "lang_code": "en", "senses": [{"glosses": ["A line."]}, {"glosses": [3]}, "x"]},
    {"redirect": "x"},
]  # fmt: skip
WIKTIONARY = "\n".join(map(json.dumps, WORDS)).encode()
DICTIONARY = """\
00-database-short
     A Dictionary of Piles (2020)
00-database-url
     https://piles.example/
stack
    n 1: an orderly pile; "a stack of hay"- a farmer [syn: {pile},
         {heap}]
    2: a chimney
    v 1: to put things one upon another
/dev/pile
 /dev pile/, n.

    [Usenet] A {device} that takes everything.

    It never fills.

pile
heap
    See {stack}.
"""
SAMPLES = {
    "nist": JSON, "rfc4949": RFC, "jargon": JARGON, "foldoc": FOLDOC, "dictd": DICTIONARY.encode(),
    "wiktionary": WIKTIONARY,
}  # fmt: skip


def senses(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def kinds(outcome):
    return [finding.kind for finding in outcome.findings]


def test_nist_has_a_deck_a_publication_and_39_wordings_of_a_term():
    for content in (JSON, package({"glossary-export.json": JSON})):
        outcome = reading.read("nist", "x", content, META)
        decks = {deck.set_id: senses_of(deck) for deck in outcome.decks}
        assert decks["FIPS 0"] == [("authenticate", "To verify who somebody is & note it")]
        assert decks["NIST SP 800-0"] == decks["FIPS 0"]
        assert decks["NIST CSRC glossary"] == [("authenticate", "To prove one's identity")]
        assert [front for front, _ in decks["NIST SP 800-1"]] == ["hash n"] * 39
        assert outcome.skipped == (("record 1 AuthN", "no_definition"), ("record 3 ", "empty_front"))
        assert all("US Government" in str(deck.licence_note) for deck in outcome.decks)


def senses_of(deck):
    return [(card.front, card.back) for card in deck.cards]


@pytest.mark.parametrize("meta", [b"sha256:" + b"0" * 64, b"size:3"])
def test_an_export_with_another_checksum_is_refused(meta):
    assert kinds(reading.read("nist", "x", JSON, meta)) == ["wrong_checksum"]


@pytest.mark.parametrize("content", [b"PK\3\4", package({"a.txt": b""}), b"[]", b'{"parentTerms": 3}', b"\xff", b"{}"])
def test_what_is_no_export_is_a_finding(content):
    assert kinds(reading.read("nist", "x", content)) == ["corrupt_export"]


def test_rfc_4949_has_marked_senses_without_notes_and_page_breaks():
    outcome = reading.read("rfc4949", "x", RFC)
    assert senses(outcome) == [
        ("alpha node", "A node of the kind that problem-solving programs use."),
        ("alpha node", "A node of another kind."),
        ("beta", "A long line that fills the page to its end and then goes on behind the page break with more."),
    ]
    assert outcome.skipped == (
        ("alpha node 3", "deprecated"), ("gamma 1", "cross_reference"), ("delta 1", "cross_reference"),
    )  # fmt: skip


def test_the_jargon_file_s_senses_and_entities():
    outcome = reading.read("jargon", "x", JARGON)
    assert senses(outcome) == [
        ("frob box", "A box... of μm with a “handle” and knobs."),
        ("frob box", "Café ‘box’."),
    ]
    assert [reason for _, reason in outcome.skipped] == ["etymology", "no_text", "cross_reference"]


def test_entities_within_entities_are_not_multiplied():
    layers = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE b [<!ENTITY e0 'x'>{layers}]><b><glossentry><glossterm>a</glossterm><glossdef><para>b &e11;"
    outcome = reading.read("jargon", "x", f"{bomb}</para></glossdef></glossentry></b>".encode())
    assert outcome.findings or max(len(back) for _, back in senses(outcome)) < 1000


def test_foldoc_s_head_words_share_their_senses():
    outcome = reading.read("foldoc", "x", FOLDOC)
    first = "A data structure whose items leave in reverse order."
    assert senses(outcome) == [
        ("stack", first), ("FILO", first), ("last-in first-out", first),
        ("queue", "A line of processes."), ("queue", "A data structure that is read in the order of writing."),
        ("pile", "stack. See stack"),
    ]  # fmt: skip


PILES = [
    ("stack", "an orderly pile"), ("stack", "a chimney"), ("stack", "to put things one upon another"),
    ("/dev/pile", "A device that takes everything."),
]  # fmt: skip


def digits(number):
    """The number as dictd's index writes it."""
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    return (digits(number // 64) if number >= 64 else "") + letters[number % 64]


def indexed(entries):
    """The file and the index of a dictionary of texts, each with the headwords that lead to it."""
    content, index = b"", []
    for heads, text in entries:
        index += [f"{head}\t{digits(len(content))}\t{digits(len(text.encode()))}\n" for head in heads]
        content += text.encode()
    return content, "".join(sorted(index)).encode()


def test_a_dictionary_of_dictd_as_text():
    outcome = reading.read("dictd", "piles.txt", DICTIONARY.encode())
    assert senses(outcome) == PILES
    assert outcome.skipped == (("pile 1", "cross_reference"), ("heap 1", "cross_reference"))
    (deck,) = outcome.decks
    assert deck.set_id == "A Dictionary of Piles (2020)"
    assert "https://piles.example/" in str(deck.licence_note)


@given(st.text("é \n", max_size=200))
def test_an_index_tells_where_entries_begin(text_before):
    content, index = indexed(
        [
            (["00databaseshort"], "00-database-short\n     Heaps\n"),
            (["filler"], text_before),
            (["heap", "piled heap"], "Heap\nPiled-Heap\n\n   1. A pile.  (Or\n   not.)\n\n   2. Much of it.\n"),
            (["stack"], "STACK, n.  A pile that\nstands.\n\n    A verse about it.\n"),
        ]
    )
    outcome = reading.read("dictd", "heaps.dict", content, index)
    expected = [("Heap", "A pile. (Or not.)"), ("Piled-Heap", "A pile. (Or not.)"), ("Heap", "Much of it."),
                ("Piled-Heap", "Much of it."), ("stack", "A pile that stands.")]  # fmt: skip
    assert [sense for sense in senses(outcome) if sense[0] != "filler"] == expected
    assert outcome.decks[0].title == "Heaps"


def test_senses_numbered_on_lines_of_their_own_are_apart():
    content, index = indexed(
        [
            (["heap"], "heap /hiːp/ n.\n 1. A pile.\n 2. Much of it, since\n 2. is next.\n 3. An old car.\n"),
            (["stack"], "stack\n A pile with numbers from\n 1. to\n 2. on it.\n"),
        ]
    )
    assert senses(reading.read("dictd", "heaps.dict", content, index)) == [
        ("heap", "A pile."), ("heap", "Much of it, since 2. is next."), ("heap", "An old car."),
        ("stack", "A pile with numbers from 1. to 2. on it."),
    ]  # fmt: skip


def test_an_index_that_leads_nowhere_and_a_dictionary_without_its_index_are_findings():
    prose = "STACK, n.  A pile that\nstands for a while, or longer.\n    A verse about it, and more.\n" * 3
    assert kinds(reading.read("dictd", "x", b"stack\n    a pile\n", b"stack\tzzz\tB\nqueue\nheap\t\t\n")) == [
        "changed_markup"
    ]
    outcome = reading.read("dictd", "x.dict", prose.encode())
    assert "its .index is not beside it" in outcome.findings[0].detail


def test_a_folder_of_dictionaries_is_read_with_their_indices(tmp_path):
    folder, store = tmp_path / "dictd", tmp_path / "store"
    folder.mkdir()
    for name in ("heaps", "piles"):
        head = f"00-database-short\n     {name}\n"
        content, index = indexed([(["00databaseshort"], head), (["stack"], f"STACK, n.  One of the {name}.\n")])
        (folder / f"{name}.dict.dz").write_bytes(gzip.compress(content))
        (folder / f"{name}.index").write_bytes(index)
    done = crawl("glossary", "-a", "kind=dictd", "-a", f"path={folder}", "-a", "terms=any", store=store)
    assert done.returncode == 0, done.stderr
    table = Store(store).read(Cards)
    assert dict(zip(table["set_id"], table["back"], strict=True)) == {
        "heaps": "One of the heaps.",
        "piles": "One of the piles.",
    }
    assert set(table["source"]) == {"glossary.dictd"}


def test_wiktionary_s_innermost_english_glosses():
    outcome = reading.read("wiktionary", "x", WIKTIONARY + b"\n{torn\n")
    assert senses(outcome) == [("stack", "A pile of data."), ("queue", "A line.")]
    assert dict(outcome.skipped) == {
        "stack 2": "form_of", "stack 3": "form_of", "pile 1": "other_language", "queue 2": "no_text",
    }  # fmt: skip
    assert kinds(outcome) == ["corrupt_lines"]
    assert "CC BY-SA" in str(outcome.decks[0].licence_note)


@pytest.mark.parametrize("kind", GLOSSARIES)
@given(data=st.data())
def test_damaged_glossaries_are_read_or_refused(kind, data):
    content = bytearray(SAMPLES[kind])
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=8))
    started = time.process_time()
    outcome = reading.read(kind, "x", bytes(content))
    assert outcome.decks or outcome.findings or outcome.skipped
    assert time.process_time() - started < 2


@pytest.mark.parametrize("kind", GLOSSARIES)
@given(content=st.binary(max_size=500))
def test_any_bytes_are_entries_or_a_named_finding(kind, content):
    """`!`, a line break, a tab and `!` are an entry of FOLDOC."""
    outcome = reading.read(kind, "x", content)
    assert outcome.decks or kinds(outcome)


def test_the_real_glossaries_give_every_entry(shared_data):
    counted = {}
    for kind, name in (("rfc4949", "rfc4949.txt"), ("jargon", "jargon-4.4.7.xml")):
        outcome = reading.read(kind, name, gzip.decompress((shared_data / f"glossaries/{name}.gz").read_bytes()))
        entries = [entry.rpartition(" ")[0] for entry, _ in outcome.skipped]
        counted[kind] = len({*entries, *(front for front, _ in senses(outcome))}), len(senses(outcome))
        assert not outcome.findings
        assert not any("  " in back or "[Page" in back for _, back in senses(outcome))
    assert counted["rfc4949"] == (1657, 1361)
    assert counted["jargon"][1] == 3008


def test_wiktionary_is_read_in_parts_and_once(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "PART_BYTES", 100)
    path = tmp_path / "words.jsonl"
    path.write_bytes(WIKTIONARY)
    with path.open("rb") as file:
        parts = list(reading.parts("wiktionary", file))
    assert b"".join(parts) == WIKTIONARY
    assert len(parts) > 1
    assert all(part.endswith((b"}\n", b"}")) for part in parts)


@pytest.mark.sweep
def test_a_glossary_is_a_source_of_its_own(tmp_path):
    store, export = tmp_path / "store", tmp_path / "glossary-export.zip"
    export.write_bytes(package({"glossary-export.json": JSON}))
    export.with_suffix(".meta").write_bytes(META)
    (tmp_path / "terms.txt").write_text("authenticate\n")
    arguments = ("glossary", "-a", "kind=nist", "-a", f"path={export}", "-a", f"terms={tmp_path}/terms.txt")
    done = crawl(*arguments, store=store)
    assert done.returncode == 0, done.stderr
    table = Store(store).read(Cards)
    assert set(table["source"]) == {"glossary.nist"}
    assert set(table["set_id"]) == {"FIPS 0", "NIST SP 800-0", "NIST CSRC glossary"}
    assert rejects(store, "glossary.nist") == {"front_is_no_term": 39, "no_definition": 1, "empty_front": 1}


@pytest.mark.parametrize("kind", ["rfc4949", "jargon", "foldoc", "wiktionary", "nist"])
def test_control_characters_cost_no_entry(kind):
    whole = reading.read(kind, "x", SAMPLES[kind])
    dirty = SAMPLES[kind].replace(b"node", b"no\x02de").replace(b"knob", b"kn\x1fob")
    dirty = dirty.replace(b"pile", b"pi\x7fle").replace(b"who somebody", b"who so\x02mebody")
    assert dirty != SAMPLES[kind]
    assert senses(reading.read(kind, "x", dirty).cleaned()) == senses(whole)


def test_an_index_whose_places_overlap_is_a_finding():
    content = b"stack\n    a pile of things\n"
    index = "".join(f"h{n}\t{digits(n)}\t{digits(len(content) - n)}\n" for n in range(12)).encode()
    outcome = reading.read("dictd", "x.dict", content, index)
    assert (outcome.decks, kinds(outcome)) == ((), ["corrupt_index"])
