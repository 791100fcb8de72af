"""Marks of Markdown, Sphinx and wikis in texts of any deck."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.texts.marks import without_marks


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("the _portfolio_ of a firm\\'s owner", "the portfolio of a firm's owner"),
        ("**bold *and* slanted**, ***both***", "bold and slanted, both"),
        ("a [link](https://a.example/b_(c)) and [another][1]", "a link and another"),
        ("see <https://a.example> `code_here`", "see https://a.example code_here"),
        (":term:`gene <Gene>` and {term}`cell`", "gene and cell"),
        ("`Name <https://a.example>`__ does it", "Name does it"),
        ("an [[Allele]] of [[Gene#parts|a gene]]", "an Allele of a gene"),
        ("a fact[^1] ==shown== ~~not~~ here ^a1b2c3", "a fact shown not here"),
        ("5 \\* 3 \\> 2 \\# one", "5 * 3 > 2 # one"),
        (
            "snake_case_name, __init__, 2*3*4, a * b * c, **kwargs",
            "snake_case_name, __init__, 2*3*4, a * b * c, **kwargs",
        ),
        ("$a_1 * b_1 * c_2$ and \\(x_i\\) of _it_", "$a_1 * b_1 * c_2$ and \\(x_i\\) of it"),
        ("caf\\'e and C#, R\\&D", "caf\\'e and C#, R&D"),
        ("**Ada**ptive", "Adaptive"),
        ("an \\emph{old \\textbf{rock}} and $\\mathrm{x}$", "an old rock and $\\mathrm{x}$"),
        ("the #emph[old] geo#underline[R]ock, a C# [x], #strong[_new_] ones", "the old geoRock, a C# [x], new ones"),
        ("see :ref:`old-rocks-label` and :ref:`rocks`", "see old rocks and rocks"),
        ("``one'' and ``two'' of \\textit{three}", "``one'' and ``two'' of three"),
        ("anchor:a-b[]the *cell*", "the cell"),
        ("~<<~ and ~>>~ write", "~<<~ and ~>>~ write"),
        ("second <<verse>> of <<psalm-1, a psalm>>, 1 << 2 >> 3", "second verse of a psalm, 1 << 2 >> 3"),
        (
            "https://example.org/a_b[the _cell_] or link:a.html[it], xx https://a.b[1]",
            "the cell or it, xx https://a.b[1]",
        ),
    ],
)
def test_what_a_person_reads(text, read):
    assert without_marks(text) == (read, False)


@pytest.mark.parametrize("picture", ["![a cell](cell.png)", "![[cell.png]]"])
def test_a_picture_is_named(picture):
    text, has_picture = without_marks(f"{picture} a cell")
    assert (text.strip(), has_picture) == ("a cell", True)


@given(st.text())
def test_nothing_is_added(text):
    read, _ = without_marks(text)
    rest = iter(text)
    assert all(character in rest for character in read)
