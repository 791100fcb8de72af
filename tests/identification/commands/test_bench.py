"""The command bench: every cell trained once, whatever interrupts it; wrong files are one line."""

import json
import resource
import shutil
from pathlib import Path

import pytest

from data.console.errors import InputError
from identification.commands.bench import read_cells
from tests.identification.world import call, write_pairs

FILE = """
seeds = [1, 2]
shares = [0.5, 1]
[datasets.small]
path = "{path}"
[models.bow]
vector-size = 8
epochs = 1
threads = 1
train-words = true
[models.paper-bow]
model = "bow"
recipe = "paper"
vector_size = 8
epochs = 1
threads = 1
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "bench.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_cells_are_the_product_of_the_file(tmp_path: Path) -> None:
    cells = read_cells(write(tmp_path, FILE.format(path="pairs")))
    assert [str(cell.folder) for cell in cells] == [
        f"small/{model}/seed-{seed}{part}" for model in ("bow", "paper-bow") for part in ("-0.5", "") for seed in (1, 2)
    ]
    words = " ".join(cells[-1].words)
    assert words == "bow --recipe paper --vector-size 8 --epochs 1 --threads 1 --dataset pairs --seed 2"
    assert "--train-words --dataset" in " ".join(cells[0].words)
    assert "--share 0.5" in " ".join(cells[0].words)


@pytest.mark.sweep
def test_a_bench_trains_what_is_missing_and_nothing_twice(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    text = FILE.format(path=write_pairs(tmp_path / "pairs")).replace("[1, 2]", "[1]").replace("[0.5, 1]", "[1]")
    file, out = write(tmp_path, text), tmp_path / "out"
    b"x" * 2**30  # is given back at once, and is no part of what a training takes
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert call("bench", file, "--out", out) in (0, 1)
    folders = [out / "small" / name / "seed-1" for name in ("bow", "paper-bow")]
    stamps = [(folder / "run.json").stat().st_mtime_ns for folder in folders]
    assert json.loads((folders[1] / "run.json").read_text())["config"]["recipe"] == "paper"
    assert json.loads((folders[1] / "run.json").read_text())["memory"] < before / 1024
    assert "2 trainings, 0 of them done" in capfd.readouterr().out
    call("bench", file, "--out", out)
    shown = capfd.readouterr().out
    assert "2 trainings, 2 of them done" in shown
    assert f"next: python -m analysis.models --dataset {tmp_path / 'pairs'} --runs {out / 'small'}" in shown
    assert [(folder / "run.json").stat().st_mtime_ns for folder in folders] == stamps


@pytest.mark.sweep
@pytest.mark.parametrize("change", ["epochs", "pairs", "model", "file of vectors"])
def test_a_run_of_something_else_is_not_taken_for_done(
    change: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    pairs = write_pairs(tmp_path / "pairs")
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("oak 1 0\nelm 0 1\n")
    text = f'[datasets.small]\npath = "{pairs}"\n[models.small]\nmodel = "bow"\nvectors = "{vectors}"\nepochs = 1\n'
    assert call("bench", write(tmp_path, text), "--out", tmp_path / "out") in (0, 1)
    if change == "pairs":
        rows = (pairs / "train.tsv").read_text()
        (pairs / "train.tsv").write_text(rows[: rows.rindex("\n", 0, -1) + 1])
    if change == "file of vectors":
        vectors.write_text("oak 1 1\nelm 0 1\n")
    changed = text.replace("epochs = 1", "epochs = 2") if change == "epochs" else text
    changed = text.replace('"bow"', '"bilstm"') if change == "model" else changed
    assert call("bench", write(tmp_path, changed), "--out", tmp_path / "out") == 2
    assert f"expected a run of what the file asks for, found one with another {change};" in capfd.readouterr().err


@pytest.mark.sweep
def test_an_ensemble_of_members_trained_again_is_not_taken_for_done(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    text = FILE.format(path=write_pairs(tmp_path / "pairs")).replace("[1, 2]", "[1]").replace("[0.5, 1]", "[1]")
    file, out = write(tmp_path, f'{text}[models.both]\nmodel = "ensemble:bow+paper-bow"\n'), tmp_path / "out"
    assert call("bench", file, "--out", out) in (0, 1)
    assert call("bench", file, "--out", out) in (0, 1)
    shutil.rmtree(out / "small" / "bow")
    assert call("bench", file, "--out", out) == 2
    shown = capfd.readouterr()
    assert "3 trainings, 3 of them done" in shown.out
    assert "expected a run of what the file asks for, found one with another member;" in shown.err


@pytest.mark.sweep
def test_a_model_that_learned_nothing_is_named_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    text = FILE.format(path=write_pairs(tmp_path / "pairs")).replace("[1, 2]", "[1]").replace("[0.5, 1]", "[1]")
    file, out = write(tmp_path, text), tmp_path / "out"
    call("bench", file, "--out", out)
    path = out / "small" / "bow" / "seed-1" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"outcome": "loss_did_not_fall"}))
    assert call("bench", file, "--out", out) == 1
    assert "nothing was learned by small/bow/seed-1" in capfd.readouterr().err


@pytest.mark.sweep
def test_the_next_step_names_the_split(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    head = f'[datasets.small]\npath = "{write_pairs(tmp_path / "pairs")}"\nscheme = "by-entity"\n'
    model = "[models.bow]\nvector-size = 8\nepochs = 1\nthreads = 1\n"
    assert call("bench", write(tmp_path, head + model), "--out", tmp_path / "out") in (0, 1)
    steps = [line for line in capfd.readouterr().out.splitlines() if line.startswith("next:")]
    assert steps
    assert all(line.endswith("--scheme by-entity") for line in steps)


@pytest.mark.sweep
@pytest.mark.parametrize("flags", [[], ["--isolated"]])
def test_a_training_that_fails_ends_the_bench_in_one_line(
    flags: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    file = write(tmp_path, '[datasets.none]\npath = "nowhere"\n[models.bow]\n')
    assert call("bench", file, "--out", tmp_path / "out", *flags) == 2
    assert "error: none/bow/seed-1: expected a training that ends, found the exit code 2" in capfd.readouterr().err


def test_a_model_may_have_seeds_of_its_own(tmp_path: Path) -> None:
    text = FILE.format(path="pairs").replace('model = "bow"', 'model = "bow"\nseeds = [7]').replace("[0.5, 1]", "[1]")
    cells = read_cells(write(tmp_path, text))
    assert [(cell.model, cell.seed) for cell in cells] == [("bow", 1), ("bow", 2), ("paper-bow", 7)]


def test_a_model_may_have_data_sets_of_its_own(tmp_path: Path) -> None:
    text = '[datasets.a]\npath = "x"\n[datasets.b]\npath = "y"\n[models.bow]\n[models.esim]\ndatasets = ["b"]\n'
    cells = read_cells(write(tmp_path, text))
    assert [(cell.dataset, cell.model) for cell in cells] == [("a", "bow"), ("b", "bow"), ("b", "esim")]


def test_an_ensemble_comes_last_and_takes_the_runs_of_its_seed(tmp_path: Path) -> None:
    text = """
seeds = [1, 2]
[datasets.small]
path = "pairs"
[models.both]
model = "ensemble:bow+esim+elsewhere"
[models.bow]
[models.esim]
seeds = [7]
"""
    cells = read_cells(write(tmp_path, text))
    assert [(cell.model, cell.seed) for cell in cells] == [
        ("bow", 1),
        ("bow", 2),
        ("esim", 7),
        ("both", 1),
        ("both", 2),
    ]
    assert cells[-1].members[:2] == (Path("small/bow/seed-2"), Path("small/esim/seed-7"))
    assert cells[-1].members[2] == Path("elsewhere").absolute()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "expected the models and data sets of a bench, as TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, "as TOML, found maximum recursion depth"),
        ("x" + ".x" * 5000 + " = 1", "as TOML, found maximum recursion depth"),
        ("x = " + "9" * 5000, "as TOML, found Exceeds the limit"),
        ("shares = 1", "expected shares"),
        ("shares = [true]", "expected shares"),
        ("seeds = [99999999999999999999]", "expected seeds as a list of whole numbers below 2**32"),
        ("sizes = [1]", "found sizes"),
        ("seeds = []", "expected seeds as a list of whole numbers"),
        ("seeds = [1.5]", "expected seeds as a list of whole numbers"),
        ("shares = [0]", "expected shares"),
        ("seeds = [1]", "expected a table [datasets.NAME]"),
        ('[datasets."a/b"]\npath = "x"\n[models.bow]', "found 'a/b'"),
        ('[datasets."a+b"]\npath = "x"\n[models.bow]', "without +, found 'a+b'"),
        ('[datasets.a]\npath = "x"', "expected a table [models.NAME]"),
        ('[datasets.a]\npath = "x"\n[models.bow]\nepoch = 3', "found epoch"),
        ('[datasets.a]\npath = "x"\n[models.bow]\nseed = 3', "found seed"),
        *(
            (f'[datasets.a]\npath = "x"\n[models.bow]\nseeds = {seeds}', "expected seeds as a list of whole numbers")
            for seeds in ("3", "[]", "[1.5]", "[-1]")
        ),
        *(
            (f'[datasets.a]\npath = "x"\n[models.bow]\ndatasets = {names}', "expected datasets as a list of a, found")
            for names in ('"a"', "[]", "[1]", '["b"]')
        ),
        ("[datasets.a]\n[models.bow]", "found no path"),
        ('[datasets.a]\npath = "x"\nlabels = 3\n[models.bow]', "found labels"),
    ],
)
def test_wrong_files_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_cells(write(tmp_path, text))
    assert message in str(caught.value)
    assert "bench.toml" in str(caught.value)
