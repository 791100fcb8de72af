"""What is typed: one list of commands, help that fits the screen, and lines for what is mistyped."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from data.console import parade
from data.console.commands import form_of
from data.console.flags import REQUIRED, Flag, list_flags
from data.console.messages import say_next, spell
from data.console.parsing import write_help
from data.console.rooms import run_program
from data.console.stand_ins import KEPT, OURS

ROOT = Path(__file__).resolve().parent.parent


def list_commands() -> Iterator[tuple[str, Callable[..., None], dict[str, Any]]]:
    """What is typed after `parade`, what runs it, and its recipes."""
    for name in (name for step in parade.STEPS.values() for name in step if name != "crawl"):
        module = parade.module_of(name)
        if not hasattr(module, "COMMANDS"):
            yield name, module.main, getattr(module, "RECIPES", {})
        else:
            for verb, path in (named for group in module.COMMANDS for named in group.modules()):
                yield from _of_verb(f"{name} {verb}", path)


def _of_verb(words: str, path: str) -> Iterator[tuple[str, Callable[..., None], dict[str, Any]]]:
    module = import_module(path)
    if verbs := getattr(module, "VERBS", {}):
        yield from ((f"{words} {verb}", main, {}) for verb, main in verbs.items())
    else:
        yield words, module.main, getattr(module, "RECIPES", {})


COMMANDS = {words: (main, recipes) for words, main, recipes in list_commands()}


def flags(words: str) -> list[Flag]:
    main, recipes = COMMANDS[words]
    return list_flags(form_of(main), (next(iter(recipes)), recipes) if recipes else None)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_help_fits_the_screen(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is wider than the terminal, none is broken before it is full, and no default is `None`."""
    main, recipes = COMMANDS[words]
    recipe = (next(iter(recipes)), recipes) if recipes else None
    monkeypatch.setenv("COLUMNS", "80")
    for everything in (False, True):
        text = write_help(f"parade {words}", form_of(main), recipe, everything=everything)
        lines = text.splitlines()
        assert [line for line in lines if len(line) > 80] == []
        assert not re.search(r"None|\(default: \)", text)
        for line, following in pairwise(lines):
            indent = len(line) - len(line.lstrip())
            if indent == 24 and following.startswith(" " * 24) and following[24:25].strip():
                assert len(line) + 1 + len(following.split()[0]) > 80, f"broken too early: {line}"


@pytest.mark.parametrize("words", COMMANDS)
def test_a_flag_says_what_it_is(words: str) -> None:
    for flag in flags(words):
        assert flag.text, flag.name


@pytest.mark.parametrize("words", COMMANDS)
def test_a_flag_of_a_group_has_one_name(words: str) -> None:
    names = [flag.name for flag in flags(words)]
    assert len(names) == len(set(names))


SHOWS = {
    "annotation server prepare": "prepares the software and no store",
    "data dictionary": "shows what tables mean, and reads no store",
    "compare": "shows what is there",
    "data export": "writes a copy of what is there",
    "data history": "shows what is there",
    "data lineage": "shows what is there",
    "data look": "shows the next command on its page",
    "data rejects": "shows what is there",
    "data takedown": "says what is left to do by hand",
    "generation export": "writes a copy of what is there",
    "identification models": "shows what can be trained",
    "game serve": "serves until it is stopped",
    "reproduce": "computes a paper's table, and uses no store",
    "verify": "is the last command of all: what follows is publishing",
}
"""Commands that name no next one, with the reason."""


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_names_the_next_one(words: str) -> None:
    main = COMMANDS[words][0]
    names = any("say_next" in code or "say_steps" in code for code in _own_code(main))
    assert names == (words not in SHOWS), "say what to run next, or why nothing is"


def _own_code(main: Callable[..., None]) -> Iterator[str]:
    """The source of a function, of ours that it calls by name, and so on."""
    found = [main]
    for function in found:
        yield (code := inspect.getsource(function))
        called = (getattr(inspect.getmodule(function), name, None) for name in re.findall(r"\b(\w+)\(", code))
        found += [
            one
            for one in called
            if inspect.isfunction(one) and one not in found and one.__module__.split(".")[0] in OURS
        ]


def test_a_next_line_ends_with_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    say_next("python -m annotation collect", "--store", "my store", "--campaign", "main")
    say_next("python -m analysis.splits --store a --campaign main")
    assert capsys.readouterr().out == (
        "next: python -m annotation collect --campaign main --store 'my store'\n"
        "next: python -m analysis.splits --campaign main --store a\n"
    )


def test_every_command_lies_where_its_verb_says() -> None:
    assert len(COMMANDS) > 70
    assert {"annotation plan", "report", "data status", "game serve", "annotation pilot settle"} <= set(COMMANDS)


def run(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    program = "import sys; sys.argv[0] = 'parade'; from data.console.parade import main; sys.exit(main())"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "80"} | variables
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd="/", env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.sweep
def test_parade_runs_from_any_folder_and_prints_its_own_spelling(tmp_path: Path) -> None:
    done = run("data", "--store", str(tmp_path / "none"))
    assert done.returncode == 0, done.stderr
    assert f"next: parade terminology PAPERS --store {tmp_path}/none\n" in done.stdout
    crawl = run("crawl", "files", "--help")
    assert crawl.returncode == 0, crawl.stderr
    assert "usage: parade crawl files --path NAME [flags]" in crawl.stdout
    refused = run("crawl", "quizlet", "--store", str(tmp_path / "none"), PARADE_CONTACT="")
    assert (refused.returncode, "error: contact: expected an e-mail address" in refused.stderr) == (2, True)


@pytest.mark.sweep
@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_starts_in_a_new_python(words: str) -> None:
    """It imports all that it needs: other tests run it where libraries and other commands are loaded already."""
    done = run(*words.split(), "--such-a-flag")
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: --such-a-flag: expected a flag"), done.stderr


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("reprot",), "did you mean `report`?"),
        (("annotation", "colect"), "did you mean `collect`?"),
        (("annotation", "pilot", "setle"), "did you mean `settle`?"),
        (("data", "xyz"), "see --help"),
    ],
)
def test_a_mistyped_command_is_named(words: tuple[str, ...], remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert parade.main(list(words)) == 2
    assert re.fullmatch(rf"error: the command: expected one of .*; {re.escape(remedy)}\n", capsys.readouterr().err)


def test_a_list_of_commands_imports_none_of_them() -> None:
    """`--help` answers at once: no table is read and no library of numbers is loaded."""
    program = (
        "import sys; from data.console.parade import main; main(['--help']); main(['annotation', '--help']);"
        "assert not {'pandas', 'numpy', 'deltalake', 'scrapy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_look_at_the_next_step_loads_nothing_that_computes_on_texts() -> None:
    loaded = (
        "import sys, data.guidance.commands.status; assert not {'scipy', 'simplemma', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, check=True)


WRITES_HELPS = """
import contextlib, io, json, sys
sys.argv = ["parade", "--help"]
from data.console import parade
helps = {}
for words in WORDS:
    with contextlib.redirect_stdout(io.StringIO()) as helps[words]:
        parade.main([*words.split(), "--help"])
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
libraries = sorted({name.partition(".")[0] for name, file in files.items() if "site-packages" in file})
print(json.dumps([libraries, {words: text.getvalue() for words, text in helps.items()}]))
"""


@pytest.mark.parametrize("room", [*parade.ROOMS, "others"])
def test_a_help_is_written_without_libraries_and_is_the_same(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--help` answers at once: stand-ins take the place of pandas and others, and change no word of it."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["parade"])
    rooms = {words: words.split()[0] if " " in words else "others" for words in COMMANDS}
    commands = [words for words in COMMANDS if rooms[words] == room]
    program = WRITES_HELPS.replace("WORDS", repr(commands))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    libraries, helps = json.loads(done.stdout)
    assert [name for name in libraries if name not in KEPT and not name.startswith("_")] == []
    for words, text in helps.items():
        main, recipes = COMMANDS[words]
        recipe = (next(iter(recipes)), recipes) if recipes else None
        assert text == spell(write_help(f"parade {words}", form_of(main), recipe, everything=False)) + "\n"


def test_the_packages_without_stand_ins_are_ours() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    assert {name.split(".")[0].rstrip("*") for name in packages["find"]["include"]} == set(OURS)


@pytest.mark.parametrize("name", sorted({parade.program_of(words) for words in COMMANDS if " " not in words}))
def test_a_command_outside_a_list_imports_the_console_first(name: str) -> None:
    """`python -m analysis.report --help` answers at once, too."""
    lines = (ROOT / f"{name.replace('.', '/')}.py").read_text("utf-8").splitlines()
    assert next(line for line in lines if line.startswith(("from ", "import "))).startswith(
        "from data.console.commands import"
    )


def test_a_room_without_a_verb_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program("annotation", []) == 2
    assert run_program("annotation", ["--help"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line and not line.startswith((" ", "usage", "A "))] == [
        "before", "during", "after", "people",
    ] * 2  # fmt: skip


def test_what_a_command_reads_is_installed_with_it() -> None:
    """Every file of a room that is no module is among the package's data."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    rooms = {path.split("/")[0] for path in listed if path.endswith("/__init__.py")} - {"tests"}
    others = [path for path in listed if path.split("/")[0] in rooms and not path.endswith((".py", "README.md"))]
    kept = {path for room, patterns in data.items() for pattern in patterns for path in (ROOT / room).glob(pattern)}
    assert [path for path in others if ROOT / path not in kept] == []


def test_required_flags_come_before_what_may_be_left_out() -> None:
    for words in COMMANDS:
        positional = [flag for flag in flags(words) if flag.is_positional]
        assert positional == sorted(positional, key=lambda flag: flag.default is not REQUIRED), words
