"""Decks as lists of records, in YAML and JSON."""

import json

import pytest
import yaml

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from crawler.formats.texts.records import find_records
from tests.crawler.tools.decks import NOTES, kinds, sides


def test_yaml_notes_are_read_as_they_are_written():
    outcome = read("cs/a.yaml", NOTES.encode())
    assert sides(outcome) == [
        ("stack", "last in,\n\nfirst out"),
        ("on", "0x10"),
        ("trie", "a tree of letters"),
        ("nested", "a\nb"),
    ]
    assert outcome.skipped == (
        ("record 4", "cloze"),
        ("record 5", "no_sides"),
        ("record 7", "empty_front"),
    )
    assert (outcome.decks[0].set_id, outcome.decks[0].title) == ("cs/a.yaml", "All::CS")
    assert [card.position for card in outcome.decks[0].cards] == [0, 1, 2, 3]


def test_a_list_of_records_is_a_deck_in_yaml_and_in_json():
    records = [{"term": "stack", "definition": "a pile"}, {"term": "queue", "definition": "a row"}]
    written = "# mine\n- term: stack\n  definition: a pile\n- term: queue\n  definition: a row\n"
    expected = [("stack", "a pile"), ("queue", "a row")]
    for content in (written, json.dumps(records), json.dumps({"cards": records, "title": "T"})):
        assert sides(read("a", content.encode())) == expected


@pytest.mark.parametrize(
    "text",
    [
        "notes:\n- {front: a, back: b\n",
        "notes:\n- &a {front: a, back: *a}\n",
        "a: &a [x, y]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nnotes:\n- {front: a, back: [*c, *c, *c]}\n",
        "notes:\n" + "[" * 5000,
        "notes:\n- {front: a, back: " + "[" * 5000 + "]" * 5000 + "}\n",
        "notes:\n- {front: a, back: " + "[" * 100_000 + "]" * 100_000 + "}\n",
        "notes:\n" + "".join(" " * n + "a:\n" for n in range(1, 1200)),
    ],
)
def test_torn_yaml_and_yaml_that_expands_are_refused(text):
    outcome = read("a.yaml", text.encode())
    assert (outcome.decks, kinds(outcome)) == ((), ["corrupt_deck"])


def test_a_text_with_two_names_by_an_alias_has_two_cards_and_null_is_no_text():
    text = "entries:\n  osmosis:\n    definition: movement of water through a membrane\n"
    text += "  flagella: &a\n    definition: whips that drive a cell\n  cilia: *a\n  ribosome:\n    definition: null\n"
    outcome = read("cells.yml", text.encode())
    assert sides(outcome)[1:] == [("flagella", "whips that drive a cell"), ("cilia", "whips that drive a cell")]
    assert outcome.skipped == (("record 4", "no_text"),)


SETS = [
    {"id": 71, "title": "Cells", "description": "of plants", "lang_terms": "en", "lang_definitions": "de", "terms": [
        {"id": 1, "term": "cell wall", "definition": "die Hülle der Zelle", "image": None, "rank": 0},
        {"id": 2, "term": "vacuole", "definition": "ein Hohlraum", "image": {"url": "x", "width": 1}, "rank": 1},
    ]},
    {"id": 72, "title": "Bones", "description": "x", "terms": [
        {"term": "femur", "definition": "the bone of the thigh"},
    ]},
]  # fmt: skip


@pytest.mark.parametrize("tree", [SETS, {"sets": SETS}, {"class": {"name": "Biology", "sets": SETS}}])
def test_sets_with_terms_of_their_own_are_decks(tree):
    outcome = read("sets.json", json.dumps(tree).encode())
    assert [(deck.set_id, deck.title) for deck in outcome.decks] == [
        ("sets.json!71", "Cells"),
        ("sets.json!72", "Bones"),
    ]
    assert sides(outcome) == [
        ("cell wall", "die Hülle der Zelle"),
        ("vacuole", "ein Hohlraum"),
        ("femur", "the bone of the thigh"),
    ]
    assert [(card.media, card.language) for deck in outcome.decks for card in deck.cards] == [
        ((), "de"),
        (("image",), "de"),
        ((), None),
    ]


BONES = [("femur", "the bone of the thigh"), ("tibia", "the bone of the shin"), ("ulna", "a bone of the forearm")]
RECORDS = [{"word": term, "meaning": text} for term, text in BONES]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, RECORDS)),
        json.dumps(BONES),
        json.dumps({"title": "Bones", "terms": [[*pair, None] for pair in BONES]}),
        json.dumps(dict(BONES)),
        json.dumps({term: {"pos": "n", "definition": text} for term, text in BONES}),
        json.dumps({"version": 2, "chapters": {"Legs": RECORDS[:2], "Arms": RECORDS[2:]}}),
        json.dumps({"version": 2, "data": {"name": "all", "list": RECORDS}}),
    ],
)
def test_shapes_of_json_that_hold_the_same_cards(text):
    outcome = read("bones.json", text.encode())
    assert sides(outcome) == BONES
    assert (outcome.findings, outcome.skipped) == ((), ())


def test_lists_under_a_key_of_a_mapping_are_decks_named_by_it():
    outcome = read("bones.json", json.dumps({"Legs": RECORDS[:2], "Arms": [*RECORDS[2:], {"word": "rib"}]}).encode())
    assert [deck.title for deck in outcome.decks] == ["Legs", "Arms"]
    assert outcome.skipped == (("2 record 2", "no_sides"),)


@pytest.mark.parametrize(
    "tree",
    [
        {"scripts": [{"name": "build", "description": "to build it"}, {"name": "test", "description": "to test it"}]},
        {"name": "a package with a name", "version": "1.0", "licence": "MIT", "author": "its author"},
        {"matrix": [["a", "b"], ["c", "d"]]},
    ],
)
def test_settings_in_json_are_no_decks(tree):
    assert kinds(read("package.json", json.dumps(tree).encode())) == ["unknown_format"]


def test_sets_of_the_older_interface_that_strangers_saved(shared_data):
    folder = shared_data / "biomedicine/quizletlike"
    found = {}
    for name in ("quizlet_api2_sample.json", "quizlet_api2_classsets.txt"):
        outcome = read(name, (folder / name).read_bytes())
        found[name] = (len(outcome.decks), len(sides(outcome)), outcome.skipped)
    assert found == {"quizlet_api2_sample.json": (38, 703, ()), "quizlet_api2_classsets.txt": (80, 2548, ())}


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '[{"x": 1, "y": 2}]', "terms:\n  a: b\n", "notes:\n- 1\n- 2\n"])
def test_trees_without_a_deck_are_unknown(text):
    assert kinds(read("a", text.encode())) == ["unknown_format"]


def test_a_table_with_a_line_like_yaml_is_a_table():
    text = "stack\ta pile\nnotes:\nqueue\ta row\nheap\ta tree\n"
    outcome = read("a.txt", text.encode())
    assert sides(outcome) == [("stack", "a pile"), ("queue", "a row"), ("heap", "a tree")]
    assert outcome.skipped == (("row 2", "no_separator"),)


def test_no_tag_of_yaml_is_obeyed():
    text = "notes:\n- {front: a, back: !!python/object/apply:os.system ['exit 1']}\n- {front: b, back: !x c}\n"
    outcome = read("a.yaml", text.encode())
    assert (sides(outcome), outcome.skipped) == ([("a", "exit 1"), ("b", "c")], ())


def test_a_mapping_s_keys_are_read_once_for_all_of_its_values():
    class Keys(dict):
        n_read = 0

        def __iter__(self):
            Keys.n_read += 1
            return super().__iter__()

    assert find_records(Keys({f"k{n}": n for n in range(1000)})) == []
    assert Keys.n_read < 20


@pytest.mark.parametrize(
    "tree",
    [
        {"id": 2, "cards": RECORDS[:1], "notes": RECORDS[1:]},
        [{"cards": RECORDS[:1]}, {"id": 1, "cards": RECORDS[1:]}],
    ],
)
def test_decks_of_one_file_have_different_ids(tree):
    outcome = read("bones.json", json.dumps(tree).encode())
    assert [deck.set_id for deck in outcome.decks] == ["bones.json!1", "bones.json!2"]


@pytest.mark.parametrize("mark", ["\u2028", "\x85"])
def test_line_ends_of_other_scripts_are_within_json_lines(mark):
    lines = [json.dumps({"front": f"stack {n}", "back": f"a{mark}pile"}, ensure_ascii=False) for n in range(2)]
    outcome = read("a.jsonl", "\n".join(lines).encode())
    assert [front for front, _ in sides(outcome)] == ["stack 0", "stack 1"]


def test_what_a_file_says_of_itself_beside_its_records_is_no_card():
    about = {"title": "The bones of the body", "audience": "Pupils of eleven years", "scope": "The words of one lesson"}
    tree = {"metadata": about | {"n": 4}, "terms": RECORDS}
    assert sides(read("bones.json", json.dumps(tree).encode())) == BONES


def test_texts_in_blocks_below_their_terms_are_yaml():
    marks = {"femur": "|", "tibia": ">", "ulna": "|-", "skull": ">", "rib": "|"}
    text = "".join(f"{term}: {mark}\n  the bone {term}\n  of the body\n\n" for term, mark in marks.items())
    found = sides(read("glossary.yml", text.encode()))
    assert [(front, back.split()) for front, back in found] == [
        (term, f"the bone {term} of the body".split()) for term in marks
    ]


def test_a_file_of_yaml_may_hold_one_term():
    text = (
        "# One bone\nid: femur\nterm: Femur\nalt_labels:\n- thigh bone\nstatus: stable\nkind: bone\n"
        "definition: >-\n  The bone of the thigh, which is the longest\n  bone\n  of\n  the\n  body.\nissue: null\n"
    )
    outcome = read("femur.yaml", text.encode())
    assert sides(outcome) == [("Femur", "The bone of the thigh, which is the longest bone of the body.")]


def test_terms_that_still_lack_a_definition_leave_the_others_alone():
    more = [{"term": f"bone {n}", "de": f"Knochen {n}"} for n in range(20)]
    told = [{"term": front, "definition": back, "de": front} for front, back in BONES]
    outcome = read("bones.json", json.dumps({"glossary": [*more, *told]}).encode())
    assert (sides(outcome), len(outcome.skipped)) == (BONES, len(more))


def test_a_list_of_choices_is_named_with_the_text_that_is_right():
    rows = [{"question": f"What is {n}?", "answers": ["a", "b"], "correct_answer": f"the part {n}"} for n in range(9)]
    outcome = read("quiz.json", json.dumps(rows).encode())
    assert [finding.kind for finding in outcome.findings] == ["nested_sides"]
    assert '"question,correct_answer"' in outcome.findings[0].show_offers()


def test_the_choice_that_another_field_gives_is_the_back():
    rows = [{"question": f"What is {n}?", "answers": [f"a {n}", f"b {n}"], "right_one": f"b {n}"} for n in range(9)]
    outcome = read("quiz.json", json.dumps(rows).encode())
    assert (sides(outcome)[8], outcome.findings) == (("What is 8?", "b 8"), ())


def test_a_letter_that_names_a_choice_is_read_as_its_text():
    rows = [{"question": f"What is {n}?", "a": f"part {n}", "b": f"leg {n}", "answer": "AB"[n % 2]} for n in range(4)]
    outcome = read("quiz.json", json.dumps(rows).encode())
    assert [back for _, back in sides(outcome)] == ["part 0", "leg 1", "part 2", "leg 3"]


def test_a_term_that_a_mapping_explains_twice_has_two_cards():
    pairs = [
        *((f"bone {n}", f"the part {n} of a leg that is hard") for n in range(12)),
        ("bone 3", "what is above a foot"),
    ]
    text = "".join(f"{term}: {text}\n" for term, text in pairs)
    assert sorted(sides(read("bones.yml", text.encode()))) == sorted(pairs)


def test_a_key_that_is_given_twice_loses_no_text():
    records = '[{"term": "stack", "definition": "a pile", "definition": "last in"}, {"term": "on", "definition": "x"}]'
    assert sides(read("a.json", records.encode())) == [("stack", "a pile\nlast in"), ("on", "x")]
    terms = {f"bone {n}": f"the part {n} of a leg that is hard" for n in range(12)}
    cards = sorted([*terms.items(), ("bone 3", "what is above a foot")])
    text = json.dumps(terms)[:-1] + ', "bone 3": "what is above a foot"}'
    assert sorted(sides(read("a.json", text.encode()))) == cards
    objects = {term: {"definition": text} for term, text in terms.items()}
    text = json.dumps(objects)[:-1] + ', "bone 3": {"definition": "what is above a foot"}}'
    assert sorted(sides(read("a.json", text.encode()))) == cards
    decks = '{"cards": [{"front": "stack", "back": "a pile"}], "cards": [{"front": "queue", "back": "a row"}]}'
    assert sides(read("a.json", decks.encode())) == [("stack", "a pile"), ("queue", "a row")]


ROWS = [[f"0{n}", name, text, f"bone {name}"] for n, (name, text) in enumerate(BONES, 1)]


@pytest.mark.parametrize("deck", [ROWS, {"cards": ROWS}, {"title": "Bones", "notes": ROWS}])
@pytest.mark.parametrize("as_yaml", [False, True])
def test_rows_of_several_texts_are_asked_about_as_a_table_is(deck, as_yaml):
    content = (yaml.safe_dump(deck) if as_yaml else json.dumps(deck)).encode()
    outcome = read("bones.yml", content)
    (finding,) = outcome.findings
    assert (finding.kind, outcome.decks) == ("unknown_columns", ())
    assert '`bones.yml,,,,,,,,,"2,3"`' in finding.show_offers()
    told = read("bones.yml", content, LayoutFlags(columns=(1, 2)))
    assert sides(told) == BONES
    assert told.decks[0].title == ("Bones" if "title" in deck else "bones")


def test_rows_of_several_texts_are_read_by_a_header_further_down():
    rows = [["Bones of the leg", "", ""], ["No.", "Term", "Definition"], *(row[:3] for row in ROWS)]
    outcome = read("bones.json", json.dumps(rows).encode())
    assert sides(outcome) == BONES
    assert outcome.skipped == (("row 1", "above_the_header"),)


def test_the_only_names_and_the_only_long_texts_of_rows_are_said_to_be_guessed():
    bones = [(f"{side} {name}", f"{text} on the {side} side") for side in ("left", "right") for name, text in BONES]
    rows = [[n, name, text, f"leg {n}", None] for n, (name, text) in enumerate(bones)]
    outcome = read("bones.json", json.dumps(rows).encode())
    assert (sides(outcome), kinds(outcome)) == (bones, ["guessed_sides"])


def test_numbers_amid_rows_are_cells():
    assert sides(read("years.json", b'[["a", 1912, "noun"], ["b", 1913, "noun"]]', LayoutFlags(columns=(0, 1)))) == [
        ("a", "1912"),
        ("b", "1913"),
    ]


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
    assert '"en.term,en.def"' in read("a.json", content).findings[0].show_offers()
    read_so = read("a.json", content, LayoutFlags(fields=(("en.term", "en.def"),)))
    assert sides(read_so)[0] == ("en 0", "text en 0 of some length")


def test_the_front_matter_of_an_empty_page_is_yaml():
    terms = "".join(f"  - term: bone {n}\n    definition: the part {n} of a leg\n" for n in range(3))
    outcome = read("bones.md", f"---\nsection: Legs\nname: >\n  Bones\nterms:\n{terms}---\n".encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a leg") for n in range(3)]


def test_the_row_for_records_under_keys_of_their_own_is_offered():
    records = {f"Bone{n}": {"name": f"bone {n}", "description": f"the part {n} of a leg"} for n in range(4)}
    assert '"name,description"' in read("bones.json", json.dumps(records).encode()).findings[0].show_offers()


def test_lists_beside_a_deck_may_have_faint_names():
    terms = [{"term": f"bone {n}", "definition": f"the part {n} of a leg"} for n in range(3)]
    others = [{"acronym": f"B{n}", "expansion": f"bone number {n}"} for n in range(3)]
    authors = [{"author": f"A. {n}", "place": "Bonn"} for n in range(3)]
    outcome = read("bones.json", json.dumps({"terms": terms, "short": others, "by": authors}).encode())
    assert sides(outcome) == [
        *((f"bone {n}", f"the part {n} of a leg") for n in range(3)),
        *((f"B{n}", f"bone number {n}") for n in range(3)),
    ]


def test_json_that_breaks_off_is_refused_with_the_place():
    torn = json.dumps(RECORDS, indent=1)[:-20]
    (finding,) = read("bones.json", torn.encode()).findings
    assert (finding.kind, "line " in finding.detail) == ("corrupt_deck", True)


def test_a_definition_that_only_names_another_entry_is_no_card():
    rows = [{"term": f"bone {n}", "definition": f"part {n} of a leg"} for n in range(3)]
    outcome = read("a.json", json.dumps([*rows, {"term": "os", "definition": "See bone 1."}]).encode())
    assert (len(sides(outcome)), outcome.skipped) == (3, (("record 4", "cross_reference"),))


def test_a_definition_that_is_still_to_be_written_is_no_card():
    rows = [
        *({"term": f"bone {n}", "definition": f"part {n} of a leg"} for n in range(3)),
        {"term": "os", "definition": "FIXME\n"},
    ]
    outcome = read("a.json", json.dumps(rows).encode())
    assert (len(sides(outcome)), outcome.skipped) == (3, (("record 4", "no_text"),))


def test_lists_under_letters_are_one_deck():
    tree = {letter: [{"id": letter, "en": f"bone {letter}", "ko": f"뼈 {letter}"}] for letter in "ABC"}
    assert sides(read("a.json", json.dumps(tree).encode())) == [(f"bone {letter}", f"뼈 {letter}") for letter in "ABC"]


def test_a_list_of_mappings_with_a_term_each_is_a_mapping():
    assert sides(read("bones.yml", yaml.safe_dump([{name: text} for name, text in BONES]).encode())) == BONES


@pytest.mark.parametrize("names", [("word", "eng", "kor"), ("term", "de", "en"), ("question", "kor", "english")])
def test_of_a_term_in_two_languages_the_english_text_is_read_and_the_other_named(names):
    own = next(name for name in names if name.startswith("en"))
    rows = [{name: term if name == names[0] else f"{text} {name}" for name in names} for term, text in BONES]
    outcome = read("bones.json", json.dumps(rows).encode())
    assert (sides(outcome), outcome.findings) == ([(term, f"{text} {own}") for term, text in BONES], ())
    assert set(outcome.decks[0].unread) == {*names[1:]} - {own}


def test_codes_below_one_key_of_a_glossary_are_read_with_what_they_mean():
    codes = {
        f"K{letter}": f"kind {letter.lower()} of rock" if letter < "C" else f"Rock{letter}" for letter in "ABCDEFGHIJ"
    }
    for tree in (codes, {"kinds": codes}, {"maps": {"kinds": codes}}):
        assert sides(read("glossary.yaml", yaml.safe_dump(tree).encode())) == [*codes.items()]
        assert sides(read("settings.yaml", yaml.safe_dump(tree).encode())) == []
    names = {f"rock_{letter}": f"Rock {letter}" for letter in "ABCDEFGHIJ"}
    assert sides(read("glossary.yaml", yaml.safe_dump(names).encode())) == []


def test_an_entry_whose_text_is_under_the_name_of_a_term_is_what_its_key_is_short_for():
    tree = {
        "core": {"type": "term", "description": "the inner part of a planet, below its mantle"},
        "mantle": {"type": "term", "description": "the layer of a planet between its crust and its core"},
        "crust": {"type": "term", "description": "the thin outer layer of a planet that is made of rock"},
        **{f"zone {letter}": {"type": "term", "description": f"the part below layer {letter}"} for letter in "abcde"},
        "LVZ": {"type": "acronym", "term": "low-velocity zone"},
        "PP": {"type": "acronym", "term": ["plate boundary", "primary pulse"]},
    }
    for text in (json.dumps(tree), yaml.safe_dump({"entries": tree}, sort_keys=False)):
        told = sides(read("a.yaml", text.encode()))
        assert told[8:] == [("LVZ", "low-velocity zone"), ("PP", "plate boundary"), ("PP", "primary pulse")]


def test_a_record_whose_name_comes_again_hides_no_other_one():
    names = ("Hardware Language", "Register Transfer", "Look-Up Table", "Hardware Language")
    records = [f"{text.split()[0].lower()}:\n  short: {text[0]}\n  long: {text}\n" for text in names]
    outcome = read("glossary.yml", "".join(records).encode())
    assert sorted(back for _, back in sides(outcome)) == sorted(names)
