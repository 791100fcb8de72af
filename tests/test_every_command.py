"""Every command, on the states that a store passes through, ends in a result or one line, never in a traceback."""

import functools
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from analysis import baselines, consistency, splits
from data.console import parade
from data.console.rooms import run_program
from data.contract.base import Table
from data.contract.register import TABLES
from data.contract.tables.campaign import Annotators, Assignments, Ratings
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.labels import Inconsistencies, Labels, Quality, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.grouping.dealing import SplitRule
from data.storage.engine import HERE
from data.storage.store import Store
from tests.analysis.conftest import STAGES, ask
from tests.test_command_line import COMMANDS as COMMAND_LINES

NOT_RUN = {
    "annotation server start": "starts a server, whatever the store holds",
    "data look": "serves pages until it is stopped; tests/data/guidance starts it",
    "annotation server prepare": "makes a database and reads no store",
    "paraphrase_game serve": "serves until it is stopped, and reads no store",
}
WORDS: dict[str, list[str]] = {
    "analysis.compare": ["{store}"],
    "analysis.models": ["--runs", "jaccard", "--out", "{out}"],
    "analysis.release": ["{out}"],
    "analysis.report": ["--out", "{out}"],
    "analysis.restore": ["{file}", "--out", "{out}"],
    "analysis.robustness": ["--out", "{out}"],
    "analysis.verify": ["{file}"],
    "annotation consent": ["{file}", "--ethics", "none"],
    "annotation control plan": ["--annotators", "{file}"],
    "annotation game open": ["--prompts", "files", "--annotators", "{file}"],
    "annotation game pay": ["--out", "{out}"],
    "annotation game withdraw": ["a01"],
    "annotation guide": ["{file}"],
    "annotation hand-over": ["a01"],
    "annotation letters": ["--out", "{out}", "--url", "http://127.0.0.1:1"],
    "annotation pause": ["a01"],
    "annotation pay": ["--out", "{out}"],
    "annotation pilot plan": ["--annotators", "{file}"],
    "annotation pilot report": ["--out", "{out}"],
    "annotation pilot settle": ["{file}"],
    "annotation resume": ["a01"],
    "annotation withdraw": ["a01"],
    "clustering read": ["{file}"],
    "paraphrase_game generate": ["--model", "{file}", "--prompts", "files"],
    "paraphrase_game judge": ["--dataset", "{file}"],
    "paraphrase_game prompts": ["files"],
    "paraphrase_game train": ["{file}", "--out", "{out}"],
    "crawler.terminology": ["{file}"],
    "data export": ["labels", "--out", "{out}.csv"],
    "data history": ["labels"],
    "data lineage": ["x"],
    "data pack": ["{out}.zip"],
    "data rejects": ["crawler.definitions"],
    "data unpack": ["{file}"],
    "generation export": ["{out}"],
    "generation lm": ["{out}"],
    "generation recombine": ["--campaign", "main"],
    "generation silver": ["--among", "paper"],
    "generation swap": ["--lm", "{file}"],
    "identification align": ["{file}"],
    "identification ask": ["tiny", "--prompt", "{file}"],
    "identification attack-endpoint": ["tiny", "--prompt", "{file}", "--mlm", "{file}"],
    "identification attack": ["{file}", "--mlm", "{file}"],
    "identification bench": ["{file}"],
    "identification harden": ["{file}", "--mlm", "{file}"],
    "identification predict": ["{file}"],
    "identification train": ["bow", "--vector-size", "8", "--epochs", "1"],
}
"""What a command must be told."""


PROGRAMS: dict[str, tuple[str, str]] = {
    words: (parade.program_of(words.split()[0]), words.partition(" ")[2]) for words in COMMAND_LINES
}
"""Command -> what is typed after `python -m`, and the verbs after that."""
COMMANDS = {f"{program} {verbs}".strip(): words for words, (program, verbs) in PROGRAMS.items()}
"""What is typed after `python -m` -> after `parade`."""
PREPARED: tuple[tuple[str, tuple[type[Table], ...]], ...] = (
    ("nothing", ()),
    ("terms", (Terms,)),
    ("cards", (Cards,)),
    ("definitions", (Definitions, Sightings)),
    ("pairs", (Pairs,)),
    ("a plan", (Campaigns, Annotators, Assignments)),
    ("ratings", (Ratings,)),
    ("labels", (Labels, Quality)),
    ("splits", (Splits, Inconsistencies)),
    ("scores", (Runs, Predictions)),
)
"""The states of a campaign in their order, and the tables that each adds."""
STATES = (*(name for name, _ in PREPARED), "half the ratings", "no terms", "one row", "no rows", "nulls")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with all tables of a labelled campaign, its splits and the scores of two baselines."""
    store = Store(tmp_path_factory.mktemp("whole") / "store")
    for write_stage in STAGES.values():
        write_stage(store)
    ask(store, "parade")
    splits.main(splits.Arguments(store=store.root, rule=SplitRule(shares=(40, 30, 30), seed=3)))
    baselines.main(baselines.Arguments(dataset=store.root))
    consistency.main(consistency.Arguments(dataset=store.root))
    return store


@pytest.fixture(scope="module")
def states(whole: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each state -> a store in it, to copy."""
    folder = tmp_path_factory.mktemp("states")
    return {name: _prepare(whole, name, folder / name.replace(" ", "-")) for name in STATES}


def _prepare(whole: Store, state: str, root: Path) -> Path:
    names = [name for name, _ in PREPARED]
    last = names.index(state) if state in names else names.index("ratings") if state == "half the ratings" else None
    kept = [table for _, tables in PREPARED[: None if last is None else last + 1] for table in tables]
    for table in TABLES:
        if whole.exists(table) and (table in kept or (last is None and (state, table) != ("no terms", Terms))):
            shutil.copytree(whole.path(table), Store(root).path(table))
    root.mkdir(exist_ok=True)
    _rewrite(Store(root), state)
    return root


def _rewrite(store: Store, state: str) -> None:
    """Leave of the ratings, or of every table, what the state has."""
    leave: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
        "half the ratings": lambda rows: rows.iloc[::2],
        "one row": lambda rows: rows.head(1),
        "no rows": lambda rows: rows.head(0),
    }
    for table in filter(store.exists, (Ratings,) if state == "half the ratings" else TABLES):
        if state == "nulls":
            store.erase(table, functools.partial(_empty_cells, table), "test")
        elif state in leave:
            store.erase(table, leave[state], "test")


def _empty_cells(table: type[Table], rows: pd.DataFrame) -> pd.DataFrame:
    keys = table.key_columns()
    nullable = [name for name, column in table.columns().items() if column.nullable and name not in keys]
    return rows.assign(**dict.fromkeys(nullable, None)).astype(rows.dtypes[nullable].to_dict())


@pytest.fixture
def place(states: dict[str, Path], state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the store in that state and a file of no kind that a command expects."""
    shutil.copytree(states[state], tmp_path / "store")
    (tmp_path / "a.txt").write_text("A file of another kind.\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARADE_STORE", str(tmp_path / "store"))
    # one campaign is not worth new processes
    monkeypatch.setattr("annotation.commands.before.forecast.PROCESSES", HERE)
    return tmp_path


def _list_cases() -> Iterator[object]:
    """Every command on every state; of the states between nothing and all scores a sample."""
    for command in COMMANDS.keys() - NOT_RUN.keys():
        for state in STATES:
            marks = () if state in {"nothing", "scores"} else pytest.mark.sweep
            yield pytest.param(command, state, marks=marks, id=f"{command}-{state}")


@pytest.mark.sweep
@pytest.mark.parametrize(("command", "state"), sorted(_list_cases(), key=str))
def test_it_ends_in_a_result_or_one_line(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0 to 2; a line says why where it is not 0, and a next command is one that exists."""
    program, verbs = PROGRAMS[COMMANDS[command]]
    names = {"store": place / "store", "out": place / "out", "file": place / "a.txt"}
    words = [*verbs.split(), *(word.format(**names) for word in WORDS.get(command, []))]
    code = run_program(program, words)
    out, err = capsys.readouterr()
    assert code in (0, 1, 2), err
    if code == 0:
        assert out.strip(), "nothing is said"
    if code:
        said = [line for line in err.splitlines() if line.startswith(("error: ", "findings: "))]
        assert len(said) == 1, err
    if code == 2:
        assert re.search(r"expected .*, found .*; .", said[0]), said
    for line in out.splitlines():
        if following := re.match(r"(?:next|  or): python -m (.*)", line):
            assert any(f"{following[1]} ".startswith(f"{known} ") for known in COMMANDS), line
