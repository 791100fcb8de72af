"""Runs of models have one name in all rooms: the model's, with the seed where it has several, or the run's id."""

import pandas as pd
import pytest

from data.console.errors import InputError
from data.models.runs import find_run, name_others, name_runs


def runs(*rows: tuple[str, int, str]) -> pd.DataFrame:
    """Runs (model, seed, run_id), each recorded a minute after the one before."""
    times = pd.date_range("2026-01-01", periods=len(rows), freq="min", tz="UTC")
    return pd.DataFrame(rows, columns=["model", "seed", "run_id"]).assign(at=times)


SEVERAL = runs(("m", 1, "r1"), ("m", 2, "r2"), ("m", 1, "r3"), ("other", 5, "r4"))


def test_seeds_are_named_and_earlier_runs_go_by_their_id() -> None:
    assert name_runs(SEVERAL).tolist() == ["r1", "m, seed 2", "m, seed 1", "other"]
    assert name_runs(SEVERAL[::-1]).tolist() == ["other", "m, seed 1", "m, seed 2", "r1"]
    assert name_runs(SEVERAL[:0]).empty


def test_every_name_finds_its_run_and_a_model_its_latest() -> None:
    for name, run_id in zip(name_runs(SEVERAL), SEVERAL["run_id"], strict=True):
        assert find_run(SEVERAL, name, "--model")["run_id"] == run_id
        assert find_run(SEVERAL, run_id, "--model")["name"] == name
    assert find_run(SEVERAL, "m", "--model")["run_id"] == "r3"
    assert find_run(SEVERAL[:3], None, "--model")["run_id"] == "r3"


@pytest.mark.parametrize("name", [None, "m, seed 3", "n"])
def test_what_is_not_one_run_is_refused_with_the_names(name: str | None) -> None:
    with pytest.raises(InputError, match="expected one of m; m, seed 1; m, seed 2; other, or a run_id, found"):
        find_run(SEVERAL, name, "--model")


def test_the_choice_among_several_runs_is_said() -> None:
    taken = "m has 3 runs; taken: m, seed 1, of 2026-01-01 00:02 (--model 'm, seed 2'; 'r1')"
    assert name_others(SEVERAL, find_run(SEVERAL, "m", "--model"), "--model") == taken
    assert name_others(SEVERAL, find_run(SEVERAL, "other", "--model"), "--model") is None
