"""Glossaries of LaTeX, and RDF in Turtle."""

import pytest

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
\glossaryentry{row}{What the first one leaves first.}
\glsxtrnewsymbol[description={Angle of incidence, \emph{radian} }]{theta}{$\theta_{i}$}
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
        ("row", "What the first one leaves first."),
        (r"$\theta_{i}$", "Angle of incidence, radian"),
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


PROGRAMS = {
    "words.ts": (
        "// Words\nimport { Word } from './types'\n\nexport const WORDS: Word[] = [\n",
        "  {{ term: '{}', definition: \"{}\", kind: 'cell', also: ['x'] }}, // {{ seen }}\n",
        "]\nexport function find(name: string) { return WORDS.find(word => word.term === name) }\n",
    ),
    "words.py": ('"""Words."""\nWORDS = [\n', '    {{"term": "{}", "definition": "{}"}},\n', "]\n"),
    "words.dart": ("const words = [\n", "  Word(term: '{}',\n    definition: '{}'),\n", "];\n"),
    "words.php": ("<?php\nreturn [\n", "  ['term' => '{}', 'definition' => '{}'],\n", "];\n"),
    "words.json5": ("[\n  // words\n", "  {{ term: '{}', definition: '{}', }},\n", "]\n"),
    "words.cson": ("[\n", "  {{\n    word: '{}'\n    def: '{}'\n  }}\n", "]\n"),
    "words.js": ("export const words = {\n", "  '{}': '{}',\n", "}\n"),
}
WORDS = [
    ("cell wall", "a layer around the cells {of a plant} // and so on"),
    ("osmosis", "the movement of water through a membrane"),
    ("vacuole", "a space in a cell that is filled with sap"),
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_data_of_a_program_are_records(name):
    before, form, after = PROGRAMS[name]
    text = before + "".join(form.format(*word) for word in WORDS) + after
    assert (sides(read(name, text.encode())), read(name, text.encode()).findings) == (WORDS, ())


def test_escapes_and_joined_texts_of_a_program_are_one_text():
    first = "{term: 'a', definition: 'the 1st\\'s ' +\n 'text \\u00e9\\ud83d\\ude00'}"
    text = f"const words = [{first}, {{term: 'b', definition: `c\nd`}}, {{term: 'e', definition: 'f'}}]"
    assert sides(read("words.js", text.encode()))[:2] == [("a", "the 1st's text é😀"), ("b", "c\nd")]


def test_a_program_without_such_data_is_no_deck():
    parts = "".join(f"def part_{n}(name='x', kind='y'):\n    return {{'a': 'b'}}\n\n" for n in range(9))
    assert sides(read("words.py", f"import os\n\n{parts}".encode())) == []


def test_a_text_in_several_languages_belongs_to_the_object_around_it():
    parts = ((n, f"part {n} of a leg", f"Teil {n} des Beins") for n in range(3))
    entries = "".join(
        f"  b{n}: {{ term: 'bone {n}', sense: 'x', meaning: {{ de: '{de}', en: '{en}' }} }},\n" for n, en, de in parts
    )
    outcome = read("words.ts", f"export const WORDS: Record<string, Word> = {{\n{entries}}};\n".encode())
    assert sides(outcome) == [(f"bone {n}", f"part {n} of a leg") for n in range(3)]


def test_comments_of_turtle_are_texts_where_nothing_else_is():
    terms = "".join(
        f':b{n} rdfs:comment "The bone {n} of a leg." ; rdfs:label "bone {n}"@en, "bone {n}" .\n' for n in range(4)
    )
    head = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    assert sides(read("a.ttl", (head + terms).encode())) == [(f"bone {n}", f"The bone {n} of a leg.") for n in range(4)]


def test_a_macro_of_a_file_has_its_text_in_the_lines_below_or_as_a_second_argument():
    below = "\\section{Leg}\n\n" + "".join(
        f"  \\card{{bone {n} ($b_{n}$)}}\n  part {n}\n  of a leg\n\n" for n in range(3)
    )
    second = "".join(f"\\flashcard{{bone {n} ($b_{n}$)}}{{part {n} of a leg}}\n" for n in range(3))
    for text in (f"{below}\\section{{Arm}}\nNone yet.\n", second):
        assert sides(read("a.txt", text.encode())) == [(f"bone {n} ($b_{n}$)", f"part {n} of a leg") for n in range(3)]
