"""The version of a stage's code: what the stage runs changes it, what it only carries does not."""

from pathlib import Path

import pytest

from data.storage import code_version as module
from data.storage.code_version import code_version

FILES = {
    "crawler/definitions.py": "from crawler.cards import judge\nfrom data.words import split\n\nprint(split, judge)\n",
    "crawler/terminology.py": "TERMS = 1\n",
    "annotation/commands/before/plan.py": "PLAN = 1\n",
    "annotation/commands/people/pay.py": "PAY = 1\n",
    "crawler/cards/judge.py": "def judge(x):\n    return x\n",
    "data/words.py": '"""Words."""\nimport data.deep\n\nLEAST = 3\n"""The fewest."""\nsplit = data.deep\n',
    "data/deep.py": "from importlib import import_module\n\nload = lambda x: import_module(f'data.tongues.{x}')\n",
    "data/tongues/en.py": "WORDS = 1\n",
    "data/other.py": "OTHER = 1\n",
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path


def version(stage: str = "crawler.definitions") -> str:
    code_version.cache_clear()
    module._read.cache_clear()
    return code_version(stage)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("data/words.py", '"""Words."""', '"""Other words."""\n# a comment'),
        ("data/words.py", '"""The fewest."""', ""),
        ("data/words.py", "LEAST = 3", "LEAST = (3)  # three"),
        ("data/other.py", "OTHER = 1", "OTHER = 2"),
        ("crawler/terminology.py", "TERMS = 1", "TERMS = 2"),
    ],
)
def test_comments_docstrings_and_what_is_not_imported_change_nothing(
    house: Path, file: str, old: str, new: str
) -> None:
    before = version()
    (house / file).write_text(FILES[file].replace(old, new), encoding="utf-8")
    assert version() == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("crawler/definitions.py", "print(split, judge)", "print(judge, split)"),
        ("crawler/cards/judge.py", "return x", "return -x"),
        ("data/words.py", "LEAST = 3", "LEAST = 4"),
        ("data/tongues/en.py", "WORDS = 1", "WORDS = 2"),
    ],
)
def test_what_the_stage_runs_changes_it(house: Path, file: str, old: str, new: str) -> None:
    before = version()
    (house / file).write_text(FILES[file].replace(old, new), encoding="utf-8")
    assert version() != before


def test_a_command_is_found_in_its_group(house: Path) -> None:
    before = version("annotation.plan")
    (house / "annotation/commands/people/pay.py").write_text("PAY = 2\n", encoding="utf-8")
    assert version("annotation.plan") == before
    (house / "annotation/commands/before/plan.py").write_text("PLAN = 2\n", encoding="utf-8")
    assert version("annotation.plan") != before


def test_a_stage_without_a_module_of_its_name_has_its_whole_room(house: Path) -> None:
    before = version("crawler")
    (house / "crawler/terminology.py").write_text("TERMS = 2\n", encoding="utf-8")
    assert version("crawler") != before
