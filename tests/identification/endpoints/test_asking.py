"""A data set asked of a language model: what the folder holds, and what a second run does."""

import json
import sqlite3
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import InputError
from identification.endpoints.asking import Asking, ask, name_folder
from tests.identification.endpoints.model_server import completion, reply, serve

FRAME = pd.DataFrame(
    {
        "pair_id": ["p1", "p2", "p3"],
        "first": ["a cat", "a tree", "a wall"],
        "second": ["a cat or feline", "a stone", "a door"],
    }
)


def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
    text = "yes" if "cat" in question else "no" if "tree" in question else "It depends"
    reply(handler, completion(text))


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.txt"
    path.write_text("Do {first} and {second} mean the same? Yes or no.\n")
    return path


def test_the_folder_holds_scores_outcomes_and_cost(prompt: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with serve(respond) as server:
        asking = Asking(model="tiny", url=server.url, prompt=prompt)
        endpoint, question = asking.read()
        first = ask(FRAME, endpoint, question, asking.budget, folder)
        second = ask(FRAME, endpoint, question, asking.budget, folder)
    assert first.counts == second.counts == {"yes": 2, "no": 2, "unparsed": 2}
    assert (first.n_requests, second.n_requests) == (6, 0)
    assert first.models == ("tiny-1",)
    assert (folder / "predictions.csv").read_text().splitlines() == ["pair_id,score", "p1,1.0", "p2,0.0"]
    outcomes = pd.read_csv(folder / "outcomes.csv")
    assert outcomes["outcome"].tolist() == ["yes", "no", "unparsed"]
    facts = json.loads((folder / "run.json").read_text())
    assert facts["model"] == "endpoint:tiny"
    assert facts["outcomes"] == first.counts
    assert facts["tokens"] == 72
    assert facts["config"]["prompt"] == question.template
    with sqlite3.connect(folder / "answers.sqlite") as answers:
        assert answers.execute("SELECT text FROM answers WHERE outcome = 'unparsed'").fetchone() == ("It depends",)


def test_a_second_data_set_leaves_the_outcomes_of_the_first(prompt: Path, tmp_path: Path) -> None:
    more = pd.DataFrame({"pair_id": ["p3", "p4"], "first": ["a tree", "a cat"], "second": ["a tree", "the cat"]})
    with serve(respond) as server:
        asking = Asking(model="tiny", url=server.url, prompt=prompt)
        endpoint, question = asking.read()
        for frame in (FRAME, more):
            ask(frame, endpoint, question, asking.budget, tmp_path)
    assert pd.read_csv(tmp_path / "outcomes.csv")["outcome"].tolist() == ["yes", "no", "no", "yes"]
    lines = (tmp_path / "predictions.csv").read_text().splitlines()
    assert lines == ["pair_id,score", "p3,0.0", "p4,1.0"]


def test_what_a_server_does_not_give_is_said_in_every_run(prompt: Path, tmp_path: Path) -> None:
    def refuse(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        if server.requests[-1].get("top_logprobs", 0) > 5:
            reply(handler, b"top_logprobs must be at most 5", 400)
        else:
            respond(handler, question, time)

    with serve(refuse) as server:
        asking = Asking(model="tiny", url=server.url, prompt=prompt)
        runs = [ask(FRAME, *asking.read(), asking.budget, tmp_path) for _ in range(2)]
    assert len({run.losses for run in runs}) == 1
    fewer, silent = runs[0].losses
    assert "no more than 5 log-probabilities" in fewer
    assert "no log-probability of the other word came" in silent
    assert json.loads((tmp_path / "run.json").read_text())["form"]["top"] == 5


def test_prompt_and_model_name_the_folder(prompt: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("{first} = {second}?")
    names = {
        name_folder(*Asking(model=model, prompt=path).read())
        for path in (prompt, other)
        for model in ("org/model:7b", "model")
    }
    assert len(names) == 4
    assert all("/" not in name and name.startswith("endpoint-") for name in names)


def test_bad_settings_are_one_line(prompt: Path) -> None:
    with pytest.raises(InputError, match="--concurrency"):
        Asking(model="tiny", prompt=prompt, concurrency=0)
    with pytest.raises(InputError, match="expected two words"):
        Asking(model="tiny", prompt=prompt, yes="yes", no="YES")
    with pytest.raises(InputError, match="--timeout"):
        Asking(model="tiny", prompt=prompt, timeout=0.0)
    with pytest.raises(InputError, match="MODEL: expected the model's name"):
        Asking(model="", prompt=prompt)
