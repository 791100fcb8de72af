"""Titles and abstracts are text, whatever their source."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.files.papers.texts import free, plain


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("On <i>hash</i> tables", "On hash tables"),
        ('CO<sub>2</sub> and <span style="color: red">O<sub>2</sub></span>', "CO2 and O2"),
        ('<mml:math xmlns:mml="http://x"><mml:mi mathvariant="normal">x</mml:mi><mml:mo>=</mml:mo></mml:math>2', "x=2"),
        ("<jats:title>Abstract</jats:title><jats:p>A pile.</jats:p><jats:p>A row.</jats:p>", "A pile. A row."),
        ("<jats:sec><jats:title>Aims</jats:title><jats:p>A pile.</jats:p></jats:sec>", "Aims: A pile."),
        ("A pile<br/>and a row<!-- draft -->", "A pile and a row"),
        ("<![CDATA[A pile]]>", "A pile"),
        ("R&amp;D of caf&eacute;s &#8211; p &lt; 0.05", "R&D of cafés – p < 0.05"),
        ("&amp;lt;i&amp;gt;p&amp;lt;/i&amp;gt; &lt; 1", "p < 1"),
        (r"Needs \&\#38; age\&\#x2019;s \&Ldquo;caf\&eacute;\&Rdquo;", "Needs & age’s “café”"),
        ('a <inline-formula><tex-math notation="LaTeX">$F_0$</tex-math></inline-formula> model', "a $F_0$ model"),
        ("<tex-math>$x$</tex-math> <mml:math><mml:mi>x</mml:mi></mml:math>2", "x2"),
        ("<tex-math>x</tex-math><alternatives><mml:math><mml:mi>x</mml:mi></mml:math></alternatives>2", "x2"),
        ("<math><mi>x</mi></math><tex-math>$x$</tex-math>2", "x2"),
        ("if a<b and c>d then List<String> & AT&T", "if a<b and c>d then List<String> & AT&T"),
        (r"G{\"o}del, Poincar\'e, \v{C}ech, {\O}re, na\"{\i}ve", "Gödel, Poincaré, Čech, Øre, naïve"),
        (r"{\it On} \emph{{H}ash} tables~\cite{knuth} at 50\%", "On Hash tables at 50%"),
        (r"p {\textless} .05, {\textbeta} \textup{{RNA}}", "p < .05, β RNA"),
        (r"We run \toolname{} in $O(n^2)$ for $k \in {1}$", r"We run toolname in $O(n^2)$ for $k \in {1}$"),
        ("``Hash'' tables -- Query--Focused", '"Hash" tables -- Query–Focused'),
        ("Abstract: A pile.", "A pile."),
        ("Abstract interpretation of it", "Abstract interpretation of it"),
        ("", ""),
    ],
)
def test_tags_entities_and_latex_leave(text, left):
    assert plain(text) == left


@given(st.text(alphabet="ab<>&;{}\\$~-`'\" /=\n", max_size=60))
def test_any_text_becomes_one_line(text):
    assert plain(text) == " ".join(plain(text).split())


@given(st.text(alphabet="ab c.,:()?!é0", max_size=60))
def test_plain_text_stays(text):
    assert plain(text) == " ".join(text.split())


def abstracts(*texts):
    columns = {name: pa.array(texts, pa.string()) for name in ("id", "title", "abstract", "year", "venue")}
    return free(pa.RecordBatch.from_pydict(columns))[0]["abstract"].to_pylist()


@pytest.mark.parametrize(
    "text",
    [
        "[No abstract available]", "No abstract available.", "NA", "N/A", "n/a", "Abstract not available", "None", "-",
        "[Abstract not available due to copyright]", "An abstract is not available for this article.", "  ", "null",
        "No Abstract", "There is no abstract available", "This article has no abstract", "Not available", "[ABSTRACT]",
    ],
)  # fmt: skip
def test_what_says_that_there_is_none_is_none(text):
    assert abstracts(text) == [None]


@pytest.mark.parametrize(
    "text",
    ["Nothing is known.", "No abstract is a summary of its paper.", "None of the above.", "Abstract data."],
)
def test_what_says_something_stays(text):
    assert abstracts(text) == [text]
