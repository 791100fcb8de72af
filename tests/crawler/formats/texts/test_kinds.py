"""The same few entries in the shapes in which people write them."""

import json

import pytest

from crawler.formats.reading import read

BONES = {
    "Femur": "The bone of a thigh, the longest one of a body.",
    "Tibia": "The thicker one of the two bones of a shin.",
    "Fibula": "The thinner one of the two bones of a shin.",
    "Patella": "The flat bone in front of a knee.",
}
ASKED = {f"Where is the {name.lower()}?": text for name, text in BONES.items()}
SIGNS = {"$@": "The file that a rule makes.", "%": "Any part of a name.", ":=": "Gives a name its value at once."}


def sides(outcome):
    return [(card.front, card.back) for deck in outcome.decks for card in deck.cards]


def write(form, entries=BONES, between="\n"):
    return between.join(form.format(name, text) for name, text in entries.items())


@pytest.mark.parametrize(
    "form",
    [
        r"\newacronym[see={{[Also:]{{gls-x}}}}]{{x}}{{{0}}}{{{1}\glsadd{{gls-x}}}}",
        r"\newacronym[longplural={{\glspl{{x}}[y]}},see=[Also]{{x}}]{{x}}{{{0}}}{{{1}}}",
        "\\newacronym{{x}}\n  {{{0}}}%\n  {{{1}}}",
        r"\newglossaryentry{{x}}{{name={{{0}}},description={{{{{{{{{{{{{1}}}}}}}}}}}}}}}",
        "\\newglossaryentry{{x}}\n{{\n  name={0},\n  description={{{1}}}, sort={{{0}}}\n}}",
        r"\longnewglossaryentry{{x}}{{name={{{0}}},see={{[see]{{y}}}}}}{{{1}}}",
        "\\DeclareAcronym{{x}}{{\n  short = {0},\n  long = {{{1}}},\n}}",
        r"\acro{{x}}[\textbf{{{0}}}]{{{1}}}",
        r"\nomenclature[A]{{{0}}}{{{1}\xspace\linebreak}}",
        r"\newterm[description={{{1}}}]{{{0}}}",
        "@entry{{x,\n name={{{0}}},\n description={{{1}}}\n}}",
        "\\begin{{flashcard}}[Bones]{{{0}}}\n{1}\n\\end{{flashcard}}",
    ],
)
@pytest.mark.parametrize("between", ["\n", " ", "\n% \\newacronym{y}{No}{entry at all}\n"])
def test_arguments_of_latex_may_hold_brackets_and_braces(form, between):
    if between == " " and ("\n" in form or "flashcard" in form):
        return
    assert sides(read("glossary.tex", write(form, between=between).encode())) == [*BONES.items()]


def test_an_entry_of_latex_whose_arguments_do_not_end_is_named():
    outcome = read(
        "glossary.tex", (write(r"\newacronym{{x}}{{{0}}}{{{1}}}") + "\n\\newacronym{y}{Ulna}{A bone").encode()
    )
    assert (sides(outcome), [reason for _, reason in outcome.skipped]) == ([*BONES.items()], ["no_text"])


@pytest.mark.parametrize(
    ("file", "form", "entries"),
    [
        ("flashcards.md", "**Q: {0}**\n**A: {1}**\n", ASKED),
        ("flashcards.txt", "{0}\n\n{1}\n\nlegs\nbones", ASKED),
        ("flashcards.md", "{0}\n\n{1}\n\n---\n", ASKED),
        ("flashcards.md", "### {0}\n- **Meaning:** {1}\n- **Example:** a broken {0}\n", BONES),
        ("glossary.txt", "Begriff: {0}\nErklärung: {1}\n", BONES),
        ("glossary.md", "- **{0}** {1}", BONES),
        ("glossary.html", "<li><strong>{0}</strong> {1}</li>", BONES),
        ("glossary.html", "<li>{0}: </li><p>{1}</p>", BONES),
        ("glossary.html", "<li>{0}: </li>{1}</p>", BONES),
        ("glossary.qmd", "<dfn>{0}</dfn>\n: {1}\n", BONES),
        ("glossary.md", '<dfn id="x">{0}</dfn>\n\n{1}\n', BONES),
        ("glossary.txt", "{0}: {1}\n", {"$@": SIGNS["$@"], "%": SIGNS["%"], "$<": "The first source."}),
        ("glossary.md", "- `{0}` - {1}", SIGNS),
        ("glossary.md", "**{0}**: {1}\n", SIGNS),
        ("glossary.rst", ":{0}: {1}", BONES),
        ("definitions.md", "**Definition 1.2 ({0}).** {1}\n", BONES),
        ("glossary.tex", "\\item \\textbf{{{0}}}: {1}", BONES),
        ("glossary.tex", "\\textbf{{{0}}} {1}\n", BONES),
        ("glossary.tex", "\\subsection{{{0}}}\n{1}\n", BONES),
        ("glossary.tex", "\\paragraph{{{0}}} {1}\n", BONES),
        ("definitions.tex", "\\begin{{definition}}[{0}]\n{1}\n\\end{{definition}}\n", BONES),
        ("flashcards.md", "### Card 1: {0}\n{1}\n", BONES),
        ("flashcards.txt", "- {0}\n{1}\n", BONES),
        ("flashcards.txt", "{0}\n{1}\n---", BONES),
        ("flashcards.txt", "[Q] {0}\n[A] {1}\n", ASKED),
        ("flashcards.txt", "Q: {0} | A: {1}", ASKED),
        ("flashcards.txt", "{0} // {1}", BONES),
        ("glossary.txt", "{0:<12}{1}", BONES),
        ("glossary.md", "- **{0}**: {1}\n  - Example: one of many", BONES),
        ("glossary.html", "<button class='accordion'>{0}</button><div><p>{1}</p></div>", BONES),
    ],
)
def test_a_shape_of_strangers_is_read(file, form, entries):
    text = write(form, entries)
    text = f"<h1>Glossary</h1><ul>{text}</ul>" if file.endswith("html") else text
    text = f"\\section{{Glossary}}\n{text}" if file.endswith("tex") else text
    assert [(front, back.split("\n")[0]) for front, back in sides(read(file, text.encode()))] == [*entries.items()]


@pytest.mark.parametrize(
    "form",
    [
        ".. _x:\n\n.. dropdown:: {0}\n   :open:\n\n   {1}\n\n   .. admonition:: **In short**\n      :class: tip\n\n"
        "      A bone.\n\n   .. raw:: html\n\n      <hr>\n",
        ".. admonition:: {0}\n\n   {1}\n",
        ":::{{dropdown}} {0}\n{1}\n\n:::{{note}}\nAs a rule.\n:::\n:::\n",
        "```{{dropdown}} {0}\n{1}\n```\n",
        '??? note "{0}"\n    {1}\n',
        '!!! info "{0}"\n\n    {1}\n\n    More of it.\n',
        "> [!note] {0}\n> {1}\n",
        '::: {{.callout-note title="{0}"}}\n{1}\n:::\n',
        "::: {{.callout-tip}}\n## {0}\n{1}\n:::\n",
        "<details>\n<summary><b>{0}</b></summary>\n<div>\n\n{1}\n\n</div>\n</details>\n",
    ],
)
def test_entries_may_be_in_boxes(form):
    assert sides(read("glossary.md", f"# Glossary\n\n{write(form)}".encode())) == [*BONES.items()]


@pytest.mark.parametrize(
    ("head", "form", "end"),
    [
        (".. list-table::\n   :header-rows: 1\n\n   * - Term\n     - Definition", "   * - {0}\n     - {1}", ""),
        ('.. csv-table::\n   :header: "Term", "Definition"\n', '   "{0}", "{1}"', ""),
        ("+-----+-----+\n| Term | Definition |\n+=====+=====+", "| {0} | {1} |\n|     | |\n+-----+-----+", ""),
        ("======== =====\nTerm     Definition\n======== =====", "{0:<9}{1}", "======== ====="),
    ],
)
def test_tables_of_restructured_text_are_read(head, form, end):
    text = f"Glossary\n########\n\n{head}\n{write(form)}\n{end}\n"
    assert sides(read("glossary.rst", text.encode())) == [*BONES.items()]


def test_remarks_in_boxes_are_no_entries():
    form = '## {0}\n\n{1}\n\n!!! tip "More on {0}"\n\n    It may break, and it may heal.\n'
    assert sides(read("glossary.md", f"# Glossary\n\n{write(form)}".encode())) == [*BONES.items()]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("flashcards.txt", "{0} :: {1}"),
        ("flashcards.txt", "{0} -> {1}"),
        ("flashcards.md", "<details><summary>{0}</summary>\n\n{1}\n\n</details>\n"),
        ("glossary.txt", "{0}\n    {1}\n"),
        ("glossary.html", "<h3>{0}</h3><p>{1}</p>"),
        ("glossary.html", "<p><b>{0}</b>: {1}</p>"),
        ("glossary.html", "<li><b>{0}</b> {1}</li>"),
    ],
)
def test_an_entry_or_two_are_enough_where_their_shape_is_clear(n, file, form):
    entries = dict([*BONES.items()][:n])
    text = write(form, entries)
    text = f"<h1>Glossary</h1>{text}" if file.endswith("html") else text
    assert sides(read(file, text.encode())) == [*entries.items()]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(
    "wrap",
    [
        dict,
        lambda few: {"terms": few},
        lambda few: {name: {"definition": text} for name, text in few.items()},
        lambda few: [*map(list, few.items())],
        lambda few: {"leg": {"bones": [{"source_term": name, "target_term": text} for name, text in few.items()]}},
        lambda few: [{"category": "Legs", "terms": few}],
        lambda few: {"entries": [{"id": 1, "name": name, "description": text} for name, text in few.items()]},
    ],
)
def test_a_tree_of_an_entry_or_two_is_read_where_it_is_called_a_glossary(n, wrap):
    few = dict([*BONES.items()][:n])
    assert sides(read("glossary.json", json.dumps(wrap(few)).encode())) == [*few.items()]


@pytest.mark.parametrize(("first", "n"), [(0, 4), (1, 4), (None, 0)])
def test_the_place_of_a_choice_is_read_where_it_is_clear_how_they_are_counted(first, n):
    choices = [*BONES.values()]
    places = [1, 2, 1, 2] if first is None else range(first, first + 4)
    rows = [{"question": name, "options": choices, "answer": at} for name, at in zip(ASKED, places, strict=True)]
    assert sides(read("flashcards.json", json.dumps(rows).encode())) == [*ASKED.items()][:n]


def test_code_below_a_line_does_not_begin_a_heading():
    form = "## {0}\n\n{1}\n\nIt is written as:\n```\n{0}\n```\n"
    assert sides(read("glossary.md", f"# Glossary\n\n{write(form)}".encode())) == [*BONES.items()]


def test_a_heading_that_only_introduces_a_glossary_is_named_as_a_label():
    text = "# Terms\n\n## Purpose\n\nTo say what we mean by these.\n\n# Bones\n\n" + write("## {0}\n\n{1}\n")
    outcome = read("glossary.md", text.encode())
    assert (sides(outcome), [reason for _, reason in outcome.skipped]) == ([*BONES.items()], ["label"])


def test_a_heading_with_a_text_and_others_below_it_is_an_entry_where_most_of_its_level_are():
    (one, *rest), inner = BONES.items(), {"Shaft": "The long part of a bone.", "Head": "The round end of a bone."}
    text = write("# {0}\n\n{1}\n", dict([*rest, one])) + "\n" + write("## {0}\n\n{1}\n", inner)
    assert sides(read("flashcards.md", text.encode())) == [*rest, one, *inner.items()]


def test_a_list_right_below_a_line_is_read_beside_other_entries():
    parts = ("Head", "Neck", "Shaft", "Base", "Crest", "Notch", "Groove", "Spine")
    listed = {part: f"The part of some bones that is known as their {part.lower()}." for part in parts}
    text = f"Glossary:\n{write('{0} - {1}')}\n\nParts\n" + write("\t- {0}\n\t\t+ {1}", listed)
    assert sides(read("glossary.txt", text.encode())) == [*BONES.items(), *listed.items()]


def test_a_table_and_named_sides_are_read_beside_each_other():
    rows = write("| {0} | {1} |")
    text = f"# Notes\n\n| Term | Definition |\n|---|---|\n{rows}\n\n" + write("Q: {0}\nA: {1}\n", ASKED)
    text += "\nWhat else there is to say of a leg follows here.\n\n" * 9
    assert sides(read("notes.md", text.encode())) == [*BONES.items(), *ASKED.items()]


def test_parts_of_a_record_are_no_glossary():
    for tree in ({"title": "Bones of a leg, and what they do"}, {"funding_statement": "A fund paid for all of this."}):
        assert sides(read("glossary.json", json.dumps(tree).encode())) == []


def test_names_whose_texts_repeat_them_have_none():
    same = {f"Bone {letter}": f"Bone {letter}" for letter in "ABCDEFGH"}
    outcome = read("glossary.json", json.dumps({"_comment": "as in the atlas", **same, **BONES}).encode())
    assert (sides(outcome), len(outcome.skipped)) == ([*BONES.items()], 9)


def test_entries_of_two_shapes_are_read():
    one, two, *rest = BONES.items()
    listed = dict([*rest, ("Ulna", "A bone of an arm.")])
    heads = write("* {0}\n{1}", dict([one, two]))
    outcome = read("glossary.org", f"#+TITLE: Glossary\n\n{heads}\n* Others\n{write('- {0} :: {1}', listed)}".encode())
    assert sides(outcome) == [one, two, *listed.items()]
    mixed = "\n".join(f"{name}{':' if at % 2 else ' -'} {text}" for at, (name, text) in enumerate(BONES.items()))
    assert sides(read("glossary.txt", mixed.encode())) == [*BONES.items()]
    nested = f"{write('- {0} - {1}')}\n- Ulna\n  - A bone of an arm, on the side of the small finger."
    assert [front for front, _ in sides(read("glossary.md", nested.encode()))] == [*BONES, "Ulna"]


def test_blank_cells_behind_the_header_are_no_columns():
    rows = "".join(f'{at},{name},"{text}",,,,\n' for at, (name, text) in enumerate(BONES.items()))
    assert sides(read("glossary.csv", f"id,name,definition,a,b\n{rows}".encode())) == [*BONES.items()]


@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_each_name_above_a_text_of_a_directive_has_all_of_it(n, between):
    said = "{1}\n\n      It heals\n      slowly, if\n\n"
    said += "      * it is kept still,\n      * or set.\n\n      See also :term:`x`."
    heads = "".join(f"   {{0}} {at}{' : bone' if at == 1 else ''}\n" for at in range(n))
    text = write(f"{heads}{between}      {said}\n")
    rest = "It heals slowly, if\n* it is kept still,\n* or set."
    cards = [(f"{name} {at}", f"{text}\n{rest}") for name, text in BONES.items() for at in range(n)]
    assert sides(read("bones.rst", f"Bones\n=====\n\n.. glossary::\n\n{text}".encode())) == cards


def test_terms_of_a_directive_with_a_word_or_a_reference_each_are_entries():
    form = "    {0}\n        {1}\n"
    said = {"OA": "See :rfc:`6749`.", "BRP": "**Person register**", "TMA": "Access", "ADP": "See :ref:`x`."}
    outcome = read("glossary.rst", f".. glossary::\n\n{write(form, said)}".encode())
    assert sides(outcome) == [("BRP", "Person register"), ("TMA", "Access")]
    assert [reason for _, reason in outcome.skipped] == ["cross_reference", "cross_reference"]


@pytest.mark.parametrize("rule", ["-\t-", "---\t---", "=====\t", "-\t "])
def test_a_row_of_dashes_is_no_card(rule):
    dogs = {f"{name} of a dog": text for name, text in BONES.items()}
    head, rows, more = "Term\tDefinition", write("{0}\t{1}"), write("{0}\t{1}", dogs)
    assert sides(read("glossary.tsv", f"{head}\n{rows}\n{rule}\n{more}".encode())) == [*BONES.items(), *dogs.items()]


@pytest.mark.parametrize("mark", ["##", "###"])
def test_a_heading_above_others_is_an_entry_where_its_text_begins_with_its_name(mark):
    own = {"Leg bone": "A leg bone is a bone of a leg.", "Long-bone relations": "Bones touch one another at joints."}
    one, two = own.items()
    below = write("### {0}\n\n{1}\n\n#### Input (whole):\n\nThe bones of a body.\n").replace("###", f"{mark}#")
    head = f"# Glossary\n\nThis glossary is on bones.\n\n{mark} Further words\n\nThese are needed below.\n\n"
    text = f"{head}{mark}# Ulna\n\nOne of an arm.\n\n{mark} {one[0]}\n\n{one[1]}\n\n{below}\n"
    text += f"{mark} {two[0]}\n\n{two[1]}\n\n{mark}# Joint\n\nWhere two bones meet.\n"
    expected = [("Ulna", "One of an arm."), one, *BONES.items(), two, ("Joint", "Where two bones meet.")]
    assert sides(read("glossary.md", text.encode())) == expected
