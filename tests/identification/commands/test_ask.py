"""`ask`: a language model's scores of files and stores, and what is left open."""

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pandas as pd
import pytest

from analysis import models
from data.console.commands import run
from data.contract.tables.models import Predictions, Runs
from data.storage.store import Store
from tests.identification.endpoints.model_server import completion, reply, serve
from tests.identification.world import THINGS, call, write_pairs

KINDS = {thing: kind for kind, things in THINGS.items() for thing in things}


def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
    kinds = [KINDS[word] for word in question.split() if word in KINDS]
    reply(handler, completion("yes" if len(set(kinds)) == 1 else "no"))


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.txt"
    path.write_text("{first} | {second} ?")
    return path


@pytest.mark.sweep
def test_a_data_set_is_scored_and_judged_like_any_model(
    prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, out = write_pairs(tmp_path / "pairs"), tmp_path / "runs"
    with serve(respond) as server:
        flags = ("--dataset", pairs, "--prompt", prompt, "--url", server.url, "--out", out)
        assert call("ask", "tiny", *flags) == 0
    shown = capsys.readouterr().out
    assert "440 questions about 220 pairs" in shown
    assert f"next: python -m analysis.baselines --dataset {pairs} --predictions {out / 'predictions.csv'}" in shown
    args = [
        "--dataset",
        str(pairs),
        "--runs",
        str(out),
        "--resamples",
        "10",
        "--out",
        str(tmp_path / "page"),
    ]
    assert run(models.main, prog="models", args=args) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("endpoint:tiny"))
    assert "1.000" in line


@pytest.mark.sweep
def test_a_store_gets_the_scores_of_the_answered_pairs(
    ready_store: Store, prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(respond) as server:
        flags = ("--dataset", ready_store.root, "--prompt", prompt, "--url", server.url, "--out", tmp_path / "run")
        assert call("ask", "tiny", *flags, "--max-requests", 101, "--concurrency", 1) == 1
        assert "139 questions without an answer of one word" in capsys.readouterr().err
        assert call("ask", "tiny", *flags) == 0
        assert len(server.requests) == 240
    runs = ready_store.read(Runs)
    assert runs["model"].tolist() == ["endpoint:tiny", "endpoint:tiny"]
    latest = runs.sort_values("at")["run_id"].iloc[-1]
    scores = ready_store.read(Predictions, run_id=latest)
    assert len(scores) == 120
    assert set(scores["score"]) <= {0.0, 1.0}
    assert ready_store.read(Predictions).groupby("run_id").size().min() >= 1


def test_only_what_is_open_is_to_be_asked_again(
    prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, flags = tmp_path / "pairs.csv", ("--prompt", prompt, "--out", tmp_path / "run")
    pd.DataFrame({"first": ["a"], "second": ["b"]}).to_csv(pairs, index=False)
    cut = completion("", choice={"finish_reason": "length"})
    with serve(lambda handler, question, time: reply(handler, cut)) as server:
        command = ("ask", "tiny", "--file", pairs, "--url", server.url, *flags)
        assert call(*command) == 2
        assert "cut off before the answer began (finish_reason length); allow more --max-ans" in capsys.readouterr().err
        server.respond = lambda handler, question, time: reply(handler, b"down", 503)
        assert call(*command, "--attempts", 1) == 1
        captured = capsys.readouterr()
        assert "note: 1 pair with an error: status 503: down, 1 times" in captured.out
        assert "run the same command again to ask the 2 that are open" in captured.err
        server.respond = lambda handler, question, time: reply(handler, completion("Perhaps"))
        assert call(*command) == 1
        captured = capsys.readouterr()
        assert "they are not asked again" in captured.err
        server.respond = respond
        assert call(*command) == 1
        assert len(server.requests) == 5


def test_a_model_s_name_in_another_encoding_is_one_line(
    prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("ask", "\udcff", "--file", tmp_path / "x.csv", "--prompt", prompt) == 2
    assert "expected text in UTF-8, found '\\udcff'" in capsys.readouterr().err


def test_bad_input_is_one_line(prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.csv"
    pd.DataFrame({"first": ["a"], "second": ["b"]}).to_csv(pairs, index=False)
    assert call("ask", "tiny", "--file", pairs) == 2
    assert "arguments: expected --prompt PATH, found none" in capsys.readouterr().err
    assert call("ask", "", "--file", pairs, "--prompt", prompt) == 2
    assert "MODEL: expected the model's name" in capsys.readouterr().err
    flags = ("--prompt", prompt, "--url", "http://127.0.0.1:9/v1", "--attempts", 1, "--out", tmp_path / "run")
    assert call("ask", "tiny", "--file", pairs, *flags) == 1
    assert "2 questions without an answer" in capsys.readouterr().err
