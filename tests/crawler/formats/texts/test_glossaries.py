"""Glossaries in Markdown as people write them: names in every common shape, amid prose and below letters."""

import pytest

from crawler.cards.outcome import Fields
from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from crawler.formats.texts.names import is_name, is_section
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("Cell wall", "A layer around the cells of a plant that gives them their form"),
    ("Mitosis", "A division of a nucleus into two nuclei that are alike"),
    ("Osmosis", "The movement of water through a membrane that holds other things back"),
    ("RNA", "A nucleic acid with a single strand, made by copying a gene"),
]
PROSE = (
    "These words are used by all who work here, and you meet them on your first day. Ask whenever you miss one.\n\n"
    "The list grows with every season, since each visitor brings words of another laboratory with the samples.\n\n"
)


def each(form):
    return "".join(form.format(*cell) for cell in CELLS)


def read_glossary(text, name="cells/notes.md"):
    return read(name, text.encode())


@pytest.mark.parametrize(
    "form",
    [
        "**{}**: {}\n\n",
        "**{}:** {}\n\n",
        "**{}** = {}\n\n",
        "**{}** - {}\n\n",
        "**{}** — {}\n\n",
        "**{}**\n{}\n\n",
        "**{}**  \n{}\n\n",
        "**{}**\n\n{}\n\n",
        "__{}__: {}\n\n",
        "**{}**. {}\n\n",
        "*{}*: {}\n\n",
        "- **{}**: {}\n",
        "* **{}:** {}\n",
        "1. **{}** – {}\n",
        "- {}: {}\n",
        "- {} — {}\n",
        "- **{}**\n    - {}\n",
        "- **{}**:\n\n    {}\n",
        "> **{}**: {}\n\n",
        "### {}\n\n> {}\n\n",
        "### {}\n\n- {}\n\n",
        "#### **{}:**\n{}\n\n",
        "### [{}](https://cells.example)\n\n{}\n\n",
        "{}\n: {}\n\n",
        "**{}**\n:   {}\n\n",
        "Q: {}\nA: {}\n\n",
        "**Q:** {}\n**A:** {}\n\n",
        "**Front:** {}\n\n**Back:** {}\n\n---\n\n",
        "- Q: {}\n- A: {}\n",
        "<details><summary>{}</summary>\n\n{}\n\n</details>\n\n",
        "### {}\n\n**Definition**: {}\n\n**Example**: a slide of an onion\n\n",
        "### {}\n\n#### Definition\n\n{}\n\n#### Example\n\na slide of an onion\n\n",
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "# Glossary\n\n" + PROSE + "{}", "# Cells\n\n{}\n# Credits\n\nWritten here.\n"]
)
def test_names_and_texts_amid_prose(form, around):
    outcome = read_glossary(around.format(each(form)))
    assert [side for side in sides(outcome) if side[0] != "Credits"] == CELLS
    assert (outcome.findings, outcome.skipped) == ((), ())


@pytest.mark.parametrize("head", ["## {}\n\n", "### {}\n\n", "# {}\n\n"])
@pytest.mark.parametrize(
    "form",
    ["- **{}**: {}\n\n", "**{}** - {}\n\n", "#### {}\n\n{}\n\n", "| Term | Definition |\n|--|--|\n| {} | {} |\n\n"],
)
def test_letters_numbers_and_parts_are_no_names(head, form):
    for names in ("CMOR", "1234", ("General", "Card 3", "Chapter 2: Cells", "Miscellaneous")):
        text = "".join(head.format(name) + form.format(*cell) for name, cell in zip(names, CELLS, strict=True))
        assert sides(read_glossary(text)) == CELLS


def test_a_table_counts_wherever_its_header_names_the_sides():
    rows = each("| **{}** | {} |\n")
    text = f"# Words\n\n{PROSE}## Plants\n\n| **Term** | **Definition** |\n|:--|:--|\n{rows}\n{PROSE}"
    assert sides(read_glossary(text)) == CELLS
    two = f"# Words\n\n| Words | In short |\n|--|--|\n{rows}"
    assert sides(read_glossary(two)) == CELLS


def test_columns_of_a_table_that_are_no_side_are_named():
    rows = each("| {} | {} | an onion | |\n")
    text = f"# Words\n\n| Term | Definition | Example | Source |\n|--|--|--|--|\n{rows}"
    (deck,) = read_glossary(text).decks
    assert (deck.unread, deck.cards[0].fields) == (("Example",), Fields(front="Term", back="Definition"))


def test_several_shapes_of_one_page_are_read_together():
    table = "| Term | Definition |\n|--|--|\n" + each("| {} | {} |\n")
    more = "".join(
        f"**{n} body**: A part of a cell that is seen {n} a stain is used\n\n" for n in ("before", "after", "when")
    )
    found = sides(read_glossary(f"# Glossary\n\n{table}\n## Bodies\n\n{more}"))
    assert found[:4] == CELLS
    assert [front for front, _ in found[4:]] == ["before body", "after body", "when body"]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        (
            "**Q:** What is a cell?\n**A:** The smallest part that lives.\n",
            ("What is a cell?", "The smallest part that lives."),
        ),
        ("Some words.\n\n| Term | Definition |\n|--|--|\n| cell | what lives |\n", ("cell", "what lives")),
        ("cell\n: the smallest part that lives\n", ("cell", "the smallest part that lives")),
        ("- cell #card\n\t- the smallest part that lives\n", ("cell", "the smallest part that lives")),
    ],
)
def test_one_entry_is_enough_where_nothing_else_looks_so(text, card):
    assert sides(read_glossary(text)) == [card]


def test_logseq_s_items_are_cards_and_its_properties_are_none():
    text = "title:: Cells\ntags:: biology\n\n- A page about cells, for the first term.\n" + each(
        "- {} #card\n  card-last-interval:: 4\n  card-repeats:: 1\n\t- {}\n"
    )
    outcome = read_glossary(text)
    assert (sides(outcome), outcome.skipped) == (CELLS, ())


@pytest.mark.parametrize(
    ("way", "indent"),
    [
        ("```{{glossary}}\n{}```\n", ""),
        (":::{{glossary}}\n{}:::\n", ""),
        (".. glossary::\n\n{}", "   "),
        (".. glossary::\n\n{}", ""),
    ],
)
def test_the_glossary_of_a_directive(way, indent):
    body = each(f"{indent}{{}}\n{indent}  {{}}\n\n")
    assert sides(read_glossary(f"Words\n=====\n\n{way.format(body)}")) == CELLS


def test_a_text_that_stands_for_none_is_none():
    text = each("**{}**: {}\n\n") + "".join(f"**Part {n} of a cell**: _No definition yet._\n\n" for n in "abcdefgh")
    outcome = read_glossary("# Glossary\n\n" + text)
    assert sides(outcome) == CELLS
    assert {reason for _, reason in outcome.skipped} == {"no_text"}


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "# Letter\n\n**Note**: bring your boots.\n\n**Warning**: the stream is up.\n\n**Tip**: come early.\n",
        "# Tool\n\n- **fast**: it is quick\n\n" + PROSE * 3,
        "# Plan\n\n"
        + "".join(
            f"## The {n} week of work\n\nWe do this:\n\n- one\n- two\n\n{PROSE}" for n in ("first", "next", "last")
        ),
        "names\nwithout\nany\ntext\nat\nall\nin\na\nlong\nlist\nof\nwords\n",
        "- milk\n- eggs\n- bread\n",
        "".join(f"- Name {letter} :: ?\n" for letter in "abcdefghijkl"),
        "# Glossary\n\n## Cells\n\n- Nucleus\n- Cell wall\n\n## Bones\n\n- Femur\n- Tibia\n\n## Organs\n\n- Heart\n",
        "# API\n\n| Option | Default |\n|--|--|\n| --all | no |\n| --none | yes |\n| --some | no |\n",
    ],
)
def test_prose_plans_and_lists_are_no_glossaries(text):
    outcome = read_glossary(text)
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])


def test_other_lines_are_counted():
    outcome = read_glossary("# Glossary\n\n" + PROSE + each("- **{}**: {}\n"))
    assert outcome.decks[0].read_as == "names in bold with their texts; 3 lines of other text"


@pytest.mark.parametrize("heading", ["A", "17", "2.1", "General", "Card 3", "Section 230", "Chapter 2: Cells", "v1.2"])
def test_parts_of_a_glossary_are_no_names(heading):
    assert is_section(heading)


@pytest.mark.parametrize("name", ["Chapter 11 bankruptcy", "Level 3 cache", "Day 2 operations", "Pi"])
def test_names_that_begin_like_a_part_stay_names(name):
    assert not is_section(name)


@pytest.mark.parametrize(
    "form",
    [
        "- [{}](https://cells.example/a_(b)): {}\n",
        "- [{}](https://cells.example): \n  {}\n\n",
        '## {}\n\n??? abstract "**ID:** 7"\n    **Changes:**\n    - none so far\n\n!!! quote ""\n    {}\n\n',
        "## {}\n\n!!! note\n    Read twice.\n\n{}\n\n",
        ".. dropdown:: {}\n\n   {}\n\n",
        "== {}\n\n{}\n\n",
        "== {}anchor:x[]\n\n{}\n\n",
    ],
)
def test_links_lead_names_and_remarks_are_no_texts(form):
    assert sides(read_glossary("# Glossary\n\n" + each(form))) == CELLS


def test_a_list_of_definitions_in_the_middle_of_markdown():
    listed = "<dl>\n" + each("  <dt>\n    <a href='#a'>{}</a>\n  </dt>\n  <dd>{}</dd>\n") + "</dl>\n"
    assert sides(read_glossary(f"# Glossary\n\nSome of our words.\n\n{listed}")) == CELLS


def test_places_that_a_template_leaves_open_are_no_texts():
    rows = each("| {} | {} |\n")
    open_ = "| *\\<Term-1>* | *\\<definition-1>* |\n| plasma | Definition not found. |\n"
    text = f"| Term | Definition |\n|--|--|\n{open_}{rows}"
    assert sides(read_glossary(text)) == CELLS


def test_a_few_numbers_are_names_and_many_are_parts():
    more = [
        (f"Cell {letter} body", f"The body that is seen at the place {letter} of a cell")
        for letter in "abcdefghijklmnopqrs"
    ]
    rows = "".join(f"- **{name}**: {text}\n" for name, text in [*more, ("1102", "The number of the form for samples")])
    assert sides(read_glossary(rows))[-1] == ("1102", "The number of the form for samples")


def test_a_long_name_with_its_address_is_a_name():
    name = "Program, administration and technical services of the laboratory"
    long = (
        f'**<a name="{name}"></a>[{name}](#{"-".join(name.split())}-of-the-whole-house-and-all-its-rooms)** (PATS) \\\n'
    )
    text = "# Glossary\n\n" + each("**{}** \\\n{}\n\n") + f"{long}What is done for all groups together\n\n"
    assert sides(read_glossary(text))[-1] == (f"{name} (PATS)", "What is done for all groups together")


def test_sentences_with_a_mark_are_no_names():
    sentence = "We have a prover who knows both the statement and the witness of it - this is of use later on\n\n"
    assert sides(read_glossary("# Glossary\n\n" + sentence + each("{} - {}\n\n"))) == CELLS


@pytest.mark.parametrize("name", ["-tropic", "-CH3", "-O- (simply)"])
def test_what_begins_with_a_hyphen_may_be_a_name(name):
    assert is_name(name)


@pytest.mark.parametrize("flag", ["-v", "-o FILE", "--all", "-n, --none"])
def test_a_flag_is_no_name(flag):
    assert not is_name(flag)


def test_a_word_that_looks_like_a_label_is_a_name_amid_many_names():
    letters = "abcdefghijklmnopqrs"
    more = "".join(
        f"* **{letter} body** - The body that is seen at the place {letter} of a cell\n" for letter in letters
    )
    found = sides(read_glossary(f"# Glossary\n\n{more}* **formula** - The sign of what a cell is made of\n"))
    assert found[-1] == ("formula", "The sign of what a cell is made of")
    assert len(found) == len(letters) + 1


def test_the_title_of_a_page_is_no_name():
    text = "Glossary\n========\n\nWrite to us if a word is missing here.\n\n" + each("{}\n--------\n\n{}\n\n")
    assert sides(read_glossary(text)) == CELLS


def test_attributes_of_a_term_are_no_part_of_it():
    text = "# Glossary\n\n```{glossary}\n" + each("[{}]{{#of_the_cell .term}}\n  {}\n\n") + "```\n"
    assert sides(read_glossary(text)) == CELLS


@pytest.mark.parametrize("aside", ["(RNA)", "(Weber, 1991; Weber and others, 2009)", "(WM) (Weber and Maier, 2008)"])
def test_what_is_in_brackets_behind_a_name_makes_it_no_sentence(aside):
    assert is_name(f"The model of a random walk of cells {aside}")


def test_a_number_with_a_word_in_brackets_is_a_name():
    assert is_name("2.7.1.26 (EC number)")


def test_a_table_of_acronyms_counts_beside_names_in_bold():
    table = "| Acronym | Expansion | One-line meaning |\n|---|---|---|\n" + "".join(
        f"| **C{n}** | Cell {n} | The cell that was seen at place {n} |\n" for n in range(6)
    )
    text = f"# Glossary\n\n## Acronyms\n\n{table}\n## Terms\n\n" + each("- **{}** — {}\n")
    found = sides(read_glossary(text, "cells/glossary.md"))
    assert found == [(f"C{n}", f"The cell that was seen at place {n}") for n in range(6)] + CELLS


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


def test_the_row_that_is_offered_for_tables_without_names_reads_them():
    index = "||||\n|---|---|---|\n| [A](#a) | [B](#b) | [C](#c) |\n\n"
    tables = "".join(
        f"## Part {n}\n\nBack to the top, or on to the next part.\n\n|||\n|---|---|\n| word{n} | Wort{n} |\n\n"
        for n in range(4)
    )
    found = read("words.md", (index + tables).encode()).findings[0]
    assert "`words.md,,,,,,columns` reads a table of terms (4 cards: «word0» -> «Wort0», " in found.show_offers()
    assert len(sides(read("words.md", (index + tables).encode(), LayoutFlags(shape="columns")))) == 4


def test_an_id_behind_a_heading_is_no_part_of_its_name():
    text = "".join(f"##### Bone {n}  _(part {n})_{{#bone{n}}}\n\nIt is the part {n} of a leg.\n\n" for n in range(4))
    assert sides(read("glossar.md", text.encode()))[0] == ("Bone 0 (part 0)", "It is the part 0 of a leg.")


def test_tables_of_asciidoc_are_tables():
    rows = "".join(f"| bone {n} | the part {n} of a leg | seen\n\n" for n in range(4))
    text = f'= Glossary\n\n== Legs\n\n[cols="1,4,4"]\n|====\n| Term | Meaning | Comment\n\n{rows}|====\n\nThe end.\n'
    assert sides(read("glossary.adoc", text.encode())) == [(f"bone {n}", f"the part {n} of a leg") for n in range(4)]


@pytest.mark.parametrize("attributes", ['[cols="1,4,2"]', '[%header,cols="3*"]', "[options=header]", ""])
@pytest.mark.parametrize(
    "row",
    [
        "|bone {n}\n|the part {n}\nof a leg\n|seen\n\n",
        "| bone {n}\na|\nthe part {n} of a leg\n|\n",
        "|bone {n} |the part {n} of a leg |seen\n",
        "|bone {n} |the part {n} of a leg\n| seen\n",
    ],
)
def test_a_row_of_a_table_of_asciidoc_may_have_several_lines(attributes, row):
    head = "|Term |Meaning |Comment\n\n" if "cols" not in attributes else "|Term\n|Meaning\n|Comment\n\n"
    text = f"= Glossary\n\n{attributes}\n|===\n{head}{''.join(row.format(n=n) for n in range(4))}|===\n"
    assert sides(read("glossary.adoc", text.encode())) == [(f"bone {n}", f"the part {n} of a leg") for n in range(4)]


def test_a_template_is_no_glossary():
    text = "---\ntitle: Glossary\n---\n{% assign glossary = site.data.glossary %}\n{ {{ x }} }\n"
    outcome = read("glossary.json", text.encode())
    assert (outcome.decks, len(outcome.findings)) == ((), 1)


def test_paragraphs_with_a_mark_around_a_list_of_terms_are_asked_about():
    """Names of fields and headings of a page end with a colon, too."""
    others = "".join(f"{name}: see the {name.lower()} at the door\n\n" for name in ("Mail", "Place", "Phone", "Hours"))
    text = f"# Words of our site\n\n{each('- {}: {}' + chr(10))}\nMORE\n\n{others}{PROSE}"
    outcome = read_glossary(text, "glossary.md")
    assert (sides(outcome), kinds(outcome)) in (([], ["unknown_shape"]), (CELLS, []))


def test_a_list_of_words_is_no_glossary():
    words = "\n\n".join("\n".join(f"{letter}{n}word" for n in range(40)) for letter in "abcd")
    assert sides(read("vocabulary.txt", words.encode())) == []


def test_a_list_of_terms_in_latex_is_a_glossary():
    items = each("  \\item[{}] \\emph{{{}}}\n  that one sees. % so\n")
    text = f"\\chapter{{Glossary}}\n\n\\begin{{description}}[leftmargin=*]\n{items}\\end{{description}}\n"
    assert sides(read_glossary(text, "words.tex"))[0] == (CELLS[0][0], f"{CELLS[0][1]} that one sees. % so")
    manual = f"{PROSE * 3}\\section{{Options}}\n\\begin{{description}}\n{items}\\end{{description}}\n{PROSE * 3}"
    assert kinds(read_glossary(manual, "manual.tex")) == ["unknown_shape"]


def test_a_few_names_in_the_prose_below_a_table_are_no_entries():
    table = "| Term | Definition |\n|--|--|\n" + each("| {} | {} |\n")
    asides = "".join(
        f"- **{name}** → the {name.lower()} column of the table, as before\n" for name in ("Good", "Fair", "Bad")
    )
    text = f"# Glossary\n\n{table}\n## How the grades are used\n\n{asides}\n{PROSE * 2}\n{PROSE * 2}\n{PROSE * 2}"
    assert sides(read_glossary(text)) == CELLS


def test_a_line_above_a_list_of_terms_is_no_term():
    text = f"Words of chapter 2:\n\n{each('- {}: {}' + chr(10))}"
    assert sides(read_glossary(text, "definitions.txt")) == CELLS


def test_slanted_names_of_org_and_abbreviations_of_markdown_are_names():
    text = f"#+title: Glossary\n\n* Cells\n{each('- /{}/: {}' + chr(10))}"
    assert sides(read_glossary(text, "glossary.org")) == CELLS
    lined = each("_*{}*_: {}\n\n").rstrip() + "\n-----\n"
    assert sides(read_glossary(f"#+title: Glossary\n\n{lined}", "glossary.org")) == CELLS, "no heading above dashes"
    assert sides(read_glossary(each("*[{}]: {}\n"), "includes/terms.md")) == CELLS


def test_questions_with_a_list_below_each_are_cards_below_headings_too():
    part = "".join(
        f"* What is bone {{0}}{n}?\n    * Which part of a leg is the one that has number {n}?\n" for n in range(4)
    )
    text = "# Questions\n\n" + "".join(f"## Part {name}\n\n{part.format(name)}\n" for name in "XYZ")
    assert len(sides(read("flashcards.md", text.encode()))) == 12


@pytest.mark.parametrize(
    ("name", "head", "form", "end"),
    [
        ("bodies.org", "", "| {} | {} |\n", ""),
        ("bodies.org", "* Bodies\n| Body | Meaning |\n|------+---------|\n", "| {} | {} |\n", ""),
        ("bodies.md", "# Bodies\n\nFor a program.\n\n```slots\n", "{} :: {}\n", "```\n"),
        ("bodies.rst", "Abbreviations\n=============\n\n", ":abbr:`{} ({})`\n", ""),
        (
            "bodies.md",
            "---\ntitle: Bodies\n---\n::term\n---\nterms: [\n",
            '{{key: "{}", value: "{}"}},\n',
            "]\n---\n::\n",
        ),
        ("glossary.yaml", "", "- short: {}\n  long: {}\n", ""),
        ("bodies.org", "#+TITLE: Glossary\n\n", "+ {} :: {}\n     as seen - or drawn: here\n\n", ""),
        ("glossaire.md", "# Glossaire\n\n", "## {0}\n\n*{0} (anglais)*\n\n{1}\n\n{1}\n\n", ""),
        ("bodies.tex", "", "\\acrodef{{{}}}{{{}}}\n", ""),
        ("glossary.md", "# Words\n\n", "## {}\n\n{}: at least so\n\n", ""),
    ],
)
def test_entries_of_tables_fences_roles_and_components(name, head, form, end):
    outcome = read(name, f"{head}{each(form)}{end}".encode())
    assert (
        [(front, back[: len(text)]) for (front, back), (_, text) in zip(sides(outcome), CELLS, strict=True)],
        kinds(outcome),
    ) == (CELLS, [])


def test_a_term_of_a_directive_may_end_in_a_full_stop_or_a_colon():
    text = each("   {}:\n      {}\n\n") + "   approx.\n      Not far from the value\n\n"
    outcome = read("glossary.rst", f"Words\n=====\n\n.. glossary::\n\n{text}".encode())
    assert sides(outcome) == [*CELLS, ("approx.", "Not far from the value")]


def test_types_in_code_are_no_entries():
    code = "".join(f"fold{n} :: (a -> b) -> [a] -> [b]\n" for n in range(6))
    assert sides(read("glossary.md", f"# Folds\n\n{PROSE}```haskell\n{code}```\n".encode())) == []


def test_two_long_sections_are_asked_about():
    long = PROSE.replace("\n\n", " ") * 4
    text = f"# Terminology\n\n## Which model?\n\n{long}\n\n## How to fit it\n\nFit, then test.\n"
    outcome = read("terminology.md", text.encode())
    assert (sides(outcome), kinds(outcome)) == ([], ["unknown_shape"])


def test_a_row_reads_bold_names_amid_bold_labels():
    names = "".join(f"**{name}** is {text[0].lower()}{text[1:]}.\n\n" for name, text in CELLS)
    text = f"# Chapter 3\n\n{names}**Note:** This is for the seminar.\n\n**Example:** An onion.\n"
    (finding,) = read("chapter3.md", text.encode()).findings
    assert finding.offers[0].cells == {"shape": "bold"}
    assert [front for front, _ in sides(read("chapter3.md", text.encode(), LayoutFlags(shape="bold")))] == [
        name for name, _ in CELLS
    ]


def test_rows_of_two_cells_in_latex_are_a_glossary():
    rows = each("\\textbf{{{}}} & {}\\\\\n").removesuffix("\\\\\n")
    text = f"\\chapter{{Acronyms}}\n\\begin{{longtable}}{{ll}}\n{rows}\n\\end{{longtable}}\n"
    assert sides(read_glossary(text, "acronyms.tex")) == CELLS


def test_commands_of_the_author_in_latex_leave_their_names():
    text = "\\begin{description}\n" + each("\\item[{}] {} in {{\\lab}} at 4\\textdegree C\n") + "\\end{description}\n"
    assert sides(read_glossary(text, "words.tex")) == [(term, f"{text} in lab at 4°C") for term, text in CELLS]


def test_where_a_name_is_told_is_no_part_of_its_text():
    text = f"# Glossary\n\n{each('**{}** [Ch. 5]' + chr(10) + '{}' + chr(10) * 2)}"
    assert sides(read_glossary(text, "glossary.md")) == CELLS


def test_paragraphs_without_the_mark_that_others_have_are_told():
    others = "Vesicle - a small bag in a cell\n\nCilium a hair of a cell\n\n"
    text = f"Glossary\n========\n\n{each('{}: {}' + chr(10) * 2)}{others}Sap: what fills a vacuole\n"
    outcome = read_glossary(text, "glossary.rst")
    assert (sides(outcome), kinds(outcome)) == ([*CELLS, ("Sap", "what fills a vacuole")], ["lost_entries"])
    assert f"(2 no_separator; line {4 + 2 * len(CELLS)})" in outcome.findings[0].detail
