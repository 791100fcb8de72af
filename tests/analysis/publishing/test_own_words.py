"""The publisher's statements: a template names every field, and is read once its lines are filled in."""

from dataclasses import fields
from pathlib import Path

import pytest

from analysis.publishing import statements
from analysis.release import main
from data.console.commands import run


def test_the_template_holds_each_field_and_reads_as_statements(tmp_path: Path) -> None:
    path = tmp_path / "statements.toml"
    assert run(main, prog="release", args=[str(path), "--statements-template"]) == 0
    assert statements.read(path) == statements.read(None)
    path.write_text(path.read_text(encoding="utf-8").replace("\n# ", "\n"), encoding="utf-8")
    filled = statements.read(path)
    assert list(statements.HINTS) == [one.name for one in fields(statements.Statements)]
    assert statements.list_not_stated(filled) == []
    assert filled.authors == ("Given Name Family Name",)


def test_a_template_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "statements.toml"
    path.write_text("title = 'mine'\n", encoding="utf-8")
    assert run(main, prog="release", args=[str(path), "--statements-template"]) == 2
    assert "expected a new file" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "title = 'mine'\n"


@pytest.mark.parametrize("simulated", [False, True])
def test_only_a_set_that_no_program_rated_says_experts(simulated: bool) -> None:
    words = statements.read(None, simulated=simulated)
    assert ("expert" in words.title, "experts" in words.description) == (not simulated, not simulated)
