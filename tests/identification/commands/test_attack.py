"""The commands attack and mlm, as they are typed."""

import json
import re
import shutil
import sys
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis import leakage, splits
from data.console.commands import run
from data.console.errors import InputError
from data.contract.tables.attacks import Attacks
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.labelled import sources
from data.models.runs import find_latest
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.languages.base import language
from tests.identification.endpoints.model_server import completion, reply, serve
from tests.identification.world import THINGS, VERBS, call, sentences

OVERLAP = "tests.identification.commands.test_attack:overlap"


def overlap(first: list[str], second: list[str]) -> NDArray[np.float64]:
    """A model that only counts shared words, of which negative pairs can be given more."""
    sets = [(set(a.split()), set(b.split())) for a, b in zip(first, second, strict=True)]
    return np.array([min(1.0, 0.2 * len(a & b)) for a, b in sets])


def one_sided(first: list[str], second: list[str]) -> NDArray[np.float64]:
    """A model that sees more in the first text."""
    return np.array([min(1.0, overlap([a], [b])[0] + 0.01 * len(a)) for a, b in zip(first, second, strict=True)])


def constant(first: list[str], second: list[str]) -> list[float]:
    """A model with one answer."""
    return [0.5] * len(first + second[:0])


@pytest.fixture(scope="module")
def attacked(pairs: Path, mlm: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store of an attack on the model that counts shared words."""
    folder = tmp_path_factory.mktemp("attacked")
    words = ("--originals", "12", "--out", folder, "--guards", "opposites", "--floor", "0", "--review", "4")
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, *words) == 0
    return Store(folder)


@pytest.mark.sweep
def test_every_attempt_is_a_row_and_every_modified_pair_names_its_parents(attacked: Store) -> None:
    attempts, pairs = attacked.read(Attacks), attacked.read(Pairs, generator="shared-words")
    assert attempts["label"].value_counts().to_dict() == {1: 12, 0: 12}
    assert (attempts.loc[attempts["label"] == 1, "outcome"] != "fooled").all()
    fooled = attempts[attempts["outcome"] == "fooled"]
    assert len(fooled) >= 6
    assert (fooled["score_before"] < 0.5).all()
    assert (fooled["score_after"] >= 0.5).all()
    assert all(len(parents) == 2 for parents in fooled["parents"])
    modified = pairs.set_index("pair_id").loc[fooled["pair_id"]]
    assert set(modified["selection"]) == {"fooled"}
    assert list(map(list, modified["parents"])) == list(map(list, fooled["parents"]))
    texts = attacked.read(GeneratedTexts).set_index("text_id")
    assert set(modified["first_id"]) <= set(texts.index)
    assert texts["steps"].map(len).min() >= 1


def test_people_are_asked_about_pairs_that_misled_the_model_and_originals(attacked: Store) -> None:
    review = attacked.read(Pairs, generator="shared-words-review")
    assert review["selection"].value_counts().to_dict() == {"fooled": 4, "original": 4}
    assert set(review["sample_of"]) == {"shared-words"}
    assert set(review["pair_id"]) <= set(attacked.read(Pairs, generator="shared-words")["pair_id"])
    labels = attacked.read(Labels).set_index("pair_id")["binary"]
    originals = review[review["selection"] == "original"]
    assert labels[originals["pair_id"]].value_counts().to_dict() == {1: 2, 0: 2}


def test_a_review_of_fewer_pairs_than_asked_for_says_so(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--originals", 6, "--out", tmp_path, "--review", 50)
    assert call(*line, "--guards", "opposites", "--floor", 0) == 0
    n = int((Store(tmp_path).read(Attacks)["outcome"] == "fooled").sum())
    assert 1 < n <= 12
    assert f"for review: {n} pairs that misled the model, 12 originals" in capsys.readouterr().out


def test_scores_labels_and_measures_are_in_their_tables(attacked: Store) -> None:
    attempts = attacked.read(Attacks)
    fooled = attempts[attempts["outcome"] == "fooled"].set_index("pair_id")
    labels = attacked.read(Labels)
    assert set(labels["method"]) == {"inherited"}
    assert set(labels["n_votes"]) == {0}
    assert set(labels["decided_by"]) == {"shared-words"}
    assert labels.set_index("pair_id").loc[fooled.index, "binary"].tolist() == fooled["label"].tolist()
    scores = attacked.read(Predictions).set_index("pair_id")["score"]
    assert scores[fooled.index].tolist() == fooled["score_after"].tolist()
    assert scores[fooled["original_id"]].tolist() == fooled["score_before"].tolist()
    assert attacked.read(Runs)["model"].tolist() == [OVERLAP]
    drops = attacked.read(PairMeasures).set_index("pair_id")["value"]
    assert (drops[fooled.index] > 0).all()
    assert set(attacked.read(Splits)["split"]) == {"test"}


@pytest.mark.sweep
def test_the_same_seed_gives_the_same_pairs_and_finished_shards_are_kept(
    pairs: Path, mlm: Path, attacked: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--originals", "12", "--out", tmp_path, "--guards", "opposites", "--floor", "0")
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, *words, "--review", "-1") == 2
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, *words) == 0
    columns = [name for name in Attacks.columns() if name != "seconds"]
    assert Store(tmp_path).read(Attacks)[columns].equals(attacked.read(Attacks)[columns])
    done = {path: path.stat().st_mtime_ns for path in Store(tmp_path).shards.rglob("attempts.json")}
    assert len(done) == 2
    fewer = ("--originals", "10", *words[2:])
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, *fewer) == 0
    found = {path: path.stat().st_mtime_ns for path in Store(tmp_path).shards.rglob("attempts.json")}
    assert found == done
    assert Store(tmp_path).read(Attacks)["label"].value_counts().to_dict() == {1: 10, 0: 10}
    monkeypatch.setattr("data.storage.manifest.code_version", lambda stage: "a newer one")
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, *fewer) == 0
    assert len(list(Store(tmp_path).shards.rglob("attempts.json"))) == len(done) + 1


@pytest.mark.sweep
def test_another_model_in_the_same_folder_is_asked_again(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed: make models")
    words, store = shutil.copytree(mlm, tmp_path / "words"), tmp_path / "store"
    line = ("attack", OVERLAP, "--mlm", words, "--dataset", pairs, "--originals", "3", "--out", store)
    assert call(*line) == 0
    (first,) = Store(store).shards.rglob("attempts.json")
    weights = words / "model.safetensors"
    changed = {name: values + 1 for name, values in numpy.load_file(weights).items()}
    numpy.save_file(changed, weights, {"format": "pt"})
    assert call(*line) == 0
    assert len({first, *Store(store).shards.rglob("attempts.json")}) == 2


@pytest.mark.sweep
def test_more_originals_on_files_leave_no_pair_without_a_split(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--out", tmp_path, "--floor", 0)
    for split, n in (("test", 3), ("test", 6), ("validation", 2)):
        assert call(*line, "--guards", "opposites", "--split", split, "--generator", split, "--originals", n) == 0
    store = Store(tmp_path)
    splits = store.read(Splits).set_index("pair_id")["split"]
    for split in ("test", "validation"):
        assert set(splits[store.read(Pairs, generator=split)["pair_id"]]) == {split}
    assert set(splits.index) == set(store.read(Pairs)["pair_id"])


@pytest.mark.sweep
def test_models_of_one_name_and_seed_stay_apart_where_they_were_not_trained(
    pairs: Path, mlm: Path, tmp_path: Path
) -> None:
    for size in (10, 12):
        trained = tmp_path / f"bow-{size}"
        words = ("--dataset", pairs, "--out", trained, "--vector-size", size, "--learning-rate", 0.005)
        assert call("train", "bow", *words) == 0
        line = ("attack", trained, "--mlm", mlm, "--dataset", pairs, "--originals", 3, "--generator", f"on-{size}")
        assert call(*line, "--out", tmp_path / "store") == 0
    store = Store(tmp_path / "store")
    runs = find_latest(store.read(Runs)).set_index("model")
    assert sorted(runs.index) == [str(tmp_path / "bow-10"), str(tmp_path / "bow-12")]
    for size in (10, 12):
        attempts = store.read(Attacks, attack=f"on-{size}").set_index("original_id")
        run_id = runs.loc[str(tmp_path / f"bow-{size}"), "run_id"]
        scores = store.read(Predictions, run_id=run_id).set_index("pair_id")["score"]
        assert scores[attempts.index].tolist() == attempts["score_before"].tolist()
        assert set(scores.index) == {*attempts.index, *attempts["pair_id"].dropna()}


@pytest.mark.sweep
def test_a_function_that_was_changed_is_asked_again(
    pairs: Path, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def score(first, second):\n    return [{} if len(a) % 2 else 0.25 for a in first]\n"
    store = Store(tmp_path / "store")
    line = ("--mlm", mlm, "--dataset", pairs, "--originals", 3, "--out", store.root)
    monkeypatch.syspath_prepend(tmp_path)
    for high in (0.75, 0.625):
        (tmp_path / "own_model.py").write_text(code.format(high))
        monkeypatch.delitem(sys.modules, "own_model", raising=False)
        assert call("attack", "own_model:score", *line) == 0
        assert set(store.read(Attacks)["score_before"]) <= {0.25, high, (0.25 + high) / 2}


def test_pairs_of_another_command_are_not_replaced(
    pairs: Path, mlm: Path, attacked: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path)
    made = attacked.read(Pairs, generator="shared-words").assign(generator="swaps-review")
    store.replace(Pairs, made, Manifest(stage="generation.swap"), generator="swaps-review")
    words = ("--mlm", mlm, "--dataset", pairs, "--originals", "3", "--out", tmp_path, "--generator", "swaps")
    words = (*words, "--review", "2")
    assert call("attack", OVERLAP, *words) == 2
    assert "'swaps-review', pairs made by generation.swap" in capsys.readouterr().err
    attack = Manifest(stage="identification.attack")
    store.replace(Pairs, made, attack, generator="swaps-review")
    assert call("attack", OVERLAP, *words) == 2
    assert "'swaps-review', pairs made by identification.attack" in capsys.readouterr().err
    store.replace(Pairs, made.assign(generator="swaps", sample_of="other"), attack, generator="swaps")
    assert call("attack", OVERLAP, *words) == 2
    assert "'swaps', a sample of other made by identification.attack" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_model_with_one_answer_is_a_finding(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = OVERLAP.replace(":overlap", ":constant")
    assert call("attack", name, "--mlm", mlm, "--dataset", pairs, "--originals", 3, "--out", tmp_path) == 1
    assert "constant_prediction" in capsys.readouterr().err


def test_a_store_is_attacked_under_a_frozen_split_alone(
    ready_store: Store, mlm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", ready_store.root) == 2
    assert "expected a frozen split" in capsys.readouterr().err


@pytest.mark.sweep
def test_modified_pairs_join_the_split_of_their_parents_and_nothing_leaks(
    ready_store: Store, mlm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(ready_store.root)
    assert run(splits.main, prog="splits", args=["--store", root, "--freeze"]) == 0
    before = ready_store.read(Splits).set_index("pair_id")["split"]
    for split in ("train", "test"):
        flags = ("--originals", 8, "--guards", "opposites", "--floor", 0, "--split", split, "--generator", split)
        assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", root, *flags) == 0
    assert run(splits.main, prog="splits", args=["--store", root, "--method", "inherited"]) == 0
    after = ready_store.read(Splits).set_index("pair_id")["split"]
    assert after[before.index].equals(before)
    for split in ("train", "test"):
        attempts = ready_store.read(Attacks, attack=split)
        put_together = attempts.loc[attempts["label"] == 0, "original_id"]
        modified = attempts["pair_id"].dropna()
        assert len(put_together) >= 5
        assert len(modified) >= 5
        assert set(after[[*put_together, *modified]]) == {split}
    capsys.readouterr()
    for method in ("majority", "inherited"):
        assert run(leakage.main, prog="leakage", args=["--store", root, "--method", method, "--suspects", "0"]) == 0
        assert "no leak in the scheme 'by-entity'" in capsys.readouterr().out


@pytest.mark.sweep
def test_a_language_model_behind_an_address_is_attacked_within_its_budget(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        first, second = question.removesuffix(" ?").split(" | ")
        reply(handler, completion("yes" if overlap([first], [second])[0] >= 0.5 else "no"))

    (tmp_path / "prompt.txt").write_text("{first} | {second} ?")
    flags = ("--dataset", pairs, "--mlm", mlm, "--prompt", tmp_path / "prompt.txt", "--originals", 3, "--floor", 0)
    flags += ("--guards", "opposites", "--beam", 2, "--words", 4)
    with serve(respond) as server:
        address = (*flags, "--url", server.url)
        assert call("attack-endpoint", "tiny", *address, "--out", tmp_path / "all") == 0
        asked = len(server.requests)
        assert call("attack-endpoint", "tiny", *address, "--out", tmp_path / "few", "--max-queries", 9) == 0
        assert "originals ended with no more answers: raise --max-queries" in capsys.readouterr().out
        assert len(server.requests) < 2 * asked
    attempts = Store(tmp_path / "all").read(Attacks)
    assert len(attempts) == 6
    assert set(attempts["target"]) == {"endpoint:tiny"}
    assert set(attempts["score_before"]) <= {0.0, 1.0}
    assert asked <= 2 * attempts["queries"].sum()
    few = Store(tmp_path / "few").read(Attacks)
    assert few["queries"].max() <= 9


@pytest.mark.sweep
def test_originals_without_an_answer_are_neither_right_nor_wrong(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prompt.txt").write_text("{first} | {second} ?")
    flags = ("--dataset", pairs, "--mlm", mlm, "--prompt", tmp_path / "prompt.txt", "--originals", 3, "--floor", 0)
    line = ("attack-endpoint", "tiny", *flags)
    with serve(lambda handler, question, time: reply(handler, completion("perhaps"))) as server:
        assert call(*line, "--url", server.url, "--out", tmp_path / "none") == 1
    assert "gave no answer to any original" in capsys.readouterr().err
    with serve(lambda handler, question, time: reply(handler, completion("no"))) as server:
        assert call(*line, "--url", server.url, "--out", tmp_path / "few", "--max-requests", 9) == 1
    n = Store(tmp_path / "few").read(Attacks)["score_before"].isna().sum()
    assert 2 <= n <= 4
    assert f"not among them: {n} originals that the model gave no answer to" in capsys.readouterr().out


@pytest.mark.sweep
def test_the_budget_holds_for_all_shards_and_the_next_run_goes_on(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("{first} | {second} ?")
    flags = ("--dataset", pairs, "--mlm", mlm, "--prompt", tmp_path / "prompt.txt", "--originals", 12, "--floor", 0)
    line = ("attack-endpoint", "tiny", *flags, "--guards", "opposites", "--beam", 1, "--words", 2, "--steps", 1)

    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        first, second = question.removesuffix(" ?").split(" | ")
        reply(handler, completion("yes" if overlap([first], [second])[0] >= 0.5 else "no"))

    unanswered = []
    with serve(respond) as server:
        for most in (44, 44, 1000):  # both orders of 24 originals are 48 questions, in two shards
            before = len(server.requests)
            call(*line, "--url", server.url, "--out", tmp_path / "out", "--max-requests", most, "--threads", 1)
            assert len(server.requests) - before <= most
            unanswered.append(int((Store(tmp_path / "out").read(Attacks)["outcome"] == "budget").sum()))
        assert unanswered[0] > unanswered[2] == 0
        assert max(server.times.values()) == 1
        total = len(server.requests)
        assert call(*line, "--url", server.url, "--out", tmp_path / "few", "--max-tokens", 120, "--concurrency", 1) == 1
        assert len(server.requests) - total == 10  # of 12 tokens each


@pytest.mark.sweep
def test_german_pairs_are_modified_without_parts_of_speech(
    pairs: Path, mlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = sources.open_dataset

    def in_german(*arguments: Any) -> sources.Dataset:
        found = opened(*arguments)
        return replace(found, language=language("de"))

    monkeypatch.setattr(sources, "open_dataset", in_german)
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--originals", 6, "--out", tmp_path) == 0
    assert "parts of speech: none known, so any content word goes with any other" in capsys.readouterr().out
    others = Store(tmp_path).read(Attacks).query("label == 0")
    assert (others["outcome"] == "fooled").any()
    assert not (others["outcome"] == "stuck").all()


@pytest.mark.sweep
def test_threads_do_not_make_another_attack(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--originals", 3, "--out", tmp_path)
    for threads in (1, 2):
        assert call(*line, "--threads", threads) == 0
    assert len(list(Store(tmp_path).shards.rglob("attempts.json"))) == 1


@pytest.mark.sweep
def test_an_attack_made_again_leaves_the_labels_of_others_and_of_its_review(
    pairs: Path, mlm: Path, tmp_path: Path
) -> None:
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--originals", 6, "--out", tmp_path)
    line = (*line, "--guards", "opposites", "--floor", 0)
    assert call(*line, "--generator", "one", "--review", 4) == 0
    assert call(*line, "--generator", "two") == 0
    store = Store(tmp_path)
    before = set(store.read(Labels)["pair_id"])
    for name in ("one", "two"):
        assert call(*line, "--generator", name, "--seed", 7) == 0
        assert set(store.read(Labels)["pair_id"]) == set(store.read(Pairs)["pair_id"])
    assert {"one", "two", "one-review"} == set(store.read(Pairs)["generator"])
    assert before - set(store.read(Labels)["pair_id"])  # the labels of neither attack any more


@pytest.mark.sweep
def test_a_function_is_asked_in_both_orders(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    name = OVERLAP.replace(":overlap", ":one_sided")
    line = ("attack", name, "--mlm", mlm, "--dataset", pairs, "--originals", 12, "--floor", 0, "--guards", "opposites")
    assert call(*line, "--out", tmp_path) == 0
    store = Store(tmp_path)
    scores = store.read(Predictions).merge(store.read(Pairs, generator="shared-words"), on="pair_id")
    both = [one_sided(*([row.first, row.second], [row.second, row.first])).mean() for row in scores.itertuples()]
    assert scores["score"].tolist() == pytest.approx(both)


@pytest.mark.sweep
def test_pairs_of_a_store_in_another_need_no_new_splits(
    ready_store: Store, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(splits.main, prog="splits", args=["--store", str(ready_store.root), "--freeze"]) == 0
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", ready_store.root, "--originals", 3)
    capsys.readouterr()
    assert call(*line, "--out", tmp_path) == 0
    assert "analysis.splits" not in capsys.readouterr().out
    assert set(Store(tmp_path).read(Splits)["split"]) == {"test"}
    assert call(*line) == 0
    assert "analysis.splits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mlm", "nowhere"), "mlm:nowhere: expected a folder of a model"),
        (("--split", "dev"), "--split: expected one of test, train, validation, found 'dev'"),
        (("--beam", "0"), "--beam: expected at least 1, found 0"),
        (("--fluency", "nowhere"), "nowhere: expected a causal language model"),
        (("--fluency-loss", "-1"), "--fluency-loss: expected 0 or more, found -1.0"),
        (("--floor", "2"), "--floor: expected 0 to 1, found 2.0"),
        (
            ("--generator", "a/b"),
            "--generator: expected a name that a file can have, found 'a/b'",
        ),
        (("--generator", ".."), "--generator: expected a name that a file can have, found '..'"),
        (("--engine", "moon"), "--engine: expected here, processes"),
    ],
)
def test_bad_input_is_said_in_one_line(
    words: tuple[str, str], message: str, pairs: Path, mlm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = () if words[0] == "--mlm" else ("--mlm", mlm)
    assert call("attack", OVERLAP, *models, "--dataset", pairs, "--out", mlm.parent / "bad", *words) == 2
    assert message in capsys.readouterr().err


def test_a_masked_model_without_its_head_or_with_other_words_is_refused(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--dataset", pairs, "--out", tmp_path)
    assert call("attack", OVERLAP, "--mlm", mlm.parent / "encoder", *words) == 2
    assert "found an encoder without the weights" in capsys.readouterr().err
    others = tmp_path / "others.tsv"
    rows = "".join(f"wolf{n} howls\thound{n} barks\t{n % 2}\n" for n in range(40))
    others.write_text("first\tsecond\tbinary\n" + rows)
    assert call("attack", OVERLAP, "--mlm", mlm, "--dataset", others, "--out", tmp_path / "out") == 2
    assert "as one piece" in capsys.readouterr().err


def test_a_masked_model_beside_the_tokenizer_of_another_is_refused(
    pairs: Path, mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers import AutoTokenizer

    shutil.copytree(mlm, tmp_path / "mlm")
    tokenizer = AutoTokenizer.from_pretrained(mlm)
    tokenizer.add_tokens(["wolf", "hound"])
    tokenizer.save_pretrained(tmp_path / "mlm")
    n = len(tokenizer)
    assert call("attack", OVERLAP, "--mlm", tmp_path / "mlm", "--dataset", pairs, "--out", tmp_path / "out") == 2
    assert f"found a tokenizer of {n} pieces beside a model of {n - 2}; give it" in capsys.readouterr().err


@pytest.mark.sweep
def test_texts_without_replaceable_words_are_stuck(
    mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"it {n}\tthis {n}\t{n % 2}\n" for n in range(30)] + [f"{k} x\t{k} y\t1\n" for k in THINGS]
    (tmp_path / "pairs.tsv").write_text("first\tsecond\tbinary\n" + "".join(rows))
    words = ("--dataset", tmp_path / "pairs.tsv", "--out", tmp_path / "out", "--originals", 4)
    assert call("attack", OVERLAP, "--mlm", mlm, *words) == 0
    assert "originals ended with no word left to replace" in capsys.readouterr().out
    assert "stuck" in set(Store(tmp_path / "out").read(Attacks)["outcome"])
    (tmp_path / "pairs.tsv").write_text("first\tsecond\tbinary\n" + "".join(rows[:30]))
    assert call("attack", OVERLAP, "--mlm", mlm, *words[:4]) == 2
    assert "the data set: expected words that may be replaced, found stop words" in capsys.readouterr().err


def test_the_masked_model_says_what_it_reached(mlm: Path, pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads((mlm / "mlm.json").read_text("utf-8"))
    assert facts["perplexity"] > 1
    assert 0 <= facts["top_1"] <= facts["top_25"] <= 1
    assert call("mlm", "--dataset", pairs, "--out", mlm) == 2
    assert "expected a new folder, found a trained model" in capsys.readouterr().err
    assert call("mlm", "--store", mlm.parent / "store", "--out", mlm.parent / "none") == 2
    assert "store: expected a store, a release, or files of pairs" in capsys.readouterr().err


def test_the_proposed_words_match_the_data_set(attacked: Store) -> None:
    known = {*THINGS, *VERBS, *(word for some in THINGS.values() for word in some)}
    edits = attacked.read(Attacks)["edits"].explode().dropna()
    assert {edit["word"] for edit in edits} <= known


@pytest.mark.sweep
def test_the_paper_s_recipe_tries_all_places_with_the_model_s_own_words(
    mlm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = list(THINGS)[:2]
    rows = sentences(400, 7)
    rows = rows[
        rows.apply(lambda row: all(text.split()[4] in few for text in row[["first", "second"]]), axis="columns")
    ]
    rows.to_csv(tmp_path / "pairs.tsv", sep="\t", index=False)
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", tmp_path / "pairs.tsv", "--originals", 4, "--out", tmp_path)
    assert call(*line, "--recipe", "paper", "--threshold", 0.95, "--steps", 2, "--words", 3, "--beam", 2) == 0
    (cost,) = re.findall(r"is asked about ([\d,]+) pairs at most, in both orders", capsys.readouterr().out)
    attempts = Store(tmp_path).read(Attacks)
    assert 0 < attempts["queries"].sum() <= int(cost.replace(",", ""))
    settings = (Store(tmp_path).manifest(Attacks, attack="shared-words") or {})["config"]["settings"]
    assert (settings["places"], settings["vocabulary"], settings["guards"], settings["steps"]) == (None, "model", [], 2)
    known = {word for side in ("first", "second") for text in rows[side] for word in text.split()}
    assert {edit["word"] for edits in attempts["edits"] for edit in edits} - known


def test_the_model_s_own_words_are_whole_and_in_lower_case(mlm: Path) -> None:
    masked = pytest.importorskip("identification.architectures.masked", reason="torch is not installed: make models")
    model = masked.load(str(mlm), lambda word: word.isdigit() or word in {*THINGS, *VERBS})
    assert set(model.words) == {*THINGS, *VERBS, *"0123456789"}
    with pytest.raises(InputError, match="knows none of 0 words"):
        masked.load(str(mlm), lambda _: False)


def test_of_a_long_text_the_nearest_words_are_read(mlm: Path) -> None:
    masked = pytest.importorskip("identification.architectures.masked", reason="torch is not installed: make models")
    model = masked.load(str(mlm), lambda word: word in THINGS)
    left, right = list(THINGS)[:2]
    ids, place = model.encode(((left,) * 200, (right,) * 200))
    assert masked.MAX_TOKENS / 2 < len(ids) <= masked.MAX_TOKENS
    assert model.tokenizer.convert_ids_to_tokens(ids[place - 1 : place + 2]) == [left, "[MASK]", right]


@pytest.mark.sweep
def test_a_threshold_replaces_the_model_s_own(pairs: Path, mlm: Path, tmp_path: Path) -> None:
    line = ("attack", OVERLAP, "--mlm", mlm, "--dataset", pairs, "--originals", 4, "--out", tmp_path)
    assert call(*line, "--threshold", 0.9) == 0
    assert set(Store(tmp_path).read(Attacks)["threshold"]) == {0.9}
    assert call(*line, "--threshold", 1) == 2
