"""Which columns of a table without a header are sides."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from crawler.formats.sides.columns import find_fitting
from tests.crawler.tools.decks import kinds, sides

CARDS = [
    ("femur", "the bone of the thigh"),
    ("tibia", "the shin bone"),
    ("patella", "the bone before the knee"),
    ("radius", "the bone on the side of the thumb"),
    ("ulna", "the bone on the other side"),
    ("fibula", "the thin bone beside the shin"),
]
NUMBERS = [f"{n}" for n in range(1, 7)]
DATES = [f"2019-04-{n:02} 10:00" for n in range(1, 7)]
UUIDS = [f"{n}7001b56-023b-4a40-a7d9-03d4b2548b72" for n in range(1, 7)]
GUIDS = ["n`B3F!CGGe", "zW*7#Fie*T", "A[x1b.c}dE", "k2mD$a(bqz", "Gf(u8=Zt~w", "pQ3;vWx%yz"]


def table(*columns, separator="\t", head=""):
    return (head + "".join(separator.join(row) + "\n" for row in zip(*columns, strict=True))).encode()


FRONTS, BACKS = [[card[side] for card in CARDS] for side in (0, 1)]


@pytest.mark.parametrize(
    "before",
    [
        [NUMBERS],
        [[f"{n}." for n in NUMBERS]],
        [[f"UBERON:000{n}" for n in NUMBERS]],
        [UUIDS],
        [GUIDS],
        [DATES],
        [[f"https://bones.example/{n}.png" for n in NUMBERS]],
        [["en"] * 6],
        [NUMBERS, [""] * 6],
        [GUIDS, ["Basic"] * 6, ["Anatomy::Bones"] * 6],
    ],
)
def test_what_numbers_links_or_repeats_is_not_a_side(before):
    outcome = read("bones.txt", table(*before, FRONTS, BACKS))
    assert sides(outcome) == CARDS
    assert f"front in column {len(before) + 1}, back in column {len(before) + 2}" in outcome.decks[0].read_as


def test_chapters_and_parts_of_speech_are_not_sides():
    rows = [(f"Chapter {n // 20}", f"bone {n}", "noun", f"what bone {n} is") for n in range(60)]
    assert sides(read("a", table(*zip(*rows, strict=True))))[7] == ("bone 7", "what bone 7 is")


def test_two_columns_are_the_sides_whatever_they_hold():
    years = [(f"{1700 + n}", f"what happened in that year {n}") for n in range(9)]
    assert sides(read("a", table(*zip(*years, strict=True)))) == years


def test_anki_s_own_word_about_columns_goes_first():
    head = "#separator:pipe\n#html:false\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:6\n"
    columns = (GUIDS, ["Basic"] * 6, ["Bones"] * 6, FRONTS, BACKS, ["leg", "", "arm", "", "", "leg arm"])
    assert sides(read("a", table(*columns, separator="|", head=head))) == CARDS
    assert sides(read("a", table(UUIDS, FRONTS, BACKS, separator="|", head="#separator:Pipe\n"))) == CARDS


def test_names_that_no_one_knows_above_identifiers_are_a_header():
    head = "record\tlabel (en)\tgloss\n"
    outcome = read("a", table(NUMBERS, FRONTS, BACKS, head=head))
    assert sides(outcome) == CARDS
    assert "with a header" in outcome.decks[0].read_as
    assert sides(read("a", table(FRONTS, BACKS, ["3", "7"] * 3, head="label (en)\tgloss\tlevel\n"))) == CARDS
    assert len(sides(read("a", table(NUMBERS, FRONTS, BACKS, head="7\tskull\tthe bones of the head\n")))) == 7


@pytest.mark.parametrize(
    "head",
    [
        ("bone_name", "long_text"),
        ("boneName", "longText"),
        ("Latin bone", "Latin meaning"),
        ("ITA", "BS"),
    ],
)
def test_a_first_row_of_unknown_names_is_a_header_and_a_finding_says_so(head):
    outcome = read("bones.txt", table(*zip(head, *CARDS, strict=True)))
    assert sides(outcome) == CARDS
    [finding] = outcome.findings
    assert (finding.kind, finding.show_offers().count("`bones.txt,")) == ("guessed_header", 2)
    assert all(f"«{name}»" in finding.detail for name in head)
    outcome = read("bones.txt", table(*zip(head, *CARDS, strict=True)), LayoutFlags(header=False))
    assert (sides(outcome), outcome.findings) == ([head, *CARDS], ())
    assert read("bones.txt", table(*zip(head, *CARDS, strict=True)), LayoutFlags(header=True)).findings == ()


@pytest.mark.parametrize(
    "head",
    [("bone", "definition"), ("KPI", "Explanation"), ("bone name", "short description"), ("no", "part", "description")],
)
def test_the_only_name_beside_a_back_is_the_front(head):
    columns = [[str(n) for n in range(len(CARDS))], *zip(*CARDS, strict=True)][-len(head) :]
    outcome = read("bones.txt", table(*([name, *column] for name, column in zip(head, columns, strict=True))))
    assert (sides(outcome), outcome.findings) == (CARDS, ())


def test_columns_in_two_languages_are_read_in_english_and_a_finding_says_so():
    rows = [(f"{name}o", name, f"Es el hueso {name}o de la pierna", text) for name, text in CARDS]
    outcome = read("a.csv", table(*zip(("TituloEs", "TituloEn", "SobreEs", "SobreEn"), *rows, strict=True)))
    assert (sides(outcome), kinds(outcome)) == (CARDS, ["guessed_sides"])
    assert [offer.cells["fields"] for offer in outcome.findings[0].offers] == ["TituloEn,SobreEn", "TituloEs,SobreEs"]


def test_a_table_of_one_column_that_is_filled_is_read_all_the_same():
    rows = [
        ("bone_name", "long_text", "number"),
        *((f"bone {'abcdefghi'[n]}", "a text" * (n < 2), f"{n}") for n in range(9)),
    ]
    assert kinds(read("a.csv", table(*zip(*rows, strict=True))))


def test_columns_that_are_mostly_blank_are_no_sides():
    things = [(f"a thing {n}", f"What is called a thing of the kind {n}") for n in range(6)]
    rows = [
        ("Agency", "Vocabulary Name", "Description", "Theme", "ThemeDef"),
        ("a group", "Bones", "a list", *things[0]),
    ]
    outcome = read("a.csv", table(*zip(*rows, *(("", "", "", *thing) for thing in things[1:]), strict=True)))
    assert sides(outcome) == things


def test_short_cells_above_the_texts_of_a_wide_table_name_its_columns():
    texts = [
        (
            f"bone {n}",
            f"bones {n}",
            f"It was seen at place {n} of a leg that was long",
            "leg",
            f"What {n} may mean to a person who has one",
        )
        for n in range(9)
    ]
    rows = [("Bone", "Forms of it", "Context", "Where", "Meaning"), *texts]
    outcome = read("bones.txt", table(*zip(*rows, strict=True)))
    assert (sides(outcome), kinds(outcome)) == ([], ["unknown_columns"])


def test_unknown_names_of_which_words_mean_sides_tell_which_is_which():
    rows = [("meaning_text", "term_name"), *((back, front) for front, back in CARDS)]
    assert sides(read("bones.txt", table(*zip(*rows, strict=True)))) == CARDS


@pytest.mark.parametrize(
    ("head", "cards"),
    [
        (("Kata", "Makna"), [(f"tulang {n}", f"bagian ke-{n} dari sebuah kaki") for n in range(6)]),
        (("คำไทย", "Makna"), [(f"โมเดล{n}", f"model {n}") for n in range(6)]),
        (
            ("english", "standard", "category", "notes"),
            [(f"Save {n}", f"Seevi {n}", f"{n % 2}x", "") for n in range(9)],
        ),
    ],
)
def test_a_first_row_of_two_words_or_languages_is_a_header(head, cards):
    outcome = read("bones.csv", table(*zip(head, *cards, strict=True)))
    (finding,) = outcome.findings
    assert (finding.kind in ("guessed_header", "unknown_columns"), head in sides(outcome)) == (True, False)
    assert finding.kind == "guessed_header" or head[0] in finding.show_offers()


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (("skull", "head"), CARDS),
        (("key word", "one that matters in a text"), CARDS),
        (("max_depth", "tree_height"), [(f"max_{n}", f"size_{n}") for n in "abcdef"]),
        (("loan word", "foreign term"), [(f"{kind} word", f"{kind} term") for kind in ("short", "long", "old", "new")]),
        (("bone_name", "long_text"), CARDS[:2]),
    ],
)
def test_a_first_card_that_is_like_the_others_is_no_header(first, others):
    outcome = read("bones.txt", table(*zip(first, *others, strict=True)))
    assert sides(outcome) == [first, *others]
    assert outcome.findings == ()


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), min_size=1, max_size=9), st.booleans())
def test_no_row_is_lost_in_silence(rows, quoted):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL).writerows(rows)
    with_head = f"bone_name\tlong_text\n{buffer.getvalue()}".encode()
    outcome = read("a.txt", with_head, LayoutFlags(separator="\t"))
    n_read = sum(len(deck.cards) for deck in outcome.decks) + len(outcome.skipped)
    as_cards = read("a.txt", with_head, LayoutFlags(separator="\t", header=False))
    n_all = sum(len(deck.cards) for deck in as_cards.decks) + len(as_cards.skipped)
    assert n_all - n_read == sum(finding.kind == "guessed_header" for finding in outcome.findings)


@given(st.lists(st.lists(st.text(max_size=12), min_size=4, max_size=4), min_size=2, max_size=5))
def test_two_different_columns_are_chosen_of_any(columns):
    first, second, *_ = find_fitting(columns)
    assert 0 <= first < second < len(columns)


@pytest.mark.parametrize(("first", "third"), [(("run", "move fast", "verb"), "noun"), (("perro", "dog", "animal"), "")])
def test_a_first_card_above_a_column_that_repeats_is_no_header(first, third):
    rows = [first, *((front, back, third) for front, back in CARDS)]
    assert sides(read("a", table(*zip(*rows, strict=True)))) == [first[:2], *CARDS]


def test_short_names_with_a_digit_are_sides():
    rows = [(f"CD{n}", f"a marker of cells of kind {n} that do not divide", f"cells {n}") for n in range(1, 10)]
    assert sides(read("a", table(*[*zip(*rows, strict=True)][:2], [f"{n}" for n in range(9)]))) == [
        row[:2] for row in rows
    ]


NOUNS = ["leg", "shin", "knee", "arm", "elbow", "calf"]


def test_answers_that_are_letters_are_the_choices_in_these_columns():
    rows = "".join(f"Which bone is {n}?,the {n}. ulna,the {n}. tibia,{'AB'[n % 2]},x\n" for n in range(4))
    found = sides(read("a.csv", f"question,a,b,answer,set\n{rows}".encode()))
    bones = ("ulna", "tibia")
    assert found == [(f"Which bone is {n}?", f"the {n}. {bones[n % 2]}") for n in range(4)]


def test_three_columns_of_texts_without_a_header_are_left_to_the_operator():
    longer = [f"{back} too" for back in BACKS]
    for columns in (
        (FRONTS, BACKS, longer),
        (NOUNS, FRONTS, [f"{name} bone" for name in FRONTS]),
    ):
        outcome = read("bones.txt", table(*columns))
        assert (sides(outcome), kinds(outcome)) == ([], ["unknown_columns"])
        assert "columns 1, 2, 3 may be the sides" in outcome.findings[0].detail
        assert outcome.findings[0].show_offers().startswith('`bones.txt,,,,,,,,,"1,')
    head = "#separator:tab\n#html:false\n"
    assert kinds(read("a", table(FRONTS, BACKS, longer, head=head))) == ["unknown_columns"]
    named = "#columns:Bone\tNear\tWhat it is\n"
    outcome = read("a", table(FRONTS, NOUNS, BACKS, head=head + named))
    assert (sides(outcome), kinds(outcome)) == (CARDS, ["guessed_sides"])
    assert '"Bone,What it is"' in outcome.findings[0].show_offers()


def test_a_short_column_of_different_texts_and_a_long_one_are_the_sides_and_a_finding_says_so():
    groups = ["leg", "leg", "leg", "arm", "arm", "leg"]
    for columns, at in (
        ((FRONTS, groups, BACKS), "1,3"),
        ((BACKS, groups, FRONTS), "3,1"),
        ((groups, FRONTS, BACKS), "2,3"),
    ):
        outcome = read("bones.txt", table(*columns))
        assert sides(outcome) == CARDS
        [finding] = outcome.findings
        assert (finding.kind, f'`bones.txt,,,,,,,,,"{at}"`' in finding.show_offers()) == ("guessed_sides", True)
        front, back = (int(column) - 1 for column in at.split(","))
        assert read("bones.txt", table(*columns), LayoutFlags(columns=(front, back))).findings == ()


def test_questions_without_a_mark_are_fronts_and_a_column_of_two_marks_is_no_text():
    questions = [f"Which one is {back}" for back in BACKS]
    outcome = read("bones.txt", table(questions, FRONTS, ["2", "0", "2", "1", "0", "0"], ["yes", "no"] * 3))
    assert (sides(outcome), kinds(outcome)) == ([*zip(questions, FRONTS, strict=True)], ["guessed_sides"])
    assert [offer.cells["columns"] for offer in outcome.findings[0].offers] == ["1,2"]


def test_sentences_that_show_how_a_name_is_used_and_the_columns_of_papers_are_no_guess():
    uses = [f"She broke her {name} in the winter of last year" for name in FRONTS]
    titles = [f"On the {name} of birds" for name in FRONTS]
    for columns in (
        (FRONTS, NOUNS, uses),
        ([*FRONTS], ["author", *NOUNS[1:]], BACKS),
        (titles, NOUNS, ["doi", *uses[1:]]),
    ):
        outcome = read("bones.txt", table(*columns))
        assert (sides(outcome), kinds(outcome)) == ([], ["unknown_columns"])


@pytest.mark.parametrize("n_rows", [1, 2, 6])
def test_a_name_of_the_front_above_two_columns_is_a_header_and_a_finding_says_so(n_rows):
    rows = [f"bone {n},the bone with the number {n}" for n in range(n_rows)]
    outcome = read("bones.csv", "\n".join(["Term,Comment", *rows]).encode())
    assert [finding.kind for finding in outcome.findings] == ["guessed_header"]
    assert [front for front, _ in sides(outcome)] == [f"bone {n}" for n in range(n_rows)]


@pytest.mark.parametrize(
    "head", ["word,mot", "term,term of a contract", "word,the smallest unit that can stand alone in it"]
)
def test_a_first_card_about_a_name_of_the_front_is_no_header(head):
    outcome = read("words.csv", f"{head}\nterm,terme\ngame,jeu\nidea,idée\n".encode())
    assert len(sides(outcome)) == 4


def test_columns_that_no_reader_takes_are_named():
    """All that hold something: by name, or by number where nothing names them."""
    sources, gaps = ["Gray's Anatomy"] * 6, [""] * 6
    headed = table(FRONTS, BACKS, sources, gaps, NUMBERS, head="term\tdefinition\tSource\tEmpty\t\n")
    assert read("bones.tsv", headed).decks[0].unread == ("Source", "column 5")
    assert read("bones.tsv", table(FRONTS, BACKS)).decks[0].unread == ()
    chosen = read("bones.tsv", table(FRONTS, BACKS, sources), LayoutFlags(columns=(0, 1)))
    assert chosen.decks[0].unread == ("column 3",)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("from,to,sort,exact,case_kept", "bone {n},Knochen {n},organ,no,no"),
        ("Parts,Groups,Column Names,Text of Column,Points", ",,os {n},what the bone {n} is,"),
    ],
)
def test_a_row_above_columns_of_few_values_is_told_to_be_a_header(header, row):
    rows = [row.replace("{n}", f"{n}") for n in range(60)]
    outcome = read("a.csv", "\n".join([header, *rows]).encode())
    assert (kinds(outcome), len(sides(outcome))) == (["guessed_header"], 60)


def test_names_of_columns_above_a_single_row_are_no_card():
    outcome = read("a.csv", b"bone_name (Latin),bone_code,bone_text (short)\nUlna,U_1,lies in the arm\n")
    assert [finding.offers[0].cells for finding in outcome.findings] == [
        {"fields": "bone_name (Latin),bone_text (short)"}
    ]
