"""What the documents name exists: links and their anchors, commands, flags, targets of make."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.campaign import BLOCK, ROOT, STAGES, in_this_process, read, read_blocks
from tests.test_architecture import COLUMNS

STUDIES = ROOT / "studies" / "README.md"
DOCUMENTS = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "data" / "README.md", STUDIES, *ROOT.glob("docs/*.md")]
)
UNRUN = {"deployment.md"}
"""Its commands need root and a public name; tests/annotation/label_studio/server/test_server.py runs such a server."""
GROUPS = (["pilot"], ["server"], ["control"], ["review"], ["game"])
"""Verbs of annotation that have verbs of their own."""
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"`(?:python -m )?((?:annotation |analysis\.|crawler\.|clustering\.|"
    r"(?<=-m )(?:data|clustering|demo|generation)\b)[^`…]*)`"
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub and our site name them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    bare = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in bare}


def links(path: Path) -> Iterator[str]:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    yield from (target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_and_anchors_exist(path: Path) -> None:
    for link in links(path):
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_the_rows_of_a_table_have_its_columns(path: Path) -> None:
    """A row with too many cells is cut where it is shown, and rows without a head are no table."""
    for table in re.findall(r"(?:^\|.*\n)+", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE):
        rows = table.splitlines()
        assert re.fullmatch(r"\|[ :|-]+\|", [*rows, ""][1]), f"no table: {rows[0]}"
        widths = {row: len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert [row for row, width in widths.items() if width != widths[rows[0]]] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_blocks_of_commands_are_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name not in UNRUN:
        assert not re.search(r"^(python -m|scrapy|make) ", "".join(FENCE.findall(BLOCK.sub("", text))), re.MULTILINE)
    if list(read_blocks(text)):
        run = {*STAGES, "campaign", "every-question", "paraphrase-game", "generation", "quick-answers", "tutorial"}
        assert path.stem in run, "no test runs these blocks: see tests/campaign.py"


@cache
def flags(command: str) -> set[str]:
    """What the command's help offers."""
    code, out, err = in_this_process(f"{command} --help-all")
    assert code == 0, f"{command}: {err}"
    assert f"usage: {command} " in " ".join(out.split()), f"{command}: no such verb"
    return set(re.findall(r"--[a-z][a-z-]*", out + re.sub(r"--\[(no-)\](\S+)", r"--\1\2 --\2", out)))


def split(command: str) -> tuple[str, list[str]]:
    """The part of a command that its flags follow, and its flags."""
    words = shlex.split(command)
    n_verbs = {"clustering": 1, "data": 1, "generation": 1, "annotation": 1, "paraphrase_game": 1}.get(words[2], 0) + (
        words[3:4] in GROUPS
    )
    return " ".join(words[: 3 + n_verbs]), [word for word in words if word.startswith("--")]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.parent.name != "data"], ids=name)
def test_commands_named_in_the_text_exist_with_their_flags(path: Path) -> None:
    for command in COMMAND.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        start, named = split(f"python -m {command}")
        assert set(named) <= flags(start), command


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_targets_of_make_exist(path: Path) -> None:
    targets = set(re.findall(r"^(\S+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", path.read_text(encoding="utf-8"))) <= targets


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("room", [room for room in COLUMNS if "/" not in room])
def test_the_columns_of_the_document_are_those_that_hold(room: str) -> None:
    row = re.search(rf"^\| `{room}` \| commands, (.*) \|$", read("architecture"), re.MULTILINE)
    assert row is not None
    floors = [set(re.findall(r"\w+", floor)) for floor in re.findall(r"{[^}]*}|\w+", row[1])]
    typed = {"commands", "__main__", "report"}
    below = [floor for floor in COLUMNS[room] if not floor & typed]
    assert floors == below


def test_each_study_has_a_row_and_is_named_where_its_figure_is() -> None:
    rows = re.findall(
        r"^\| .* \| `python -m (studies[\w.]+)[^`]*` \| (.*) \|$", STUDIES.read_text("utf-8"), re.MULTILINE
    )
    programs = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "studies").rglob("*.py")
        if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert {study for study, _ in rows} == programs
    for study, places in rows:
        for place in re.findall(r"\]\((?:\.\./)?([^)]*)\)|`([^`]*)`", places):
            assert study in re.sub(r"\s+", " ", (ROOT / max(place)).read_text("utf-8")), f"{max(place)}: {study}"
