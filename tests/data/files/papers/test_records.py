"""Records are found by how they begin, wherever they begin, and every one of them is a paper or a reject."""

import json
import re
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError
from data.files.papers.files import Columns
from data.files.papers.reader import SCHEMA, Summary, distinct, read_papers
from tests.data.files.papers.test_bibliographies import BIBTEX, NBIB, OPENALEX, PUBMED, RIS

WOS = "FN Clarivate Analytics Web of Science\nVR 1.0\n" + "".join(
    f"PT J\nAU Some, A\nTI On {name} tables\n   and more\nSO J. Tables\nAB We study {name}\n   tables.\nPY 1999\n"
    f"UT WOS:{name}\nER\n\n"
    for name in ("hash", "page")
) + "EF\n"  # fmt: skip
ENDNOTE = "%0 Journal Article\n%T On hash tables\n%X We study\ntables.\n%D 1999\n\n%0 Book\n%T On trees\n"
OVID = "<1. >\nTI  - On hash tables\nAB  - We study tables.\nYR  - 1999\n\n<2. >\nTI  - On trees\n"
REFWORKS = "RT Journal Article\nT1 On hash tables\nAB We study tables.\nYR 1999\n\nRT Book, Whole\nT1 On trees\n"
REPEC = "Template-Type: ReDIF-Paper 1.0\nTitle: On hash tables\nAbstract: We study\n tables.\nHandle: RePEc:a\n\n"
BOOK = "<PubmedBookArticle><BookDocument><PMID>7</PMID><Book><BookTitle>Trees</BookTitle></Book></BookDocument>"
CSV = 'id,title,abstract\n1,On hash tables,"We study, at length,\nthe cost."\n2,On trees,\n3,On heaps,A pile.\n'
TSV = "id\ttitle\tabstract\n" + "".join(f'{n}\tOn stack {n}\tA "pile" of {n}\n' for n in range(3))
SHAPES = {
    "BibTeX": (BIBTEX.decode(), r"(?im)^[ \t]*@ *(?!string|comment|preamble)\w+ *[{(]"),
    "RIS": (RIS, r"(?m)^[ \t]*TY {0,2}-"),
    "NBIB": (NBIB, r"(?m)^[ \t]*PMID-"),
    "Web of Science": (WOS, r"(?m)^[ \t]*PT [A-Z][ \t]*$"),
    "EndNote": (ENDNOTE, r"(?m)^[ \t]*%0(?: |$)"),
    "Ovid": (OVID, r"(?m)^[ \t]*<\d+\. ?>"),
    "RefWorks": (REFWORKS, r"(?m)^[ \t]*RT [A-Z][a-z]"),
    "RePEc": (REPEC * 2, r"(?m)^[ \t]*Template-[Tt]ype: ?ReDIF"),
    "PubMed": (PUBMED.replace("</PubmedArticleSet>", f"{BOOK}</PubmedArticleSet>"), r"<Pubmed(?:Book)?Article[\s>]"),
}  # fmt: skip
"""A text of each kind, and how a person would count its records."""


def summarise(path, content):
    """The papers of a file, and the summary of its records."""
    path.write_bytes(content)
    seen = Summary()
    papers = [
        paper for batch in seen.watch(distinct(read_papers([path], Columns.parse([])))) for paper in batch.to_pylist()
    ]
    return papers, seen


def read(path, content):
    path.write_bytes(content.encode())
    return pa.Table.from_batches(read_papers([path], Columns.parse([])), SCHEMA).to_pylist()


def damage(data, text):
    """The text after a few accidents."""
    lines = text.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(0, 3))):
        kind = data.draw(st.sampled_from(["cut", "bytes", "joined", "doubled", "line ends", "blanks"]))
        at = data.draw(st.integers(0, len(lines) - 1)) if lines else 0
        if kind == "cut":
            lines = "".join(lines)[: data.draw(st.integers(0, sum(map(len, lines))))].splitlines(keepends=True)
        elif kind == "bytes" and lines:
            place, mark = data.draw(st.integers(0, len(lines[at]))), data.draw(st.sampled_from('{}"<>@,-= x\n'))
            lines[at] = lines[at][:place] + mark + lines[at][place + 1 :]
        elif kind == "joined":
            lines += ["\n", *SHAPES[data.draw(st.sampled_from(sorted(SHAPES)))][0].splitlines(keepends=True)]
        elif kind == "doubled" and lines:
            lines.insert(at, lines[at])
        elif kind == "line ends":
            lines = [line.rstrip("\r\n") + "\r\n" for line in lines]
        elif kind == "blanks":
            lines.insert(0, "EXPORT DATE: 1 May 2020\n\n")
    return "".join(lines)


@pytest.mark.parametrize("name", SHAPES)
@given(data=st.data())
def test_every_record_that_begins_is_a_paper_or_a_reject(tmp_path_factory, name, data):
    text = damage(data, SHAPES[name][0])
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    begun = sum(len(re.findall(pattern, plain)) for _, pattern in SHAPES.values())
    if not begun:
        return
    papers, seen = summarise(tmp_path_factory.getbasetemp() / "damaged", text.encode())
    rejects = Counter(reason for batch in seen.rejects for reason in batch["reason"])
    assert seen.found.total() == begun == len(papers) + rejects.total()
    assert set(rejects) <= {"no_text", "unreadable", "same_title", "same_id"}


@pytest.mark.parametrize("content", [CSV, TSV, json.dumps(OPENALEX), "\n".join(map(json.dumps, OPENALEX))])
@given(data=st.data())
def test_damaged_tables_and_json_lose_no_count(tmp_path_factory, content, data):
    text = content
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(['"', ",", "\t", "{", "]", "\n", ""])) + text[at + 1 :]
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_text(text)
    seen = Summary()
    try:
        papers = sum(map(len, seen.watch(distinct(read_papers([path], Columns.parse([]))))))
    except InputError:
        return
    assert seen.found.total() == papers + sum(map(len, seen.rejects))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("preamble", ["", "Scopus\nEXPORT DATE: 1 May 2020\n\n", "1.\n", "% JabRef\n\n"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_text_above_the_first_record_and_any_line_ends_cost_no_record(tmp_path, name, preamble, ends):
    text, pattern = SHAPES[name]
    rows = read(tmp_path / "x", (preamble + text).replace("\n", ends))
    assert len(rows) == len(re.findall(pattern, text)) >= 2
    assert all(row["title"] for row in rows)
    assert name == "BibTeX" or rows[0]["abstract"].startswith("We study")


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        ("@a{k, title={On stacks}}\n@a{k, title={On queues}}\n", ["On stacks", "On queues"]),
        ("@a{k, title={On stacks}}\n@web_page{k, title={On \\textup{queues}}}\n", ["On stacks", "On queues"]),
        ("@a{k, title={On stacks}, note={x}, note={y}}\n", ["On stacks"]),
        ("@a{title={On stacks},\n abstract={A pile}}\n", ["On stacks"]),
        ("@a{k, title={On {stacks},\n year=2000}\n\n@a{l, title={On queues}}\n", ["On stacks", "On queues"]),
        ("@a{k,\n note = {x}\n title = {On stacks}\n}\n@a{l,\n title={On queues},\n}\n", ["On stacks", "On queues"]),
        ("OWN - ERIC\nTI  - On stacks\nOID - EJ1\n\nOWN - ERIC\nTI  - On queues\n", ["On stacks", "On queues"]),
        ("@a{k, title={On stacks}} @a{l, title=\"On \" # {queues}}\n", ["On stacks", "On queues"]),
        ("TY  - JOUR\nTI  - On stacks\nER\nTY  - JOUR\nTI  - On queues\nER\n", ["On stacks", "On queues"]),
        ("query\n\n1.\nTY - JOUR\nTI - On stacks\nER - \n2.\nTY - JOUR\nTI - On queues\n", ["On stacks", "On queues"]),
        ("TY  - JOUR\nTI  - On\nstacks\nER  - \n", ["On stacks"]),
    ],
)  # fmt: skip
def test_records_that_a_library_refuses(tmp_path, content, titles):
    assert [row["title"] for row in read(tmp_path / "x", content)] == titles


def test_a_lone_quotation_mark_in_a_table_with_tabs_swallows_no_row(tmp_path):
    rows = [f"{n}\tOn stack {n}\t{chr(34) if n in (5, 20) else ''}A pile of {n}\n" for n in range(1, 31)]
    papers = read(tmp_path / "x.tsv", "id\ttitle\tabstract\n" + "".join(rows))
    assert [(row["title"], row["abstract"].strip('"')) for row in papers] == [
        (f"On stack {n}", f"A pile of {n}") for n in range(1, 31)
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_ragged_rows_lines_above_the_header_and_cells_of_several_lines(tmp_path, separator):
    text = 'Search: stack*\n\nEID,Title,Abstract\n1,On stacks\n2,On queues,"A row,\nand a ""line"""\n\n3,On heaps,,,\n'
    text += ",,\n,,,,\n"
    rows = read(tmp_path / "x.csv", text.replace(",", separator))
    assert [(row["id"], row["title"]) for row in rows] == [("1", "On stacks"), ("2", "On queues"), ("3", "On heaps")]
    assert rows[1]["abstract"].split() == f'A row{separator} and a "line"'.split()


def test_rows_of_several_lines_may_have_other_numbers_of_cells_than_the_header(tmp_path):
    text = 'id,title,abstract,note\n1,On stacks,"A pile,\nof things,\nand more.",x,y\n2,"On\nqueues","A row."\n'
    text += "3,On\u2028heaps,,\n"
    rows = read(tmp_path / "x.csv", text)
    assert [(row["id"], row["title"], row["abstract"]) for row in rows] == [
        ("1", "On stacks", "A pile, of things, and more."), ("2", "On queues", "A row."), ("3", "On\u2028heaps", None),
    ]  # fmt: skip


def test_an_id_is_one_within_its_file_and_two_titles_are_two_papers(tmp_path):
    for name, titles in (("a", ["On stacks", "On queues"]), ("b", ["On heaps", "On trees"])):
        (tmp_path / f"{name}.csv").write_text("id,title\n" + "".join(f"{n},{t}\n" for n, t in enumerate(titles, 1)))
    (tmp_path / "c.csv").write_text("id,title\n1,On sets\n1,On bags\n")
    seen = Summary()
    assert sum(map(len, seen.watch(distinct(read_papers([tmp_path], Columns.parse([])))))) == 6


HEADERS = {
    "ACM": "Item type,Authors,Title,Proceedings title,Publication year,DOI,Abstract",
    "Scopus": "Authors,Title,Year,Source title,DOI,Abstract,EID",
    "Web of Science": "Authors,Article Title,Source Title,Abstract,Publication Year,UT (Unique WOS ID)",
    "Web of Science, tabs": "PT\tAU\tTI\tSO\tAB\tPY\tUT",
    "IEEE Xplore": '"Document Title","Authors","Publication Title","Publication Year","Abstract","DOI"',
    "Dimensions": "Rank,Publication ID,DOI,Title,Abstract,Source title,PubYear",
    "Lens": "Lens ID,Title,Date Published,Publication Year,Source Title,Abstract",
    "EBSCO": "Article Title,Author,Journal Title,Publication Date,Accession Number,Abstract",
    "Embase": "Title,Author Names,Source title,Abstract,Publication Year,Embase Accession ID",
    "Covidence": "Title,Authors,Abstract,Published Year,Journal,Covidence #",
    "Rayyan": "key,title,year,journal,abstract",
    "Zotero": '"Key","Item Type","Publication Year","Title","Publication Title","Abstract Note"',
    "with notes": "PMID,Title (English),Abstract (text),Year,Journal",
    "in capitals": "ID,TITLE,ABSTRACT,YEAR,VENUE",
}


@pytest.mark.parametrize("name", HEADERS)
def test_the_columns_of_known_exporters_need_no_mapping(tmp_path, name):
    header = HEADERS[name]
    separator = "\t" if "\t" in header else ","
    cells = [cell.strip('"').lower() for cell in header.split(separator)]
    values = {"title": "On stacks", "abstract": "A pile.", "year": "1999", "venue": "J. Piles"}
    wanted = {
        "title": {"title", "article title", "document title", "title (english)", "ti"},
        "abstract": {"abstract", "ab", "abstract note", "abstract (text)"},
        "year": {"year", "py", "publication year", "pubyear", "published year", "publication date"},
        "venue": {"proceedings title", "source title", "so", "publication title", "journal title", "journal", "venue"},
    }
    row = [next((values[field] for field, names in wanted.items() if cell in names), "x1") for cell in cells]
    (paper,) = read(tmp_path / "x", f"{header}\n{separator.join(row)}\n")
    assert {field: paper[field] for field in values} == values
    assert paper["id"] == "x1"


@pytest.mark.parametrize(
    "paper",
    [
        {"DOI": "x1", "title": ["On stacks"], "abstract": "<jats:title>Abstract</jats:title><jats:p>A pile.</jats:p>",
         "container-title": ["J. Piles"], "issued": {"date-parts": [[1999, 5]]}},
        {"paperId": "x1", "title": "On stacks", "abstract": "A pile.", "year": 1999, "venue": "",
         "journal": {"name": "J. Piles"}},
        {"id": "x1", "title": "On stacks", "abstractText": "A pile.", "pubYear": "1999",
         "journalInfo": {"journal": {"title": "J. Piles"}}},
        {"info": {"key": "x1", "title": "On stacks", "year": "1999", "venue": "J. Piles", "abstract": "A pile."}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrap", [
    json.dumps, lambda one: json.dumps([one], indent=1), lambda one: json.dumps([one])[:-1],
    lambda one: json.dumps({"status": "ok", "message": {"total": 1, "items": [one]}}),
])  # fmt: skip
def test_json_of_known_exporters(tmp_path, paper, wrap):
    (row,) = read(tmp_path / "x", wrap(paper))
    assert [row[field] for field in ("id", "title", "abstract", "year", "venue")] == [
        "x1", "On stacks", "A pile.", "1999", "J. Piles"
    ]  # fmt: skip


@pytest.mark.parametrize("beside", [{"feed": {"id": "q", "title": "All papers on stacks", "updated": "1999"}},
                                    {"title": "My stacks", "note": "a list"}])  # fmt: skip
def test_a_list_has_a_title_of_its_own(tmp_path, beside):
    papers = [{"id": n, "title": f"On stack {n}", "summary": f"A pile of {n}."} for n in range(2)]
    assert [row["title"] for row in read(tmp_path / "x", json.dumps({**beside, "entries": papers}))] == [
        "On stack 0", "On stack 1"
    ]  # fmt: skip


def test_responses_in_a_list_are_read_together(tmp_path):
    pages = [{"query": "q", "results": [{"title": f"On stack {n}", "summary": "A pile."}]} for n in range(3)]
    assert [row["title"] for row in read(tmp_path / "x", json.dumps(pages))] == [f"On stack {n}" for n in range(3)]


def test_the_references_of_one_paper_are_none(tmp_path):
    paper = {"id": "x1", "title": "On stacks", "references": [{"title": "On heaps", "year": 1998}]}
    assert [row["title"] for row in read(tmp_path / "x", json.dumps(paper, indent=1))] == ["On stacks"]


def test_damaged_json_keeps_the_other_papers_and_what_is_whole_of_its_own(tmp_path):
    papers = [{"id": n, "title": f"On stack {n}", "abstract": f"A pile of {n}."} for n in range(5)]
    text = json.dumps(papers).replace('"id": 2,', '"id": 2 oops')
    assert [(row["title"], row["abstract"]) for row in read(tmp_path / "x", text)] == [
        (f"On stack {n}", f"A pile of {n}.") for n in range(5)
    ]
