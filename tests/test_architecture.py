"""The house: rooms meet only at tables, and within a room imports run down one column.

What can be typed is at the top of a room; what it computes lies in sub-rooms. COLUMNS is the order of each room from
the top down: a module imports from its own floor's sub-room or from the floors below it. `docs/architecture.md` says
why.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.sources import LAWS_OF_CODE, parse_module

pytestmark = LAWS_OF_CODE
ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("crawler", "clustering", "annotation", "analysis", "identification", "generation", "paraphrase_game")
OURS = (*ROOMS, "data", "demo", "tests", "benchmarks", "studies")

COLUMNS: dict[str, list[set[str]]] = {
    "crawler": [
        {"terminology", "definitions", "commands"},
        {"spiders"},
        {"middlewares"},
        {"ledger"},
        {"glossaries", "terms"},
        {"formats"},
        {"pages"},
        {"cards"},
        {"config", "settings"},
    ],
    "clustering": [{"__main__"}, {"commands"}, {"acquisition"}, {"candidates"}, {"config"}],
    "annotation": [
        {"__main__"},
        {"commands"},
        {"label_studio"},
        {"campaign"},
        {"simulation"},
        {"assignment"},
        {"quality"},
        {"aggregation"},
        {"questions"},
        {"config", "files"},
    ],
    "annotation/campaign": [
        {"people"},
        {"rounds"},
        {"planning", "game"},
        {"progress", "texts"},
        {"campaign", "authorship"},
        {"accounts", "documents"},
    ],
    "analysis": [
        {
            "report",
            "compare",
            "splits",
            "leakage",
            "consistency",
            "baselines",
            "models",
            "alternative",
            "robustness",
            "phenomena",
            "release",
            "verify",
            "restore",
        },
        {"publishing", "reporting"},
        {"statistics"},
        {"evaluation"},
        {"datasets"},
        {"splitting"},
        {"config"},
    ],
    "paraphrase_game": [{"__main__"}, {"commands"}, {"generator"}, {"game"}, {"judges"}, {"config"}],
    "identification": [
        {"__main__"},
        {"commands"},
        {"robustness"},
        {"training", "endpoints"},
        {"architectures"},
        {"config"},
    ],
    "generation": [
        {"__main__"},
        {"commands"},
        {"swapping", "sources", "balancing"},
        {"back_translation"},
        {"engines"},
        {"config"},
    ],
    "data": [
        {"__main__"},
        {"guidance"},
        {"provenance"},
        {"labelled", "models"},
        {"measures"},
        {"grouping"},
        {"recorded"},
        {"storage"},
        {"contract"},
        {"texts"},
        {"files"},
        {"console"},
    ],
}
"""The floors of each room, or sub-room, from the top down; what lies on one floor does not import each other."""

COMMAND = re.compile(r'^if __name__ == "__main__":|^class \w+\(.*Command\):', re.MULTILINE)

NO_COMMANDS = {"config", "settings", "middlewares", "files"}
"""What else may lie at the top of a room: every other module there is a command."""


def modules(folder: str) -> list[Path]:
    """The modules below a folder; what runs inside Label Studio's own environment is no part of ours."""
    paths = [path for path in sorted((ROOT / folder).rglob("*.py")) if "plugin" not in path.parts]
    assert paths, f"{folder} has no modules"
    return paths


def imported(path: Path) -> Iterator[str]:
    """The dotted names that a module imports anywhere in it; a name taken from a module counts as its attribute."""
    for node in ast.walk(parse_module(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def top_names(path: Path) -> set[str]:
    """The packages that a module imports."""
    return {name.split(".")[0] for name in imported(path)}


@cache
def arrows(path: Path) -> set[Path]:
    """The modules of ours that a module imports."""
    found = set()
    for name in imported(path):
        parts = name.split(".")
        for target in (ROOT.joinpath(*parts).with_suffix(".py"), ROOT.joinpath(*parts[:-1]).with_suffix(".py")):
            if parts[0] in OURS and target.is_file():
                found.add(target)
                break
    return found - {path}


def place(path: Path, room: str) -> str:
    """The sub-room of a module, or its own name where it lies at the top of its room."""
    first, *others = path.relative_to(ROOT / room).parts
    return first if others else path.stem


def show(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("room", [*ROOMS, "data"])
def test_a_room_imports_itself_and_data_only(room: str) -> None:
    allowed = {room, "data"}
    strangers = {show(path): top_names(path) & set(OURS) - allowed for path in modules(room)}
    assert {path: names for path, names in strangers.items() if names} == {}


@pytest.mark.parametrize("room", COLUMNS)
def test_imports_run_down_the_column(room: str) -> None:
    floor = {name: number for number, names in enumerate(COLUMNS[room]) for name in names}
    paths = [path for path in modules(room) if path != ROOT / room / "__init__.py"]
    assert {place(path, room) for path in paths} == set(floor), "every sub-room has its floor"
    upward = [
        f"{show(path)} imports {show(target)}"
        for path in paths
        for target in sorted(arrows(path))
        if target.is_relative_to(ROOT / room)
        and place(target, room) != place(path, room)
        and floor[place(target, room)] <= floor[place(path, room)]
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {path: arrows(path) for room in (*ROOMS, "data", "demo", "benchmarks", "studies") for path in modules(room)}
    assert find_circle(graph) == []


def find_circle(graph: Mapping[Path, Iterable[Path]]) -> list[str]:
    """The modules of a circle of imports in their order, the first one again at the end; none if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        return [show(path) for path in circle.args[1]]
    return []


def commands(room: str) -> list[Path]:
    """The modules that can be typed: those that run as `__main__`, annotation's verbs and Scrapy's command."""
    return [path for path in modules(room) if COMMAND.search(path.read_text(encoding="utf-8")) or is_verb(path)]


def is_verb(path: Path) -> bool:
    rooms = ("annotation", "clustering", "identification", "generation", "paraphrase_game")
    return any(ROOT / room / "commands" in path.parents for room in rooms) and path.name != "__init__.py"


@pytest.mark.parametrize("room", ROOMS)
def test_the_top_of_a_room_holds_commands(room: str) -> None:
    for path in (ROOT / room).glob("*.py"):
        if path.stem not in {"__init__", *NO_COMMANDS}:
            assert '__name__ == "__main__"' in path.read_text(encoding="utf-8"), show(path)


@pytest.mark.parametrize("room", ROOMS)
def test_no_command_imports_a_command(room: str) -> None:
    typed = {path for path in commands(room) if path.name != "__main__.py"}
    pairs = [(show(path), show(target)) for path in typed for target in arrows(path) & typed]
    assert pairs == []


def test_the_name_of_a_class_means_one_thing() -> None:
    """But for `Arguments`: what the command of its module is given."""
    places: dict[str, list[str]] = {}
    for package in {*ROOMS, "data", "benchmarks", "studies"}:
        for path in modules(package):
            for node in parse_module(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(show(path))
    assert {name: where for name, where in places.items() if len(where) > 1 and name != "Arguments"} == {}


@pytest.mark.parametrize("package", [*ROOMS, "data"])
def test_init_holds_one_line_of_docstring(package: str) -> None:
    for path in modules(package):
        if path.name == "__init__.py":
            body = parse_module(path).body
            assert len(body) == 1, show(path)
            assert ast.get_docstring(ast.Module(body, [])), show(path)
            assert len(path.read_text(encoding="utf-8").splitlines()) == 1, show(path)


def test_only_the_client_imports_the_sdk() -> None:
    users = [
        show(path) for room in (*ROOMS, "data", "demo") for path in modules(room)
        if "label_studio_sdk" in top_names(path)
    ]  # fmt: skip
    assert users == ["annotation/label_studio/client.py"]


def test_pages_and_formats_open_no_connection() -> None:
    network = {"scrapy", "httpx", "requests", "urllib3", "socket", "http", "twisted"}
    for folder in ("crawler/pages", "crawler/formats"):
        for path in modules(folder):
            assert not network & top_names(path), show(path)


def imported_at_once(path: Path) -> set[str]:
    """The packages that a module imports when it is imported itself."""
    nodes = parse_module(path).body
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[0] for name in names + [str(n.module) for n in nodes if isinstance(n, ast.ImportFrom)]}


def test_only_networks_and_their_training_need_optional_packages_to_be_imported() -> None:
    optional = {"torch", "transformers", "sentence_transformers", "safetensors"}
    optional |= {"spacy", "kenlm", "ctranslate2", "tokenizers"}
    needy = {
        *(ROOT / "identification" / name for name in ("architectures", "training")),
        *(ROOT / "paraphrase_game" / name for name in ("generator", "judges")),
    }
    paths = [path for room in (*ROOMS, "data", "demo") for path in modules(room) if not needy & set(path.parents)]
    assert [show(path) for path in paths if optional & imported_at_once(path)] == []
    commands = [path for path in paths if path.parent.name == "commands"]
    assert [show(path) for path in commands if any(optional & imported_at_once(other) for other in loaded(path))] == []


def loaded(path: Path) -> set[Path]:
    """The module, and our modules that are imported with it."""
    found, waiting = set[Path](), [path]
    while waiting:
        if (here := waiting.pop()) not in found:
            found.add(here)
            waiting += ours_at_once(here)
    return found


@cache
def ours_at_once(path: Path) -> list[Path]:
    nodes = [node for node in parse_module(path).body if isinstance(node, ast.ImportFrom)]
    names = [name for node in nodes for name in (node.module, *(f"{node.module}.{part.name}" for part in node.names))]
    paths = (ROOT / f"{str(name).replace('.', '/')}.py" for name in names)
    return [path for path in paths if path.is_file()]


READERS = {
    "json": {"load", "loads"}, "tomllib": {"load", "loads"}, "gzip": {"open", "decompress", "GzipFile"},
    "csv": {"reader", "DictReader", "open_csv"}, "pickle": {"load", "loads"}, "np": {"load"}, "sqlite3": {"connect"},
    "ET": {"parse", "fromstring"}, "yaml": {"load", "compose", "parse"}, "zipfile": {"ZipFile"}, "tarfile": {"open"},
    "pq": {"ParquetFile", "read_table", "read_schema", "read_metadata"}, "parquet": {"ParquetFile", "read_table"},
}  # fmt: skip
"""What opens a file or a text of a library's form, by the name of its module; also all of pandas' `read_`s."""
DOORS = {
    "data/files/sheets.py": "the door of texts and tables",
    "data/files/tables.py": "the door of tables in JSON",
    "data/files/values.py": "the door of TOML and JSON",
    "data/storage/ledgers.py": "the door of ledgers, which asks SQLite whether they are whole",
    "data/storage/pack.py": "the door of packs",
    "data/files/parquet.py": "the door of Parquet: sizes before rows",
    "data/labelled/releases.py": "a release's Parquet, whose rows are bounded and checked",
    "data/labelled/forms": "the forms of others' data sets, on text from the door",
    "data/storage/delta.py": "the logs of the store's own tables",
    "data/storage/store.py": "the manifests of the store's own tables",
    "data/storage/kept_overlap.py": "a file that a run of ours wrote, without pickles; made again where it is damaged",
    "data/guidance/look": "the copy of the store's tables, which it has made",
    "data/provenance/takedown.py": "a ledger of the store that was checked",
    "crawler/formats": "the door of decks: bytes in, decks or findings out",
    "crawler/glossaries": "glossaries, read line by line with their own findings",
    "data/files/workbooks.py": "the door of workbooks: sizes before cells",
    "data/files/papers": "the door of papers: damaged files and rows are named",
    "crawler/pages": "pages of sites: what is no JSON is a changed page",
    "crawler/spiders/glossary.py": "hands the unpacked stream to crawler/glossaries",
    "crawler/cards/reversal.py": "a text within a card",
    "crawler/ledger/ledger.py": "the ledger of the store, which it has made",
    "crawler/terms": "work files of a count; those that stay are made again where their sizes differ",
    "clustering/candidates/shards.py": "work files of a running command",
    "generation/swapping/shards.py": "work files of a running command",
    "identification/training/shards.py": "work files of a running command",
    "identification/robustness/attacking.py": "work files of an attack, in folders named by their digest",
    "identification/endpoints": "a server's answers, and the file of them that SQLite checks",
    "paraphrase_game/game/scoring.py": "the body of a request",
    "annotation/label_studio/server/environment.py": "an empty database that Label Studio has just made",
    "annotation/label_studio/labelling.py": "our own template",
    "analysis/publishing": "the release that was just written, and a question of the store",
    "generation/engines/lmplz.py": "an archive that pip has fetched",
    "generation/sources/reading.py": "a line of JSON lines, on text from the door",
    "data/storage/locks.py": "a lease that another run of ours wrote",
    "data/texts/languages/en.py": "a file of an installed package",
    "identification/robustness/parts_of_speech.py": "a file of an installed package",
}
"""The modules and folders that may open what a stranger wrote, and why each may."""


def raw_readers(path: Path) -> Iterator[str]:
    """The readers of libraries that a module uses."""
    for node in ast.walk(parse_module(path)):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "id", getattr(node.value, "attr", ""))
            if node.attr in READERS.get(owner, ()) or (owner == "pd" and node.attr.startswith("read_")):
                yield f"{owner}.{node.attr}"


def test_files_of_strangers_come_through_the_doors() -> None:
    callers = {
        show(path): found for room in (*ROOMS, "data") for path in modules(room) if (found := [*raw_readers(path)])
    }
    doors = {path: [door for door in DOORS if f"{path}/".startswith(f"{door}/")] for path in callers}
    assert [f"{path}: {callers[path]}" for path, through in doors.items() if not through] == []
    assert set(DOORS) == {door for through in doors.values() for door in through}, "no door without use"


FULL_FOLDERS = {
    "demo/decks": "data: a file per deck",
    "docs": "the pages of one site, which mkdocs.yml groups",
    "tests": "the laws of the whole house, and helpers that all rooms' tests share",
    "analysis": "a module per command",
    "tests/analysis": "a module per command",
}
"""The folders that may hold more than 15 entries, and why; the root holds what tools look for there."""


def is_ours(entry: Path) -> bool:
    """Whether an entry is more than what runs leave: compiled modules and the store in data/."""
    if entry.is_dir():
        return show(entry) != "data/store" and entry.name != "__pycache__" and any(map(is_ours, entry.iterdir()))
    return True


def test_a_folder_has_at_most_fifteen_entries() -> None:
    tops = [ROOT / name for name in (*OURS, "docs")]
    folders = [folder for top in tops for folder in (top, *top.rglob("*/")) if "__pycache__" not in folder.parts]
    full = {show(folder) for folder in folders if sum(map(is_ours, folder.iterdir())) > 15}
    assert full == set(FULL_FOLDERS), "split it, or take it from the list"
