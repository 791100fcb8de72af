"""Lists of terms from files."""

import pytest

from crawler.terms.lists import read_list
from data.console.errors import InputError


def test_control_characters_are_dropped_and_counted(tmp_path, capsys):
    (tmp_path / "terms.txt").write_bytes(b"# ours\nredox re\x02action\nM\xe9ni\xe8re disease\nRedox reaction\n")
    assert read_list(tmp_path / "terms.txt") == ["redox reaction", "ménière disease"]
    assert capsys.readouterr().out == "1 control character dropped from terms.txt\n"


@pytest.mark.parametrize(("content", "found"), [(bytes(100), "something else"), (b"# no more\n\n", "no term")])
def test_a_file_without_terms_is_bad_input(tmp_path, content, found):
    (tmp_path / "terms.txt").write_bytes(content)
    with pytest.raises(InputError, match=f"found {found}"):
        read_list(tmp_path / "terms.txt")
