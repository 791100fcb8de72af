"""Pages of no known site, parts of pages, and Mnemosyne's XML."""

import pytest

from crawler.formats.layout_flags import LayoutFlags
from crawler.formats.reading import read
from tests.crawler.tools.decks import kinds, sides

CELLS = [
    ("mitosis", "division of a nucleus into two that are alike"),
    ("osmosis", "movement of water through a membrane"),
    ("vacuole", "a space in a cell, filled with sap"),
    ("RNA", "a nucleic acid with a single strand"),
]
XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def each(form):
    return "".join(form.format(*cell) for cell in CELLS)


DL = each("<dt>{}</dt><dd>{}</dd>")
TABLE = f"<table>{each('<tr><td>{}</td><td>{}</td></tr>')}</table>"


@pytest.mark.parametrize(
    "page",
    [
        f"<!DOCTYPE html><html><h1>Cells</h1><p>Words.<dl>{each('<dt>{}</dt><dd>{}</dd>')}</dl></html>",
        f"<html><dl>{each('<div><dt><b>{}</b></dt> <dd><p>{}</p></dd></div>')}</dl>",
        f"<dl>{each('<dt>{}<dd>{}')}</dl>",
        f"<html>{each('<h2>A</h2><dl><dt>{}</dt><dd>{}</dd></dl>')}",
        f"<html><table><tr><th>Term<th>Definition</tr>{each('<tr><td>{}<td>{}')}</table>",
        f"<html><table><tr><th>No<th>Meaning<th>Word</tr>{each('<tr><td>1<td>{1}<td>{0}')}</table>",
        f"<!-- a page --><html><table><tr><td>x<td><table>{each('<tr><th>{}<td>{}')}</table></table>",
        f"<table>\n<tr><th>Item<th>What it is\n{each('<tr><td>{}<td>{}')}</table>",
        f"<html><body>{each('<details><summary>{}</summary>{}</details>')}",
        each("<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n"),
        f"<html><h1>Cells</h1>{each('<h3>{}</h3><p>{}</p>')}",
        f"<html><h1>Cells</h1>{each('<p><strong>{}</strong>: {}</p>')}",
        f"<html><h1>Cells</h1><ul>{each('<li><b>{}</b> – {}</li>')}</ul>",
        f"<html><h1>Cells</h1>{each('<div><strong>{}</strong>{}</div>')}",
        f"<html><h1>Cells</h1>{each('<h3>{} <span class=a-tag>Part 1</span></h3><p>{}</p>')}",
        "<html>" + "".join(f"<h3><span class=letter>{a[0]}</span> {a}</h3><p>{b}</p>" for a, b in CELLS),
        f"{XML}<mnemosyne core_version='1'>{each('<item><cat>c</cat><Q>{}</Q><A>{}</A></item>')}</mnemosyne>",
        f"{XML}<openSM2sync><log type='10'/>{each('<log><b>{1}</b><f>{0}</f></log>')}</openSM2sync>",
    ],
)  # fmt: skip
def test_terms_and_texts_of_a_page(page):
    outcome = read("cells.html", page.encode())
    assert [(front, " ".join(back.split())) for front, back in sides(outcome)] == CELLS
    assert (outcome.findings, outcome.skipped) == ((), ())
    assert outcome.decks[0].read_as


def test_a_page_may_hold_what_xml_may_not():
    assert sides(read("cells.html", DL.replace(" a ", "\x0ba\x0c").encode())) == sides(read("cells.html", DL.encode()))


def test_signs_of_html_in_a_term_stay_as_they_are_read():
    terms = ["R & D", "&lt;body&gt;", "&lt;td&gt;", "&lt;tr&gt;", "a|b", "&lt;!-- --&gt;"]
    page = "".join(f"<dt>{term}</dt><dd>what {n} is, told here</dd>" for n, term in enumerate(terms))
    found = [front for front, _ in sides(read("x", f"<html><dl>{DL}{page}</dl>".encode()))]
    assert found == [*(term for term, _ in CELLS), "R & D", "<body>", "<td>", "<tr>", "a|b", "<!-- -->"]


def test_a_page_that_lists_terms_in_two_ways_has_all_of_them():
    rows = "".join(
        f"<tr><td>{word}<td>{word} of a cell, as a book explains it" for word in ("lysis", "meiosis", "budding")
    )
    page = f"<html><dl>{each('<dt>{}</dt><dd>{}</dd>')}</dl><table><tr><th>Term<th>Meaning</tr>{rows}</table>"
    outcome = read("x", page.encode())
    assert [front for front, _ in sides(outcome)] == [*(term for term, _ in CELLS), "lysis", "meiosis", "budding"]
    assert outcome.decks[0].read_as == "a list of terms and definitions and a table with a header that names the sides"


@pytest.mark.parametrize(
    "page",
    [
        "<html>" + "".join(f"<details><summary>{part}</summary><dl>{DL}</dl></details>" for part in ("A", "B")),
        "<html><table>" + "".join(f"<tr><td>{part}<td><dl>{DL}</dl>" for part in ("A", "B")) + "</table>",
        f"<html><table><tr><td>Cells<td>{TABLE}<tr><td>Of plants<td>{TABLE}</table>",
        f"<html><dl><dt>Cells<dd><dl>{DL}</dl><dt>Of plants<dd><dl>{DL}</dl></dl>",
    ],
)
def test_what_holds_a_list_of_terms_is_no_term(page):
    assert sides(read("x", page.encode())) == CELLS * 2


def test_every_term_above_a_text_has_it_and_every_text_of_a_term_is_one():
    listing = "<dt>flagella<dt>flagellum<dd>a whip that drives a cell<dd>a whip of a sperm"
    found = sides(read("x", f"<html><dl>{listing}{each('<dt>{}<dd>{}')}</dl>".encode()))
    whips = ("a whip that drives a cell", "a whip of a sperm")
    assert found == [(term, text) for term in ("flagella", "flagellum") for text in whips] + CELLS


def test_of_many_terms_in_a_row_only_the_last_one_has_the_text():
    """The others' texts are still to be written."""
    listing = each("<dt>{}<dd>{}") + "<dt>part</dt><dt></dt><dd>of none</dd>" + "<dt>part</dt>" * 9
    found = sides(read("x", f"<html><dl>{listing}<dt>pore</dt><dd>a hole in a wall</dd></dl>".encode()))
    assert found == [*CELLS, ("pore", "a hole in a wall")]


def test_a_list_in_the_text_of_a_term_has_terms_of_its_own():
    inner = "<p><dl><dt>sieve</dt><dd>what keeps large parts back</dd></dl>"
    page = f"<html><dl>{DL}<dt>pore</dt><dd>a hole in a wall {inner}</dd></dl>"
    found = [*CELLS, ("pore", "a hole in a wall"), ("sieve", "what keeps large parts back")]
    assert sides(read("x", page.encode())) == found


@pytest.mark.parametrize(
    "page",
    [
        "<html><table><tr><td>Home<td>About<tr><td>News<td>Mail</table>",
        "<html><dl><dt>Author<dd>Anna<dt>Date<dd>2020</dl>",
        "<html><p>Some words that say nothing of cells.</p>",
        f"{XML}<mnemosyne core_version='1'></mnemosyne>",
        f"{XML}<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hostname'>]><mnemosyne><item><Q>&b;</Q></item></mnemosyne>",
    ],
)
def test_pages_without_terms_are_refused(page):
    outcome = read("x.html", page.encode())
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_format"])


def test_a_table_of_cards_with_markup_is_no_page():
    text = "".join(f"<b>{term}</b>\t<table><tr><td>{text}</table>\n" for term, text in CELLS)
    assert sides(read("x", text.encode())) == CELLS


def test_many_terms_above_many_texts_are_few_cards():
    listing = "<dl>" + "".join(f"<dt>{n} a</dt>" for n in range(999)) + "<dd>what it is</dd>" * 9 + "</dl>"
    assert len(sides(read("x", listing.encode()))) < 300


def test_a_link_to_the_term_itself_is_no_part_of_it():
    link = "<a class='headerlink' href='#x' title='Link to this term'>#</a>"
    listing = each(f"<dt>{{}}{link}</dt><dd>{{}}</dd>")
    assert sides(read("x", f"<html><dl>{listing}</dl>".encode())) == CELLS


def page_of(body):
    return f"<!DOCTYPE html><html><body>{body}</body></html>".encode()


def test_a_table_whose_header_is_unknown_is_refused():
    rows = [[f"bone {n}", f"Knochen {n}", f"os {n}"] for n in range(9)]
    marked = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
    for head in ("Kata English,Deutsch,Latin", "Kata,Wort,Nomen"):
        first = "".join(f"<th>{name}</th>" for name in head.split(","))
        content = page_of(f"<table><tr>{first}</tr>{''.join(marked)}</table>")
        outcome = read("a.html", content)
        assert kinds(outcome) == ["unknown_columns"]
        chosen = read("a.html", content, LayoutFlags(columns=(1, 2)))
        assert sides(chosen)[-1] == ("Knochen 8", "os 8")


def test_a_list_of_terms_that_is_a_small_part_of_its_page_is_a_finding():
    listed = "".join(f"<dt>Part {n}</dt><dd>what the page says of part {n}</dd>" for n in range(4))
    prose = "<p>This page goes on about something that has nothing to do with a list.</p>" * 40
    outcome = read("a.html", page_of(f"{prose}<dl>{listed}</dl>"))
    assert (outcome.decks, kinds(outcome)) == ((), ["unknown_shape"])
    assert "`a.html,,,,,,colons` reads a list of terms and definitions (4 cards: " in outcome.findings[0].show_offers()
    assert len(sides(read("a.html", page_of(f"{prose}<dl>{listed}</dl>"), LayoutFlags(shape="colons")))) == 4
    menu = "<nav>" + prose + "</nav>"
    assert len(sides(read("a.html", page_of(f"{menu}<dl>{listed}</dl>")))) == 4


def test_empty_lines_part_the_entries_of_a_page():
    entries = "<br>\n<br>\n".join(f"<b>bone {n}</b>: the part {n} of a leg, as it is drawn" for n in range(6))
    found = sides(read("glossary.html", page_of(f"<h1>Glossary</h1><br><br>{entries}")))
    assert found == [(f"bone {n}", f"the part {n} of a leg, as it is drawn") for n in range(6)]


def test_what_is_read_aloud_is_no_part_of_a_name():
    entries = "".join(f"<dt><ruby>火{n}<rt>ひ</rt></ruby></dt><dd>what a fire {n} is</dd>" for n in range(4))
    assert sides(read("a.html", page_of(f"<dl>{entries}</dl>")))[0] == ("火0", "what a fire 0 is")


@pytest.mark.parametrize(("name", "text"), [("CONCEPT", "DEFINITION"), ("glossterm", "glossdef")])
def test_records_of_xml_that_name_their_sides_are_cards(name, text):
    entries = "".join(
        f"<entry><{name}>bone {n}</{name}><{text}>&lt;p&gt;the part {n} of a &limb;&lt;/p&gt;</{text}></entry>"
        for n in range(3)
    )
    outcome = read("a.xml", f'<?xml version="1.0"?>\n<glossary><title>Bones</title>{entries}</glossary>'.encode())
    assert sides(outcome) == [(f"bone {n}", f"the part {n} of a limb") for n in range(3)]


def test_titled_items_and_definitions_of_pretext_are_cards_and_sections_are_none():
    items = "".join(
        f"<li><title>bone <m>{n}</m></title><p><term>n</term>, a part of leg {n}</p></li>" for n in range(3)
    )
    definition = "<definition><title>leg</title><statement><p>what one walks on</p></statement></definition>"
    text = f"{XML}<appendix><title>Bones</title><p>About <dl>{items}</dl></p>{definition}</appendix>"
    (deck,) = read("a.xml", text.encode()).decks
    expected = [*((f"bone {n}", f"n, a part of leg {n}") for n in range(3)), ("leg", "what one walks on")]
    assert [(card.front, card.back) for card in deck.cards] == expected


def test_sections_of_docbook_are_cards_where_the_file_is_called_a_glossary():
    sections = each("<section><title>{}</title><para>{}</para><screen>x</screen></section>")
    text = f"{XML}<chapter><title>Cells</title>{sections}</chapter>".encode()
    assert (sides(read("glossary.xml", text)), sides(read("a.xml", text))) == (CELLS, [])


@pytest.mark.parametrize("head", [XML, ""])
@pytest.mark.parametrize(
    ("entry", "name", "text"),
    [("concept", "prefLabel", "definition"), ("skos:Concept", "skos:prefLabel", "skos:definition")],
)
def test_concepts_of_skos_in_xml_are_cards_with_a_declaration_and_without(head, entry, name, text):
    entries = each(f"<{entry}><{name}>{{}}</{name}><{text}><div>{{}}</div></{text}></{entry}>")
    page = (
        f'{head}\n<concepts xmlns:skos="http://www.w3.org/2004/02/skos/core#"><title>Cells</title>{entries}</concepts>'
    )
    assert sides(read("a.xml", page.encode())) == CELLS


@pytest.mark.parametrize(
    ("name", "text"), [("term", "def"), ("card-front", "card-back"), ("x glossary-term", "meaning")]
)
def test_parts_of_a_page_that_are_called_like_sides_are_cards(name, text):
    entries = each(f'<div class="box"><b class="{name}">{{}}</b><i class="sound">-</i><p class="{text}">{{}}</p></div>')
    assert sides(read("a.html", page_of(f"<h2>Words</h2><p>About cells</p>{entries}"))) == CELLS


def test_data_of_elements_that_are_called_like_sides_are_cards():
    entries = each('<div class="card" onclick="flip(this)" data-term="{0}" data-definition="{1}">{0}</div>')
    assert sides(read("a.html", page_of(f"<h2>Words</h2><p>About cells</p>{entries}"))) == CELLS


def test_the_data_of_a_page_that_a_script_shows_are_cards():
    data = ",".join(f'{{q: "What is {term}?", a: "{text}"}}' for term, text in CELLS)
    script = f'<script src="x.js"></script><script>const id = {{a: "b"}}; const cards = [{data}];</script>'
    assert sides(read("a.html", page_of(f"<h1>Cards</h1><div></div>{script}"))) == [
        (f"What is {term}?", text) for term, text in CELLS
    ]


def test_xml_with_a_document_type_alone_is_no_page():
    entries = each("<GlossEntry><GlossTerm>{}</GlossTerm><GlossDef><para>{}</para></GlossDef></GlossEntry>")
    assert sides(read("a.xml", f"<!DOCTYPE glossary >\n<glossary>{entries}</glossary>".encode())) == CELLS


def test_records_of_xml_may_have_a_comment_behind_them():
    entries = each("<item><term>{}</term><definition>{}</definition></item>")
    assert sides(read("a.xml", f"<words>{entries}</words>\n<!-- <item> - more\n-->\n".encode())) == CELLS


def test_a_full_stop_behind_a_term_is_no_part_of_it():
    outcome = read("a.html", page_of(f"<dl>{each('<dt><b>{}.</b> </dt><dd>{}</dd>')}</dl>"))
    assert sides(outcome) == CELLS


def test_a_page_with_a_title_and_a_paragraph_is_no_glossary():
    prose = "<p>Here the words will be listed that one needs to name the bones of a leg.</p>"
    for text in (f"<h1>Keys to the bones</h1>{prose}", f"<h1>Bones</h1><h2>Glossary of bones</h2>{prose}"):
        assert sides(read("glossary.html", page_of(text))) == []


FRONT_MATTER = '---\nlayout: page\ntitle: "Glossary"\ndescription: "all words and what they mean here"\n---\n'


def test_what_a_generator_of_pages_has_above_a_page_is_no_card():
    rows = "{% for word in words %}\n<tr><td>{{ word.name }}</td></tr>\n{% endfor %}"
    page = f"{FRONT_MATTER}<div>\n<table>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
    assert read("glossary.md", page.encode()).decks == ()


def test_headings_of_a_page_amid_markdown_are_headings():
    names = ("alpha", "beta", "gamma", "delta")
    words = {f"Part {name}": f"what the page says of {name} at some length" for name in names}
    parts = "".join(f"<div>\n  <h3>{word}</h3>\n  <p>\n    {text}\n  </p>\n</div>\n" for word, text in words.items())
    assert sides(read("glossary.md", f"{FRONT_MATTER}{parts}".encode())) == list(words.items())


def test_lists_of_links_are_no_texts():
    links = "".join(f'<li><a href="{n}.html">Project {n}</a></li>\n' for n in range(4))
    parts = "".join(f"<h3>{name}</h3>\n<ul>\n{links}</ul>\n" for name in ("Tools", "Styles", "Pages", "Others"))
    assert read("glossary.html", page_of(f"<h1>Glossary</h1>{parts}")).decks == ()


def test_two_entries_do_not_make_a_page_a_glossary():
    parts = "".join(f"<h3>{name}</h3><p>The page describes {name} in a few words.</p>" for name in ("Tools", "Styles"))
    assert read("tools.html", page_of(f"<h1>Our work</h1>{parts}")).decks == ()


def test_attributes_of_xml_that_are_named_like_sides_are_cards():
    entries = "".join(
        f'<ITEM number="{at}" title="{term}" description="{text}"/>' for at, (term, text) in enumerate(CELLS)
    )
    assert sides(read("a.xml", f"{XML}<CATALOG>{entries}</CATALOG>".encode())) == CELLS
    settings = "".join(f'<property name="{term}" value="{text}"/>' for term, text in CELLS)
    assert sides(read("a.xml", f"{XML}<settings>{settings}</settings>".encode())) == []
