"""Plain words: phrases that readers stumble over are in no comment, docstring or document, nor in a test's name."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.sources import LAWS_OF_CODE, parse_module

pytestmark = LAWS_OF_CODE
ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("crawler", "clustering", "annotation", "analysis", "identification", "generation", "paraphrase_game", "data")
FOLDERS = (*ROOMS, "demo", "benchmarks", "studies", "docs")
AVOIDED = re.compile(
    r"\b(so many(?! that)|so much(?! that)|as of|anew|mend(s|ed|ing)?|that of|those of|nobody|somebody|whoever"
    r"|(?<!may )(?<!not )stands?(?! (for|by)\b)(?!-ins?\b))\b",
    re.IGNORECASE,
)
"""Say `as returned by`, `again`, `repair`, the noun itself, `no annotator`, `is` instead."""
ALLOWED = {
    "annotation/questions": "words for annotators, which a question's digest fixes",
    "data/README.md": "made from the tables' types",
}
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of a module, or the text of a document, each with its line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from enumerate(FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text).splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
        elif (
            token.type == tokenize.STRING
            and token.string.startswith('"""')
            and not token.line[: token.start[1]].strip()
        ):
            yield from enumerate(token.string.splitlines(), start=token.start[0])


def test_comments_docstrings_and_documents_avoid_them() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md"}]
    found = [
        f"{name}, line {number}: {match[0]}: {line.strip()}"
        for path in sorted([*paths, ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
        for name in [path.relative_to(ROOT).as_posix()]
        if not any(f"{name}/".startswith(f"{start}/") for start in ALLOWED)
        for number, line in prose(path)
        for match in AVOIDED.finditer(line)
    ]
    assert found == []


def test_messages_and_pages_name_annotators_as_annotators() -> None:
    people = re.compile(r"\b(nobody|somebody|whoever)\b", re.IGNORECASE)
    found = []
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in {".py", ".html"}):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if name != "data/texts/languages/en.py":  # stop words
            tree = parse_module(path) if path.suffix == ".py" else ast.Constant(text)
            strings = (str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant))
            found += [f"{name}: {match[0]}" for string in strings for match in people.finditer(string)]
    assert found == []


def test_names_and_docstrings_of_tests_avoid_them() -> None:
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(parse_module(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name = re.sub(r"stand_ins?", "", getattr(node, "name", "")).replace("_", " ")
                if match := AVOIDED.search(f"{name}\n{ast.get_docstring(node) or ''}"):
                    found.append(f"{path.relative_to(ROOT)}: {match[0]}: {name}")
    assert found == []
