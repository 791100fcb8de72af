"""Papers as people export them: the same three papers in every kind of file."""

import gzip
import json
import subprocess
import sys
import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.terminology import Arguments, main
from data.console.errors import Findings, InputError
from data.files.papers import bounded_reads
from data.files.papers.exporters import FIELDS, restore
from data.files.papers.files import Columns
from data.files.papers.reader import SCHEMA, read_papers
from data.storage.store import Store

ABSTRACT = "We study the cost of open addressing."
OPENALEX = [
    {"id": "https://openalex.org/W1", "title": "On hash tables", "publication_year": 1999, "authorships": [{"x": 1}],
     "abstract_inverted_index": {"the": [2], "We": [0], "cost": [3], "study": [1], "of": [4], "addressing.": [6],
                                 "open": [5]},
     "primary_location": {"source": {"display_name": "J. Tables"}}},
    {"id": "https://openalex.org/W2", "display_name": "On trees", "publication_date": "2001-02-03",
     "primary_location": None, "abstract_inverted_index": None},
]  # fmt: skip
ARXIV = [
    {"id": "0704.0001", "title": "On hash tables", "abstract": f"  {ABSTRACT}\n", "categories": "cs.DS",
     "versions": [{"version": "v1", "created": "Mon, 2 Apr 1999 19:18:42 GMT"}], "update_date": "2008-11-26"},
    {"id": "0704.0002", "title": "On trees", "abstract": "", "versions": [], "update_date": "2001-11-26"},
]  # fmt: skip
BIBTEX = rb"""
% an anthology
@string{jt = "J. Tables"}
@article{some-1999-hash, title = "On {H}ash Tables of G{\"o}del and $O(n^2)$", journal = jt,
    author = "Somebody, Invented", month = jun, year = "1999", abstract = "We study 50\% of the
    {B}ig cost."}
@inproceedings{some-2001-trees, title = {On trees}, booktitle = {Proceedings of the Forest}, year = 2001}
@inproceedings{torn, title = {On
"""
RIS = f"""TY  - JOUR
TI  - On hash tables
AB  - {ABSTRACT}
PY  - 1999/05//
JO  - J. Tables
DO  - 10.1000/1
XX  - unknown
ER  - 

TY  - CONF
T1  - On trees
Y1  - 2001
T2  - Proceedings of the Forest
ER  - 
"""  # noqa: W291
NBIB = """PMID- 1
OWN - NLM
DP  - 1999 May
TI  - On hash tables
AB  - We study the cost of
      open addressing.
JT  - J. Tables

PMID- 2
TI  - On trees
DP  - 2001
"""
PUBMED = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://example.invalid/p.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">1</PMID><Article>
<Journal><JournalIssue><PubDate><Year>1999</Year><Month>May</Month></PubDate></JournalIssue>
<Title>J. Tables</Title></Journal>
<ArticleTitle>On <i>hash</i> tables</ArticleTitle><Abstract><AbstractText Label="AIM">We study the cost</AbstractText>
<AbstractText>of open addressing.</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>2</PMID><Article><Journal><JournalIssue><PubDate>
<MedlineDate>2001 Jan-Feb</MedlineDate>
</PubDate></JournalIssue></Journal><ArticleTitle>On trees</ArticleTitle></Article></MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""
ZOTERO = f'''"Key","Item Type","Publication Year","Author","Title","Publication Title","Abstract Note","Date"
"AB1","journalArticle","1999","Somebody","On hash tables","J. Tables","{ABSTRACT}","1999-05"
"AB2","conferencePaper","2001","Somebody","On trees","Proceedings of the Forest","","2001"
'''
RDF = f"""<rdf:RDF xmlns:z="http://www.zotero.org/namespaces/export#">
<bib:Article rdf:about="https://example.invalid/1"><z:itemType>journalArticle</z:itemType>
<dcterms:isPartOf><bib:Journal><dc:title>J. Tables</dc:title></bib:Journal></dcterms:isPartOf>
<link:link rdf:resource="#item_2"/><dc:title>On hash tables</dc:title><dcterms:abstract>{ABSTRACT}</dcterms:abstract>
<dc:date>05/1999</dc:date><dc:identifier>DOI 10.1000/1</dc:identifier></bib:Article>
<z:Attachment rdf:about="#item_2"><z:itemType>attachment</z:itemType><dc:title>Full Text PDF</dc:title></z:Attachment>
<bib:Book rdf:about="#item_3"><z:itemType>book</z:itemType><dc:title>On trees</dc:title><dc:date>2001</dc:date>
<dc:identifier>ISBN 1</dc:identifier></bib:Book>
<bib:Journal rdf:about="urn:issn:1"><dcterms:isPartOf><bib:Series><dc:title>Plants</dc:title></bib:Series>
</dcterms:isPartOf><dc:title>J. Forests</dc:title></bib:Journal></rdf:RDF>"""
EBSCO = f"""<records><rec resultID="1"><header shortDbName="psyh"><controlInfo>
<bkinfo><btl>On hash tables</btl></bkinfo>
<jinfo><jtl>J. Tables</jtl></jinfo><pubinfo><dt year="1999" month="05" day="20">19990520</dt></pubinfo><artinfo>
<ui type="doi">10.1000/1</ui><tig><atl>On hash tables</atl></tig><aug><au>Somebody</au></aug>
<ab>{ABSTRACT}</ab></artinfo>
</controlInfo></header></rec><rec resultID="2"><header><controlInfo><bkinfo><btl>On trees</btl></bkinfo><pubinfo>
<dt year="2001">2001</dt></pubinfo><artinfo><ui type="isbn">1</ui></artinfo></controlInfo></header></rec></records>"""
OLD_ENDNOTE = f"""<XML><RECORDS><RECORD><REFERENCE_TYPE>0</REFERENCE_TYPE><REFNUM>1</REFNUM><YEAR>1999</YEAR>
<TITLE>On hash tables</TITLE><SECONDARY_TITLE>J. Tables</SECONDARY_TITLE><ABSTRACT>{ABSTRACT}</ABSTRACT></RECORD>
<RECORD><REFNUM>2</REFNUM><YEAR>2001</YEAR><TITLE>On trees</TITLE></RECORD></RECORDS></XML>"""
WOS_PAGE = f"""<div></div><table><tr>
<td><b>Record 1 of 2</b></td></tr><tr><td>
<b>Title:</b>

<value>On hash tables</value></td></tr><tr><td>
<b>Author(s):</b>
Somebody, I</td></tr><tr>
<td><b>Source:</b>
<value>TABLES</value>&nbsp;&nbsp;<b>Pages:</b>
<value>1501-1509</value>&nbsp;&nbsp;<b>Published:</b>
<value>MAY 1999</value>&nbsp;&nbsp;</td></tr><tr><td>
<b>Abstract:</b>
{ABSTRACT}</td></tr><tr><td>
<b>Accession Number:</b>
<value>WOS:1</value></td></tr><tr><td>
<b>ISO Source Abbrev.:</b>
<value>J. Tables</value></td></tr></table><hr><table><tr>
<td><b>Record 2 of 2</b></td></tr><tr><td>
<b>Title:</b>
<value>On trees</value></td></tr><tr>
<td><b>Source:</b>
<value>FOREST</value>&nbsp;&nbsp;<b>Published:</b>
<value>2001</value></td></tr><tr><td>
<b>Accession Number:</b>
<value>WOS:2</value></td></tr></table>"""
TABLES, TREES = ("On hash tables", ABSTRACT, "1999"), ("On trees", None, "2001")
SAMPLES = {
    "openalex.jsonl": "\n".join(map(json.dumps, OPENALEX)).encode(),
    "openalex.json": json.dumps({"meta": {"count": 2}, "results": OPENALEX}, indent=1).encode(),
    "openalex list": json.dumps(OPENALEX).encode(),
    "arxiv.json": "\n".join(map(json.dumps, ARXIV)).encode(),
    "x.ris": RIS.replace("\n", "\r\n").encode("utf-8-sig"),
    "x.nbib": NBIB.encode(),
    "pubmed.xml": PUBMED.encode(),
    "zotero.csv": ZOTERO.encode(),
    "zotero.rdf": RDF.encode(),
    "ebsco.xml": EBSCO.encode(),
    "web of science.html": WOS_PAGE.encode(),
    "endnote 7.xml": OLD_ENDNOTE.encode(),
}


def read(path, content):
    path.write_bytes(content)
    return pa.Table.from_batches(read_papers([path], Columns.parse([])), SCHEMA).to_pylist()


def facts(rows):
    return [(row["title"], " ".join((row["abstract"] or "").split()) or None, row["year"]) for row in rows]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_file_gives_the_same_papers(tmp_path, name):
    rows = read(tmp_path / "any", SAMPLES[name])
    assert facts(rows) == [TABLES, TREES]
    assert facts(read(tmp_path / "any.gz", gzip.compress(SAMPLES[name]))) == [TABLES, TREES]
    assert all(row["id"] for row in rows) or name == "x.ris"
    assert rows[0]["venue"] == ("J. Tables" if not name.startswith("arxiv") else None)
    assert not any("Somebody" in str(row) for row in rows)


def test_bibtex_s_latex_is_resolved_and_torn_entries_keep_what_they_have(tmp_path):
    rows = read(tmp_path / "anthology.bib", BIBTEX)
    assert [tuple(row[field] for field in FIELDS[:5]) for row in rows] == [
        (
            "some-1999-hash",
            "On Hash Tables of Gödel and $O(n^2)$",
            "We study 50% of the Big cost.",
            "1999",
            "J. Tables",
        ),
        ("some-2001-trees", "On trees", None, "2001", "Proceedings of the Forest"),
        ("torn", "On", None, None, None),
    ]


def test_a_long_bibtex_file_is_read_in_parts_that_share_its_strings(tmp_path):
    entries = [f"@article{{k{n}, title = {{T{n}}}, journal = jt, year = 2000}}\n" for n in range(1201)]
    rows = read(tmp_path / "x.bib", ('@string{jt = "J"}\n' + "".join(entries)).encode())
    assert [(row["id"], row["venue"]) for row in rows] == [(f"k{n}", "J") for n in range(1201)]


@pytest.mark.parametrize("depth", [200, 5000])
def test_an_entry_nested_too_deeply_is_counted_and_the_others_are_read(tmp_path, depth):
    nested = "\\textbf{" * depth + "x" + "}" * depth
    entries = "@article{a, title = {A}}\n@article{b, title = {%s}}\n@article{c, title = {C}}\n" % nested  # noqa: UP031
    rows = read(tmp_path / "x.bib", entries.encode())
    assert [row["title"] for row in rows if row["title"]][:1] == ["A"]
    assert [row["title"] for row in rows if row["title"]][-1:] == ["C"]
    assert len(rows) == 3


@pytest.mark.parametrize(
    "start", [b'{"title": "', b"@article{a, title={", b'[{"title": "', b"TY  - JOUR\nTI  - ", b"PMID- 1\n"]
)
def test_a_line_or_a_file_that_is_too_long_is_one_line(tmp_path, monkeypatch, start):
    monkeypatch.setattr(bounded_reads, "MAX_LINE_BYTES", 2**16)
    monkeypatch.setattr(bounded_reads, "MAX_FILE_BYTES", 2**17)
    with pytest.raises(InputError, match=r"expected .* of at most"):
        read(tmp_path / "x", start + b"x" * 2**18)


@pytest.mark.sweep
def test_a_file_of_600_mb_from_a_small_one_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "line.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(b'{"title": "')
        for _ in range(600):
            file.write(b"x" * 10**6)
        file.write(b'"}')
    arguments = ["-m", "crawler.terminology", str(path), "--store", str(tmp_path / "store")]
    script = f"import resource, subprocess, sys\nprint(subprocess.run([sys.executable, *{arguments!r}]).returncode)\n"
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, kilobytes = map(int, done.stdout.split())
    assert (code, "a file of at most 536,870,912 bytes" in done.stderr) == (2, True)
    assert kilobytes < 800_000


def test_what_had_no_abstract_is_counted(tmp_path, capsys):
    path = tmp_path / "x.bib"
    path.write_bytes(BIBTEX)
    with pytest.raises(Findings, match="no phrase is frequent enough"):
        main(Arguments(recipe="paper", config=_config(), papers=(path,), store=Store(tmp_path / "store").root))
    told = capsys.readouterr().out
    assert "3 records found in x.bib" in told
    assert "3 of 3 papers count, 1999 to 2001, 2 venues" in told
    assert "2 of them have a title but no abstract" in told


def _config():
    from crawler.config import TermConfig

    return TermConfig.paper()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html><body>papers</body></html>", "expected records of papers .*, found other XML or HTML"),
        (b"[]", "expected papers, found other JSON"),
        (b"Dear reader, here is nothing", "found a text that begins with 'Dear reader"),
    ],
)
def test_bad_input_is_named(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x", content)


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=3), max_size=20))
def test_an_inverted_abstract_is_restored(words):
    index = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    assert restore(index) == " ".join(words)


def test_a_hostile_index_takes_no_memory():
    assert restore({"a": [10**18], "b": [-1, "x", None], "c": 3}) == "b a"


@pytest.mark.parametrize("name", [*SAMPLES, "bibtex"])
@given(data=st.data())
def test_damaged_files_give_papers_or_one_line(tmp_path_factory, name, data):
    content = bytearray(SAMPLES.get(name, BIBTEX))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=6))
    started = time.process_time()
    try:
        read(tmp_path_factory.getbasetemp() / "damaged", bytes(content))
    except InputError as fault:
        assert "\n" not in str(fault)  # noqa: PT017
    assert time.process_time() - started < 2
