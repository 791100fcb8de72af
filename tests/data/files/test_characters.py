"""Decoding, and dropping the characters that no text has."""

import unicodedata

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.files.characters import CONTROLS, Text, decode, without_controls, without_utf_8_controls

LATIN = "Grünkohl – naïve €"


@pytest.mark.parametrize(
    ("content", "text", "n_dropped"),
    [
        (b"redox re\x02action\tloss", "redox reaction\tloss", 1),
        (LATIN.encode(), LATIN, 0),
        (LATIN.encode("utf-8-sig"), LATIN, 0),
        (LATIN.encode("utf-16"), LATIN, 0),
        (LATIN.encode("cp1252"), LATIN, 0),
        (b"caf\xe9 " + "χοληστερίνη".encode(), "café χοληστερίνη", 0),
        ("χοληστερίνη".encode()[:-1], "χοληστερίνÎ", 0),
        ("χοληστερίνη ".encode() + b"\x81", "χοληστερίνη ", 1),
        (b"caf\xe9 \x81", "café ", 1),
        (b"a\x0bb\x0cc\xc2\x85d\r\n", "a\x0bb\x0cc\x85d\r\n", 0),
        (b"end\x1a", "end", 1),
        (b"a\0b", "ab", 1),
    ],
)
def test_bytes_become_text_without_control_characters(content, text, n_dropped):
    found = decode(content)
    assert found is not None
    assert (found.content, found.n_dropped) == (text, n_dropped)


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"FORM\0\0 a page\n\n",
        bytes(range(256)) * 10,
        "細胞\t生命の単位\n用語\t意味\n".encode("shift_jis"),
        "".join(f"cell {n}\t細胞\nnucleus {n}\t核酸の中心\n" for n in range(9)).encode("shift_jis"),
        "клетка\tединица жизни\nядро\tчасть клетки\n".encode("cp1251"),
        "词\t定义 文本\n细胞\t生命 单位\n".encode("gb18030"),
    ],
)
def test_what_is_no_text_is_none(content):
    assert decode(content) is None


@given(st.text())
def test_only_control_characters_are_dropped(text):
    clean = without_controls(text)
    dropped = [mark for mark in text if mark not in clean.content]
    assert len(text) == len(clean.content) + clean.n_dropped
    assert all(unicodedata.category(mark) in ("Cc", "Cn") for mark in dropped)
    assert without_controls(clean.content) == clean.__class__(content=clean.content, n_dropped=0)
    storable = text.encode("utf-8", "replace").decode()
    assert (
        pc.replace_substring_regex(pa.array([storable]), CONTROLS, "")[0].as_py() == without_controls(storable).content
    )


@given(st.text())
def test_control_characters_are_the_same_in_utf_8(text):
    storable = text.encode("utf-8", "replace").decode()
    content, n_dropped = without_utf_8_controls(storable.encode())
    assert Text(content=content.decode(), n_dropped=n_dropped) == without_controls(storable)


@given(st.binary())
def test_any_bytes_are_text_or_not(content):
    found = decode(content)
    assert found is None or without_controls(found.content).n_dropped == 0


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["stack\ta pile\n", "стек\tстопка\n" * 9, "栈\t排列的盘子\n" * 9])
def test_utf_16_needs_no_mark(encoding, text):
    assert decode(text.encode(encoding)) == Text(content=text, n_dropped=0)
