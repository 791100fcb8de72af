"""What the operator says about delimited text."""

import itertools

import pytest

from crawler.formats.layout_flags import LayoutFlags, parse_columns, parse_separator
from crawler.formats.reading import read
from crawler.formats.texts import separators
from crawler.formats.texts.separators import SEPARATORS, find_layout
from tests.crawler.tools.decks import sides


def test_the_operator_s_word_counts():
    text = "id;stack;a, pile\nid;queue;a, row\n"
    assert sides(
        read("a", text.encode(), LayoutFlags(separator=parse_separator("semicolon"), columns=parse_columns("3,2")))
    ) == [
        ("a, pile", "stack"),
        ("a, row", "queue"),
    ]
    assert sides(read("a", text.encode(), LayoutFlags(separator=",", header=True))) == [("id;queue;a", "row")]
    assert '"1,3"' in read("a", text.encode()).findings[0].show_offers()


NAMES = ("ox", "bee", "cat", "elk", "emu", "fox", "gnu", "hen", "owl", "pig", "ram", "yak")


@pytest.mark.parametrize("mark", SEPARATORS)
def test_no_separator_is_passed_over_that_could_win(mark, monkeypatch):
    animals = ("an animal that lives on land", '"an animal that lives\non\nland"')
    texts = [
        "\n".join([*(f"{name}{mark}{animal}" for name in NAMES[:n_rows]), *("x" * n_others)])
        for animal, n_rows, n_others in itertools.product(animals, (0, 1, 3, 9, 12), range(9))
    ]
    layouts = list(map(find_layout, texts))
    monkeypatch.setattr(separators, "frequent", lambda marks, *_: marks)
    assert list(map(find_layout, texts)) == layouts
    assert any(layouts)


def test_a_text_without_separators_is_not_split(monkeypatch):
    monkeypatch.setattr(separators, "tabulate", lambda *_: pytest.fail("split"))
    assert find_layout("#\n" * 20) is None


@pytest.mark.parametrize("separator", ["\\t", "TSV", "<tab>", "::", "=====", "|", '"', ""])
def test_a_separator_in_the_file_that_separates_nothing_is_detected(separator):
    text = f"#separator:{separator}\nstack\ta pile\nqueue\ta row\n"
    assert sides(read("a", text.encode())) == [("stack", "a pile"), ("queue", "a row")]


def test_a_header_counts_below_the_letters_of_the_columns():
    text = "A,B,C\nid,term,definition\nG1,stack,last in\nG2,queue,first in\n"
    assert sides(read("a.csv", text.encode())) == [("stack", "last in"), ("queue", "first in")]


def test_a_row_behind_the_separators_name_on_its_line_is_a_row():
    text = "#separator:Pipestack|last in\nqueue|first in\n"
    assert sides(read("a.csv", text.encode())) == [("stack", "last in"), ("queue", "first in")]


def test_quotes_behind_a_space_enclose_a_field():
    rows = [f'"bone {n}", "the long, white, and hard part {n}"' for n in range(9)]
    outcome = read("a", "\n".join(["Term, Definition", *rows]).encode())
    assert sides(outcome) == [(f"bone {n}", f"the long, white, and hard part {n}") for n in range(9)]


def test_a_quote_within_one_text_leaves_the_quotes_behind_spaces_alone():
    rows = [f'"What is bone {n}?", "a part, number {n}", "of a leg, or arm"' for n in range(9)]
    text = "\n".join(["question,answer,more", '"What is it?", "a 2" bone", "x"', *rows])
    assert ("What is bone 8?", "a part, number 8") in sides(read("a.csv", text.encode()))


def test_columns_without_names_and_cells_leave_the_header_alone():
    rows = [f"bone {n},what {n} is and where,why we say so of {n},," for n in range(9)]
    text = "\n".join(["Term to use,Other Term,Why the Term is Bad,,", *rows])
    (finding,) = read("a.csv", text.encode()).findings
    assert "Term to use, Other Term, Why the Term is Bad" in finding.detail


def test_the_first_column_of_a_table_may_be_almost_blank():
    rows = [f"{'*' * (n == 4)}\tbone {n}\t\tthe part {n} of a leg" for n in range(9)]
    outcome = read("a", "\n".join(["Mark\tTerm\tShort form\tDefinition", *rows]).encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a leg") for n in range(9)]


def test_a_header_whose_names_have_numbers_and_brackets_leaves_its_table_to_the_operator():
    rows = [f"bone {n},leg,part {n % 3},the part {n} of a leg that is made of bone" for n in range(9)]
    head = "Word,Hint 1 (Chapter),Hint 2 (A word for it),Hint 3 (A stronger one)"
    outcome = read("a", "\n".join([head, *rows]).encode())
    assert (sides(outcome), [finding.kind for finding in outcome.findings]) == ([], ["unknown_columns"])
    assert "Word,Hint 3" in outcome.findings[0].show_offers()


def test_a_header_of_names_that_go_with_cards_leaves_its_table_to_the_operator():
    rows = [f"bone source {n},after a book of {1900 + n},https://bones.example,the part {n} of a leg" for n in range(9)]
    outcome = read("a", "\n".join(["Id, Reference, URI, Description", *rows]).encode())
    assert [finding.kind for finding in outcome.findings] in (["unknown_columns"], ["guessed_header"])
    assert ("Id", "Reference") not in sides(outcome)


TERMS = "".join(f"b:{n},bone {n},the part {n} of a leg,leg {n}\n" for n in range(9))
ABOUT = (
    'Scheme,https://bones.example,"What it is about, in a few words",\nPREFIX,b,,\nAuthor,a person,"who wrote it",\n'
)


@pytest.mark.parametrize(
    "head",
    [
        "Id,Term,Definition,Place\n",
        "Identifier,skos:prefLabel@en,skos:definition@en,skos:altLabel(separator)\n",
        "Id,label,dct:description,place\n",
    ],
)
@pytest.mark.parametrize("between", ["", "Terms,,,\n", ",,,\n"])
def test_a_table_may_begin_below_rows_about_it(head, between):
    outcome = read("a.csv", (ABOUT * 6 + between + head + TERMS).encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a leg") for n in range(9)]
    assert outcome.skipped[0] == ("row 1", "above_the_header")
    assert len(outcome.skipped) == 18 + between.startswith("T")
    assert outcome.findings == ()


def test_a_header_of_unknown_names_below_rows_about_its_table_is_a_finding():
    text = ABOUT * 6 + "bone_id,bone_label,long_text,place_of_it\n" + TERMS
    outcome = read("a.csv", text.encode())
    assert [finding.kind for finding in outcome.findings] == ["unknown_columns"]
    assert '"bone_label,long_text"' in outcome.findings[0].show_offers()


def test_rows_above_a_header_that_are_as_wide_as_it_are_named_in_a_finding():
    rows = "".join(f"bone {n},the part {n} of a leg\n" for n in range(20))
    outcome = read("a.csv", ("Title,A list of bones\nAuthor,a person\nTerm,Definition\n" + rows).encode())
    assert (len(sides(outcome)), outcome.skipped) == (
        20,
        (("row 1", "above_the_header"), ("row 2", "above_the_header")),
    )
    assert [finding.kind for finding in outcome.findings] == ["guessed_header"]
    outcome = read("a.csv", ("Title,A list of bones\nTerm,Definition\n" + rows).encode(), LayoutFlags(header=False))
    assert (len(sides(outcome)), outcome.findings) == (22, ())


def test_a_card_in_the_middle_that_is_like_a_header_is_a_card():
    words = "".join(f"up {n},down {n}\n" for n in range(9))
    outcome = read("a.csv", (words + "question,answer\nfront,back\n" + words.replace("up", "left")).encode())
    assert (len(sides(outcome)), outcome.findings) == (20, ())


def test_labels_before_a_tab_are_no_column():
    text = "".join(f"Q:\twhat is bone {n}?\n\nA:\tthe part {n} of a leg\n\n\n" for n in range(9))
    assert sides(read("a.txt", text.encode())) == [(f"what is bone {n}?", f"the part {n} of a leg") for n in range(9)]


def test_codes_of_languages_are_a_header():
    rows = "".join(f"bone {n},Knochen {n}\n" for n in range(9))
    outcome = read("a.csv", f"en,de\n{rows}".encode())
    assert (len(sides(outcome)), outcome.findings) == (9, ())
    assert len(sides(read("a.csv", b"ox,an\nam,at\nbe,by\ndo,er\ngo,he\nif,in\n"))) == 6


def test_the_second_column_of_a_wide_table_may_be_almost_blank():
    rows = "".join(f'bone {n},{"x" * (n == 4)},"the part {n}, of a leg",,{n}\n' for n in range(9))
    outcome = read("a.csv", f"bezeichnung,kurz,beschreibung,quelle,nr\n{rows}".encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n}, of a leg") for n in range(9)]


def test_names_of_columns_that_are_addresses_are_read_by_their_ends():
    head = "subject,http://www.w3.org/2000/01/rdf-schema#label,http://purl.org/dc/terms/description,x"
    outcome = read("a.csv", f"{head}\n{TERMS}".encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a leg") for n in range(9)]


def test_a_wide_table_is_read_or_offered_by_the_languages_of_its_columns():
    head = "English Term,Kind,Spanish Term,Category,Group,English Example,Notes\n"
    rows = "".join(f"bone {n},n.,hueso {n},leg,part,the bone {n} is in a leg of a person,\n" for n in range(9))
    outcome = read("a.csv", (head + rows).encode())
    assert sides(outcome)[8] == ("bone 8", "hueso 8")
    head = "id,TT_kz,TT_en,SN_kz,SN_en\n"
    rows = "".join(f"{n},Tank {n},bone {n},ein Teil {n} des Beins,the part {n} of a leg\n" for n in range(9))
    assert '"TT_kz,SN_kz"' in read("a.csv", (head + rows).encode()).findings[0].show_offers()


def test_a_column_with_texts_goes_before_one_that_only_its_name_makes_a_side():
    rows = "".join(f"bone {n},{'x' * (n == 4)},the part {n} of a leg\n" for n in range(9))
    outcome = read("a.csv", f"name,term,definition\n{rows}".encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a leg") for n in range(9)]
    assert sides(read("a.csv", f"name,term,definition\n{rows}".encode(), LayoutFlags(fields=(("term", "name"),)))) == [
        ("x", "bone 4")
    ]


def test_names_before_the_first_of_several_commas_are_offered():
    more = (", that is hard", ", that is hard, and white", "")
    text = "".join(f"bone {n},the part {n} of a leg{more[n % 3]}\n" for n in range(12))
    outcome = read("a.csv", text.encode())
    assert (sides(outcome), outcome.findings[0].show_offers().startswith("`a.csv,,,,,,,,comma` ")) == ([], True)
    outcome = read("a.csv", text.encode(), LayoutFlags(separator=","))
    assert sides(outcome)[:2] == [
        ("bone 0", "the part 0 of a leg, that is hard"),
        ("bone 1", "the part 1 of a leg, that is hard, and white"),
    ]


def test_questions_before_a_comma_and_a_space_have_answers():
    rows = "".join(f"Which bone is number {n}?, the part {n}\n" for n in range(23))
    outcome = read("cards.txt", f"Class 9\n{rows}Which bone is number 11?, the part 11, a long one\n".encode())
    assert sides(outcome)[-2:] == [
        ("Which bone is number 22?", "the part 22"),
        ("Which bone is number 11?", "the part 11, a long one"),
    ]


def test_the_only_mark_that_each_line_has_once_is_offered():
    lines = [f"el hueso {word}{{}}der Knochen {word}" for word in ("largo", "corto", "plano (no roto)", "roto, viejo")]
    (finding,) = read("a.txt", "\n".join(line.format("#") for line in lines).encode()).findings
    assert [offer.cells for offer in finding.offers] == [{"separator": "#"}]
    (finding,) = read(
        "a.txt", "\n".join(line.format("# ") + "#" * (n % 2) for n, line in enumerate(lines)).encode()
    ).findings
    assert finding.offers[0].cells == {"skip": "yes"}


@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_quotes_within_quoted_fields_that_are_not_doubled_are_part_of_them(mark):
    rows = [
        ("tree", f"a graph{mark} without cycles"),
        ("stack", 'last in, "first" out'),
        ('"queue"', "first in first out"),
        ("heap", 'a tree "in order"'),
        ("set", "values without order"),
    ]
    text = "\n".join(f'"{front}"{mark}"{back}"' for front, back in rows)
    assert sides(read("deck.csv", text.encode())) == rows
