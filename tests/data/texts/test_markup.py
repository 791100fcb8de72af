"""HTML of a field to the text that a person sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.texts.markup import looks_like_html, plain_text


@pytest.mark.parametrize(
    ("html", "text", "media"),
    [
        ("plain  text\u00a0here", "plain text here", ()),
        ("one<br>two<br/><br>three", "one\ntwo\nthree", ()),
        ("<div>one</div><div><b>tw</b>o</div>three", "one\ntwo\nthree", ()),
        ("<ul>\n<li>a</li>\n<li>b\nc</li>\n</ul>", "a\nb c", ()),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b", ()),
        ("a &lt; b &amp;&amp; c &eacute;&#8594; &nbsp", "a < b && c é→", ()),
        ("\\(x &lt; y\\) and [$]x_1[/$]", "\\(x < y\\) and [$]x_1[/$]", ()),
        ("<script>alert(1)</script>seen<style>p{}</style><!-- not -->", "seen", ()),
        ('<img src="a.png"> a [sound:b.mp3] c', "a c", ("audio", "image")),
        ("<video src=x></video>", "", ("video",)),
        ("a [anki:tts lang=en_US]spoken[/anki:tts] b", "a b", ()),
        ("[anki:play:q:0]heard", "heard", ("audio",)),
        ("</div>after", "after", ()),
        ("a\x02b<i>c</i>\x0bd", "abc d", ()),
        ("<?xml version='1.0' encoding='latin1'?>hé", "hé", ()),
        ("", "", ()),
    ],
)
def test_plain_text(html, text, media):
    assert plain_text(html) == (text, media)


@pytest.mark.parametrize(
    "text", ["a<br>b", "<p>a</p>", "a&nbsp;b", "x &lt; y", "&larr;", "[sound:a.mp3]", '<img class="x" src="y">']
)
def test_markup_is_noticed(text):
    assert looks_like_html(text)


@pytest.mark.parametrize(
    "text", ["List<String>", "the <b> tag", "a < b > c", "R&D; x & y", "f(&x1);", "[1]", "</server>"]
)
def test_text_about_code_is_no_markup(text):
    assert not looks_like_html(text)


@given(st.text())
def test_any_text_gives_lines_without_blank_ends(html):
    text, _ = plain_text(html)
    assert all(line and line == line.strip(" ") for line in text.split("\n") if text)
