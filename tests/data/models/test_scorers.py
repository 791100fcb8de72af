"""Scorers by name: what they must answer, and what is said where there is none."""

import json
from pathlib import Path

import numpy as np
import pytest

from data.console.errors import InputError
from data.models.scorers import identify, open_scorer


def overlap(first: list[str], second: list[str]) -> list[float]:
    words = [(set(a.split()), set(b.split())) for a, b in zip(first, second, strict=True)]
    return [len(a & b) / len(a | b) for a, b in words]


def too_few(first: list[str], second: list[str]) -> list[float]:
    return [0.5]


def beyond(first: list[str], second: list[str]) -> list[float]:
    return [1.5 for _ in first]


def undefined(first: list[str], second: list[str]) -> list[float]:
    return [float("nan") for _ in first]


def words(first: list[str], second: list[str]) -> list[str]:
    return ["yes" for _ in first]


NO_FUNCTION = 3


def test_a_function_is_a_scorer_by_its_name() -> None:
    found = open_scorer("tests.data.models.test_scorers:overlap")(("a b", "a"), ("b c", "a"))
    np.testing.assert_allclose(found, [1 / 3, 1])
    assert found.dtype == np.float64
    assert len(open_scorer("tests.data.models.test_scorers:overlap")([], [])) == 0


def test_a_function_is_told_from_what_its_file_held_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = set()
    for number in (1, 1, 2):
        (tmp_path / "own_scorer.py").write_text(f"def score(first, second):\n    return [{number}] * len(first)\n")
        found.add(identify("own_scorer:score"))
    assert len(found) == 2
    assert identify("math:dist") != identify("math:hypot")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("too_few", r"expected 2 scores from 0 to 1, found \[0.5\]"),
        ("beyond", "found others among them"),
        ("undefined", "found others among them"),
        ("words", "found \\['yes', 'yes'\\]"),
    ],
)
def test_answers_that_are_no_scores_are_refused(name: str, found: str) -> None:
    with pytest.raises(InputError, match=found):
        open_scorer(f"tests.data.models.test_scorers:{name}")(["a", "b"], ["c", "d"])


def test_what_a_users_function_raises_is_shown_and_no_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "raising_model.py").write_text("def score(first, second):\n    return {}['weights']\n", "utf-8")
    (tmp_path / "own_typo.py").write_text("def score(first, second)\n    return []\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"^raising_model:score: .*found KeyError: 'weights'; correct it"):
        open_scorer("raising_model:score")(["a"], ["b"])
    assert "raising_model.py" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"^own_typo:score: .*found SyntaxError"):
        open_scorer("own_typo:score")


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("nowhere/at/all", "expected the folder of a trained model, or module:function, found neither"),
        ("tests.data.models.test_scorers:nothing", "expected a function that can be imported"),
        ("tests.no_such_module:overlap", "expected a function that can be imported"),
        ("tests.data.models.test_scorers:NO_FUNCTION", "expected a function, found .*, which is none"),
    ],
)
def test_what_names_no_scorer_is_refused(spec: str, found: str) -> None:
    with pytest.raises(InputError, match=found):
        open_scorer(spec)


CALLED: list[object] = []
"""What `trap` was given."""


def trap(*given: object) -> object:
    CALLED.append(given)
    return overlap


HOSTILE = ["tests.data.models.test_scorers:trap", "generation.engines.lmplz:_build",
           "identification.training.artefact:load", "os:system", "subprocess:run", "builtins:eval",
           "data.storage.pack:unpack", "demo.__main__:main", "data.models.scorers:_load",
           "identification.training.artefact:_build", "paraphrase_game.judges.models:open_model",
           "", ":", "a:", ":b", "..:x",
           "parade-run/1:load", "parade-run/1 ", "PARADE-RUN/1", "../parade-run/1", "parade-run/1\n", "\x00",
           3, None, True, [], {}, ["parade-run/1"], {"parade-run/1": 1}, 1e308]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_a_folder_names_no_function(tmp_path: Path, name: object) -> None:
    for keys in (("loader",), ("format",), ("format", "loader")):
        (tmp_path / "run.json").write_text(json.dumps(dict.fromkeys(keys, name)), "utf-8")
        with pytest.raises(InputError, match="expected the folder of a trained model, found the format"):
            open_scorer(tmp_path)
    assert not CALLED


def test_a_run_of_no_known_format_is_no_model(tmp_path: Path) -> None:
    for content, found in (
        ('{"format": 3}', "the format '3'"),
        ("[]", "another form"),
        ("{", "as JSON, found Expecting"),
    ):
        (tmp_path / "run.json").write_text(content, "utf-8")
        with pytest.raises(InputError, match=found):
            open_scorer(tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(InputError, match=r"found no run\.json in it; train one with"):
        open_scorer(tmp_path)
