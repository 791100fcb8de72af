"""The names of the two sides."""

import pytest

from crawler.formats.sides.headers import (
    ASIDES,
    BACK_NAMES,
    FAINT_BACK_NAMES,
    FAINT_FRONT_NAMES,
    FRONT_NAMES,
    KEYS,
    TRANSLATION_NAMES,
    find_fields,
    find_sides,
    read_name,
)


def test_no_name_means_two_things_and_each_is_written_as_it_is_looked_up():
    tables = (FRONT_NAMES, FAINT_FRONT_NAMES, KEYS, BACK_NAMES, FAINT_BACK_NAMES, TRANSLATION_NAMES, ASIDES)
    assert len(frozenset.union(*tables)) == sum(map(len, tables))
    assert all(read_name(name) == name for table in tables for name in table)


@pytest.mark.parametrize(
    ("row", "sides"),
    [
        (["id", "Term", "Definition"], (1, 2)),
        (["Title", "Question:", "Extra", "Answer"], (1, 3)),
        (["name", "description"], (0, 1)),
        (["Term", "English", "Description"], (0, 2)),
        (["termId", "prefLabel", "definition"], (1, 2)),
        (["acronym", "expansion"], (0, 1)),
        (["id", "display", "definition"], (1, 2)),
        (["Text 1", "Text 2", "Picture 1"], (0, 1)),
        (["Page", "Meaning/Definition", "Concept or term"], (2, 1)),
        (["Word", "Def."], (0, 1)),
        (["either/or", "and/or"], None),
        (["front_side", "BACK SIDE"], (0, 1)),
        (["Prednja strana", "Poleđina"], (0, 1)),
        (["id", "word_phrase", "definition"], (1, 2)),
        (["word", "wordCount", "meaning_uni"], (0, 2)),
        (["term_id", "termino", "area", "definicion_corta"], (1, 3)),
        (["English_word", "German_descr", "English_descr"], (0, 2)),
        (["id", "us", "us-def", "gb", "gb-def"], (1, 2)),
        (["word_de", "word_en", "definition_en", "definition_de"], (0, 3)),
        (["romaji", "kanji", "category", "definition"], (0, 3)),
        (["课程", "中文", "English", "解释"], (1, 3)),
        (["English", "Subfield", "Chinese"], (0, 2)),
        (["คำไทย", "English word"], (0, 1)),
        (["German", "Reading", "Translation"], (0, 2)),
        (["eng", "chi", "rec"], (0, 1)),
        (["English Term", "Spanish Term", "English Example"], (0, 1)),
        (["Latin word", "Latin Word"], None),
        (["question", "answer_a", "answer_b", "correct_answer"], None),
        (["word", "student_answer"], None),
        (["front-end", "back-end"], None),
        (["AR", "DE", "LA"], None),
        (["key", "short", "long", "description"], (1, 3)),
        (["short", "long", "group"], (0, 1)),
        (["n", "d"], (0, 1)),
        (["n", "d", "m"], None),
        (["name", "lat", "long"], None),
        (["name", "short_description", "longDescription"], (0, 1)),
        (["portuguese", "pronunciation_ru", "russian", "examples"], (0, 2)),
        (["TERMS (sort)", "Preferred term", "Definition"], (1, 2)),
        (["stack", "a pile"], None),
        (["Question", "topic"], None),
        (["medical term", "a long definition"], None),
    ],
)
def test_a_row_is_a_header_where_it_names_both_sides(row, sides):
    assert find_sides(row) == sides


@pytest.mark.parametrize(
    ("fields", "sides"),
    [
        (["Medical term", "Full definition"], (0, 1)),
        (["Question 1", "Image", "Answer 1"], (0, 2)),
        (["Front (Latin)", "Back (English)"], (0, 1)),
        (["Question", "Wrong answer", "Correct answer"], (0, 2)),
        (["Question Mask", "Answer Mask"], (None, None)),
        (["Word", "In Bosnian"], (0, None)),
        (["Name", "Capital"], (None, None)),
        (["Name", "Meaning"], (0, 1)),
    ],
)
def test_a_field_is_known_by_its_name_or_by_the_last_word_of_it(fields, sides):
    assert find_fields(fields) == sides
