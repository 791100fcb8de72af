"""`parade reproduce`: the papers' figures beside ours, and what is missing for them."""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.console.commands import run
from studies.papers import reproduce, training
from studies.papers.attacking import attack_rows
from studies.papers.needs import SETS, differ, miss, split_by_protocol
from studies.papers.reproduce import TABLES
from studies.papers.tables import Ours, PaperTable, Place, Row, render
from tests.identification.world import call as identify
from tests.identification.world import sentences, write_bert, write_pairs

TEXTS = {"parade": "parade", "paws": "paws", "apt": "apt", "shared": "shared_words"}
DRAWN = {"parade-figure-1", "paws-6"}
"""Tables whose figures are drawn or marks, or not printed beside each other."""


def call(*words: object) -> int:
    """The exit code of the command, as it is typed."""
    return run(reproduce.main, prog="reproduce", args=[str(word) for word in words])


def printed_runs(table: PaperTable) -> Iterator[list[float]]:
    """The figures of a table that its paper prints one after the other."""
    for row in table.rows:
        figures = [value for value in row.printed if value is not None]
        pairs = table.name == "shared-words-2"  # its columns are two tables, one below the other
        yield from (figures[:2], figures[2:]) if pairs else (figures,)


def numbers_of(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in re.findall(r"(?<![\d.])-?\d[\d,]*(?:\.\d+)?", text)]


@pytest.mark.parametrize("name", [name for name in TABLES if name not in DRAWN])
def test_the_paper_prints_these_figures(name: str, shared_data: Path) -> None:
    text = (shared_data.parent / "papers" / f"{TEXTS[name.split('-', maxsplit=1)[0]]}.txt").read_text("utf-8")
    plain = re.sub(r"\([+-][\d.]+\)", " ", text)  # gains in brackets
    forms = [numbers_of(plain), numbers_of(re.sub(r"\d+(?:\.\d+)?%", " ", plain))]
    for wanted in printed_runs(TABLES[name]):
        n = len(wanted)
        found = any(numbers[at : at + n] == wanted for numbers in forms for at in range(len(numbers) - n + 1))
        assert found, (name, wanted)


def test_all_tables_of_the_papers_are_there() -> None:
    expected = [f"parade-{number}" for number in ("figure-1", *range(5, 12))]
    expected += [*(f"paws-{number}" for number in range(3, 10)), "paws-figure-4"]
    expected += [*(f"apt-{number}" for number in range(2, 7)), "apt-figure-2", "shared-words-1", "shared-words-2"]
    assert list(TABLES) == expected
    assert sum(value is not None for table in TABLES.values() for row in table.rows for value in row.printed) == 440


def test_each_table_names_sets_and_weights_that_are_known() -> None:
    place = Place(data={}, weights={}, work=Path("nowhere"))
    for table in TABLES.values():
        for row in table.rows:
            assert set(row.needs_data()) <= set(SETS)
            parts = list(miss(table, row, place))
            assert parts or not (table.find or table.people), f"{table.name} needs nothing"


def test_the_list_says_what_is_missing_here(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call("--list", "--work", tmp_path) == 0
    shown = capsys.readouterr().out
    assert all(f"\n{name}: " in f"\n{shown}" for name in TABLES)
    assert (
        "  0 of 6 rows can be had here\n  missing: MRPC (MSRP), from Microsoft Research (--data mrpc=FOLDER)" in shown
    )
    assert "  missing: people: five judge each pair" in shown


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.find or table.people])
def test_a_table_without_its_data_ends_with_what_it_lacks(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert call(name, "--work", tmp_path) == 2
    shown = capsys.readouterr()
    assert "not here: " in shown.out
    assert f"error: {name}: expected what a row needs, found no row of which all is here" in shown.err


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), "''"),
        (("parade-77",), "parade-7"),
        (("parade-7", "--rows", "T5"), "'T5'"),
        (("parade-7", "--data", "parade"), "'parade'"),
        (("parade-7", "--data", "texts=."), "'texts=.'"),
        (("parade-7", "--data", "parade=nowhere"), "nowhere"),
    ],
)
def test_what_is_mistyped_ends_in_one_line(
    words: tuple[str, ...], found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert found in line


def test_rows_show_both_and_what_differs() -> None:
    rows = (Row(name="ESIM", printed=(0.595, None)), Row(name="BERT", printed=(0.729, 1357)))
    table = PaperTable(name="x", title="A table", columns=("f1", "pairs"), rows=rows)
    figure = {"value": 0.7, "low": 0.65, "high": 0.75, "spread": None}
    ours = {"ESIM": Ours(figures=(figure, 1357), what="`esim`", marks=("few pairs",))}
    lines = render(table, ours, {"BERT": ["weights", "people"]}).splitlines()
    assert (
        lines[4] == "| ESIM | 0.595 | – | 0.700 [0.650, 0.750] | 1,357 | `esim` (comparable in form only: few pairs) |"
    )
    assert lines[5] == "| BERT | 0.729 | 1,357 | – | – | not here |"
    assert lines[-1] == "not here: BERT: weights; people"


COUNTED = {
    "parade-figure-1": {"parade": "parade"},
    "apt-2": {"apt": "paraphrase/apt"},
    "apt-4": {"apt": "paraphrase/apt", "mrpc": "paraphrase/mrpc"},
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_is_what_the_paper_prints(name: str, shared_data: Path, tmp_path: Path) -> None:
    folders = {data: shared_data / folder for data, folder in COUNTED[name].items()}
    table, place = TABLES[name], Place(data=folders, weights={}, work=tmp_path)
    rows = [row for row in table.rows if set(row.data) <= set(folders)]
    assert table.find is not None
    found = table.find(table, rows, place)
    for row in rows:
        for printed, ours in zip(row.printed, found[row.name].figures, strict=True):
            if printed is not None:
                assert isinstance(ours, int | float)
                digits = len(str(printed).partition(".")[2]) if isinstance(printed, float) else 0
                assert round(ours, digits) == printed, row.name


def test_a_set_without_labels_for_its_test_is_tested_on_its_validation() -> None:
    frame = sentences(9, 1).assign(split=["train"] * 4 + ["validation"] * 3 + ["test"] * 2)
    hidden = frame.assign(binary=frame["binary"].astype("Int64").where(frame["split"] != "test"))
    assert split_by_protocol(hidden)["split"].tolist() == ["train"] * 4 + ["test"] * 3
    assert split_by_protocol(frame)["split"].tolist() == frame["split"].tolist()


SMALL: dict[str, Any] = {"": {"epochs": 2, "vector-size": 8, "threads": 1, "recipe": "recommended"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Three small sets: with a validation part, without a test, and training pairs alone."""
    sizes = {
        "paws-wiki": {"train": 130, "validation": 60, "test": 110},
        "qqp": {"train": 150, "dev": 120},
        "paws-silver": {"pairs": 140},
    }
    for number, (name, some) in enumerate(sizes.items()):
        (tmp_path / name).mkdir()
        for file, n in some.items():
            sentences(n, 100 * number + n).to_csv(tmp_path / name / f"{file}.tsv", sep="\t", index=False)
    return Place(data={name: tmp_path / name for name in sizes}, weights={}, work=tmp_path / "work")


def table_of(*rows: Row, tests: tuple[tuple[str, str], ...] = (("", "accuracy"),), **others: Any) -> PaperTable:
    columns = tuple(f"{test} {measure}" for test, measure in tests)
    return PaperTable(name="small", title="Small", columns=columns, rows=rows, settings=SMALL, tests=tests, **others)


def settings_of(place: Place, dataset: str) -> dict[str, Any]:
    (folder,) = [path.parent for path in (place.work / "runs" / dataset).rglob("run.json")]
    run: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return run


@pytest.mark.sweep
def test_a_row_learns_from_several_sets_and_is_judged_on_each(place: Place) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    tests = (("qqp", "accuracy"), ("paws-wiki", "pr_auc"))
    row = Row(name="both", printed=(None, None), model="bow", learns=("qqp", "paws-wiki"), data=("qqp", "paws-wiki"))
    table = table_of(row, tests=tests, scale=100)
    assert not list(miss(table, row, place))
    (ours,) = training.train_rows(table, [row], place).values()
    for figure in ours.figures:
        assert isinstance(figure, dict)
        assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 100
    data = settings_of(place, "qqp-paws-wiki")["data"]
    assert (data["n_train"], data["n_validation"], data["n_pairs"]) == (280, 60, 570)
    assert any("130 of 49,401 train pairs of PAWS-Wiki" in mark for mark in ours.marks)


@pytest.mark.sweep
def test_a_set_without_validation_gets_a_new_part_of_its_training_pairs(place: Place) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    row = Row(name="qqp", printed=(None,), model="bow", learns=("qqp",), data=("qqp",))
    training.train_rows(table_of(row), [row], place)
    run = settings_of(place, "qqp")
    assert run["config"]["validation_share"] == training.SHARE
    assert run["data"]["n_train"] + run["data"]["n_validation"] == 150
    assert 0 < run["data"]["n_validation"] <= 15


@pytest.mark.sweep
def test_a_curve_learns_from_that_many_pairs_of_the_last_set(place: Place) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    row = Row(name="x", printed=(None,), model="bow", learns=("qqp", "paws-wiki"), data=("paws-wiki",), pairs=40)
    training.train_rows(table_of(row), [row], place)
    assert settings_of(place, "qqp-paws-wiki-40")["data"]["n_train"] == 190


@pytest.mark.sweep
def test_a_row_goes_on_from_what_it_learned_first_and_is_not_trained_twice(place: Place) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    row = Row(
        name="x", printed=(None,), model="bow", learns=("paws-wiki",), data=("paws-wiki",), start=("paws-silver",)
    )
    table = table_of(row)
    found = training.train_rows(table, [row], place)
    started = settings_of(place, "paws-wiki")["config"]["start"]
    assert Path(started) == place.work / "runs" / "paws-silver" / "bow" / "seed-1"
    runs = [(path, path.stat().st_mtime_ns) for path in place.work.rglob("run.json")]
    assert training.train_rows(table, [row], place) == found
    assert [(path, path.stat().st_mtime_ns) for path in place.work.rglob("run.json")] == runs


def test_a_set_that_is_a_sample_is_missing(place: Place, tmp_path: Path) -> None:
    few = write_pairs(tmp_path / "few", {"train": 30, "test": 20})
    row = Row(name="x", printed=(None,), model="bow", learns=("mrpc",), data=("mrpc",))
    here = dataclasses.replace(place, data={"mrpc": few})
    assert list(miss(table_of(row), row, here)) == [
        "the train pairs of MRPC (MSRP), of which 30 pairs are here",
        "the test pairs of MRPC (MSRP), of which 20 pairs are here",
    ]


def test_a_smaller_model_is_marked_as_a_stand_in(place: Place, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    row = Row(name="x", printed=(None,), model="cross-encoder:bert-base-uncased", learns=("qqp",), data=("qqp",))
    bert = write_bert(tmp_path / "bert")
    there = dataclasses.replace(place, weights={"bert-base-uncased": str(bert)})
    assert list(differ(row, there)) == [f"{bert} (2 layers of 32) in place of BERT-base"]
    form = json.loads((bert / "config.json").read_text("utf-8"))
    form |= {"num_hidden_layers": 12, "hidden_size": 768, "vocab_size": 30522}
    (bert / "config.json").write_text(json.dumps(form))
    assert not list(differ(row, there))


@pytest.mark.sweep
def test_an_attacked_row_has_all_nine_figures(place: Place, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    full = TABLES["shared-words-1"]
    row = next(row for row in full.rows if row.name == "MRPC, BiMPM, normal")
    row = dataclasses.replace(row, model="bow", learns=("paws-wiki",), data=("paws-wiki",))
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(sentences(200, 5)["first"]))
    words = ("--steps", "5", "--batch-size", "4", "--window", "8", "--threads", "1", "--out", tmp_path / "mlm")
    assert identify("mlm", "--encoder", write_bert(tmp_path / "bert"), "--texts", texts, *words) == 0
    there = dataclasses.replace(place, weights={"bert-base-uncased": str(tmp_path / "mlm")})
    table = dataclasses.replace(full, rows=(row,), settings=SMALL)
    (ours,) = attack_rows(table, [row], there, originals=2).values()
    assert len(ours.figures) == len(full.columns)
    assert "2 originals of each label, not 500" in ours.marks
    assert attack_rows(table, [row], there, originals=2)[row.name].figures == ours.figures
