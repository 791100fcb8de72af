"""Glossaries of LaTeX, and RDF in Turtle."""

import json

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

LATEX = r"""% Terms of the thesis
\newcommand{\gist}[1]{#1}
\newglossaryentry{heap}{
  name={heap, binary},
  description={\gist{A \emph{tree} whose parents, if any, are smaller} \cite{knuth}},
  plural=heaps
}
\newglossaryentry{big-o}{name=big O,description={An upper bound, such as $\mathcal{O}(n)$, with 50\,\% slack}}
\longnewglossaryentry{trie}{name=trie}{A tree of
letters; caf\'e is a path}
\newacronym[plural={CPUs}]{cpu}{CPU}{central processing unit}
\acro{DAG}[DAG]{directed acyclic graph}
\newglossaryentry{open}{name={never closed
"""

TURTLE = r'''# Our words.
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <https://example.org/words#> .

:C_1 a skos:Concept ;
  skos:notation :C_1 ; # its number
  skos:definition "Ein Baum; klein."@de, "A tree. \"Small\" parents."@en ;
  skos:prefLabel "heap"@en, "Halde"@de ;
  skos:broader :C_2 .
:C_2 a skos:Concept ; skos:prefLabel "tree"@en ; skos:definition """A graph
without circles."""@en .
:C_3 a skos:Concept ; skos:prefLabel "leaf"@en .
'''


def test_entries_of_latex_are_read_without_its_commands():
    outcome = read("glossary.tex", LATEX.encode())
    assert sides(outcome) == [
        ("heap, binary", "A tree whose parents, if any, are smaller"),
        ("big O", r"An upper bound, such as $\mathcal{O}(n)$, with 50 % slack"),
        ("trie", "A tree of letters; café is a path"),
        ("CPU", "central processing unit"),
        ("DAG", "directed acyclic graph"),
    ]


def test_concepts_of_turtle_are_read_in_each_language():
    outcome = read("words.ttl", TURTLE.encode())
    assert sides(outcome) == [
        ("Halde", "Ein Baum; klein."),
        ("heap", 'A tree. "Small" parents.'),
        ("tree", "A graph\nwithout circles."),
    ]


def test_turtle_without_terms_and_texts_is_no_deck():
    labels = "".join(f'w:{at}\n\ta w:Label ;\n\tw:form "a word {at}"@en .\n\n' for at in range(9))
    outcome = read("glossary.ttl", f"@prefix w: <https://example.org/> .\n{labels}".encode())
    assert (sides(outcome), kinds(outcome)) == ([], ["unknown_format"])


ADOC = """= Glossary

Words of our house.

[[heap]]Heap::
A tree whose parents are smaller than their children.
+
See also: <<trie,Trie>>
[[trie]]Trie (prefix tree)::

+
A tree in which each path spells a word of a set.
+
Alternative terms: radix tree
Queue::
A row from which the first one leaves first.
"""


def test_terms_of_asciidoc_have_the_text_below_them():
    assert sides(read("glossary.adoc", ADOC.encode())) == [
        ("Heap", "A tree whose parents are smaller than their children."),
        ("Trie (prefix tree)", "A tree in which each path spells a word of a set."),
        ("Queue", "A row from which the first one leaves first."),
    ]


def test_anchors_of_asciidoc_are_no_part_of_a_name():
    words = ("heap", "trie", "list")
    text = "\n\n".join(f"[[{word}]]{word.title()}:: a shape of data, the {word}" for word in words)
    outcome = read("glossary.adoc", f"== Terms\n\n[glossary]\n{text}\n".encode())
    assert [front for front, _ in sides(outcome)] == ["Heap", "Trie", "List"]


def test_texts_without_spaces_have_words_too():
    text = "".join(
        f"   {term}\n     {body}\n\n"
        for term, body in (
            ("収録表", "資料を年ごとに納めた表です"),
            ("対象者", "調査に答える人のことです"),
            ("初回", "最初に答えた年のことです"),
        )
    )
    assert len(sides(read("glossary.rst", f"用語集\n=====\n.. glossary::\n\n{text}".encode()))) == 3


def test_a_list_of_links_within_the_page_explains_nothing():
    words = {"Heap": "A tree whose parents are smaller.", "Trie": "A tree of letters.", "Row": "A list of cards."}
    links = "\n".join(f"- [{word}](#{word.lower()})" for word in words)
    text = "\n\n".join(f"## {word}\n\n{body}" for word, body in words.items())
    assert sides(read("glossary.md", f"# Glossary\n\n## Inhalt\n\n{links}\n\n{text}\n".encode())) == list(words.items())


def test_records_with_names_of_their_own_do_not_take_the_key():
    rows = ",".join(f'"k{at}": {{"name": "word {at}", "def": "what it means to us, number {at}"}}' for at in range(4))
    assert [front for front, _ in sides(read("a.json", f"{{{rows}}}".encode()))] == [f"word {at}" for at in range(4)]


def test_the_row_that_is_offered_for_records_by_language_reads_them():
    rows = [
        {
            "slug": f"s{at}",
            **{code: {"term": f"{code} {at}", "def": f"text {code} {at} of some length"} for code in codes},
        }
        for at, codes in enumerate((("de", "en"), ("en", "it"), ("en", "fr"), ("de", "en")))
    ]
    content = json.dumps(rows).encode()
    assert '"en.term,en.def"' in read("a.json", content).findings[0].row
    read_so = read("a.json", content, LayoutFlags(fields=(("en.term", "en.def"),)))
    assert sides(read_so)[0] == ("en 0", "text en 0 of some length")


def test_the_row_that_is_offered_for_tables_without_names_reads_them():
    index = "||||\n|---|---|---|\n| [A](#a) | [B](#b) | [C](#c) |\n\n"
    tables = "".join(
        f"## Part {n}\n\nBack to the top, or on to the next part.\n\n|||\n|---|---|\n| word{n} | Wort{n} |\n\n"
        for n in range(4)
    )
    found = read("words.md", (index + tables).encode()).findings[0]
    assert "`words.md,,,,,,columns` reads these" in found.row
    assert len(sides(read("words.md", (index + tables).encode(), LayoutFlags(shape="columns")))) == 4
