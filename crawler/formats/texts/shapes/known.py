"""The shapes that are known, in the order in which equal ones win: each is a function that finds entries on a page.

A function yields candidates, since a shape may be read in several ways (every line, or every paragraph; one kind of
mark or another); `texts.entries` scores them.
"""

from crawler.formats.texts.shapes.entry import Shape
from crawler.formats.texts.shapes.headings import find_headed, find_named_headings
from crawler.formats.texts.shapes.lines import (
    find_asked,
    find_between,
    find_colons,
    find_indented,
    find_labelled,
    find_turns,
)
from crawler.formats.texts.shapes.lists import find_nested, find_tagged
from crawler.formats.texts.shapes.marks import find_led, find_marked
from crawler.formats.texts.shapes.tables import find_plain_tables, find_tables

SHAPES = (
    Shape(name="sections", find=find_named_headings, read_as="headings that name the sides", is_sure=True, weight=2.0),
    Shape(name="labels", find=find_labelled, read_as="sides with their names before them", is_sure=True, weight=2.0),
    Shape(
        name="obsidian",
        find=find_between,
        read_as="a note with front::back or ? between the sides",
        is_sure=True,
        weight=2.0,
    ),
    Shape(
        name="tagged",
        find=find_tagged,
        read_as="items with a tag for cards, and what is below them",
        is_sure=True,
        weight=2.0,
    ),
    Shape(
        name="tables", find=find_tables, read_as="a table with a header that names the sides", is_sure=True, weight=2.0
    ),
    Shape(
        name="colons",
        find=find_colons,
        read_as="a list of terms and definitions",
        is_sure=True,
        may_translate=True,
        weight=2.0,
    ),
    Shape(
        name="headings", find=find_headed, read_as="headings with the first paragraph below each", share=0.5, weight=1.2
    ),
    Shape(name="bold", find=find_led, read_as="names in bold with their texts", share=0.1, weight=1.3),
    Shape(name="columns", find=find_plain_tables, read_as="a table of terms", share=0.4, may_translate=True),
    Shape(
        name="marks",
        find=find_marked,
        read_as="names and texts with a mark between them",
        share=0.4,
        may_translate=True,
        splits=True,
    ),
    Shape(
        name="lists", find=find_nested, read_as="items with the list below each", share=0.6, is_loose=True, weight=0.5
    ),
    Shape(name="indented", find=find_indented, read_as="an indented text below each term", is_sure=True, weight=2.0),
    Shape(name="questions", find=find_asked, read_as="questions with the paragraph below each", share=0.5),
    Shape(
        name="turns",
        find=find_turns,
        read_as="a line with the term, then its text",
        share=0.5,
        is_loose=True,
        weight=0.5,
    ),
)
