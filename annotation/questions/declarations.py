"""Questions as they are declared: folders with question.toml and guide.md, shipped ones and the lead's own."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from data.console.errors import InputError
from data.contract.questions import Question, from_content
from data.contract.vocabulary import PUBLISHED
from data.files.sheets import read_text
from data.files.values import read_toml
from data.texts.languages.base import Language

STANDARD = "parade"
"""The question of campaigns that name none, where `standard_in` finds no other in the language of their pairs."""

SHIPPED = Path(str(files("annotation.questions")))
REMEDY = "see docs/questions.md"


def list_shipped() -> list[str]:
    """The names of the questions that come with this project."""
    return sorted(path.parent.name for path in SHIPPED.glob("*/question.toml"))


def read(question: str) -> Question:
    """The shipped question of this name, or the one in a folder of the lead's own, whose name becomes the question's.

    Raises InputError in one line for anything that cannot be asked.
    """
    shipped, folder = list_shipped(), Path(question)
    if question in shipped:
        return shipped_question(question)
    if not (folder / "question.toml").is_file():
        raise InputError(
            "--question",
            expected=f"{', '.join(shipped)}, or a folder with question.toml and guide.md",
            found=repr(question),
            remedy=REMEDY,
        )
    if folder.resolve().name in (*shipped, PUBLISHED):
        raise InputError(
            folder,
            expected="a name that no shipped question has",
            found=repr(folder.resolve().name),
            remedy="rename the folder",
        )
    return _read_folder(folder.resolve())


def standard_in(language: Language) -> str:
    """The name of the standard question in the language, where it is shipped; otherwise of the English one."""
    name = f"{STANDARD}-{language.code}"
    return name if name in list_shipped() else STANDARD


@cache
def shipped_question(name: str = STANDARD) -> Question:
    """The shipped question of this name as it is now."""
    return _read_folder(SHIPPED / name)


def _read_folder(folder: Path) -> Question:
    path = folder / "question.toml"
    fields = read_toml(path, "a declared question", REMEDY)
    guide = read_text(folder / "guide.md", "the question's guide")
    known = {"name": folder.name, "guide": guide}
    for name in fields.keys() & known.keys():
        raise InputError(
            f"{path}, {name}",
            expected="no such field: the folder's name is the question's, and guide.md is its guide",
            found=_short(json.dumps(fields[name], default=str)),
            remedy="leave it out",
        )
    content = json.dumps(fields | known, default=lambda value: {type(value).__name__: str(value)})
    try:
        return from_content(content)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ", ".join([str(path), *(_place(part) for part in first["loc"])])
        found = "nothing" if first["type"] == "missing" else json.dumps(first["input"], ensure_ascii=False)
        expected = first["msg"].removeprefix("Value error, ")
        raise InputError(where, expected=expected, found=_short(found), remedy=REMEDY) from fault


def _place(part: int | str) -> str:
    """A field's name; a number counts from 1, as people do."""
    return part if isinstance(part, str) else str(part + 1)


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:100] + " …"
