"""The command that guards a release: findings on the published split, none on ours, and bad input."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from analysis import leakage, splits
from data.console.commands import run
from data.labelled import corpora
from data.storage.store import Store
from tests.sentence_model import stand_in


def call(*flags: object) -> int:
    return run(leakage.main, prog="leakage", args=["--dataset", *(str(flag) for flag in flags)])


@pytest.mark.sweep
def test_the_published_split_leaks_as_the_reference_says(shared_data: Path, tmp_path: Path) -> None:
    assert call(shared_data / "parade", "--json", tmp_path / "leaks.json") == 1
    found = json.loads((tmp_path / "leaks.json").read_text(encoding="utf-8"))
    rows = {(row["split"], "+".join(row["against"])): row for row in found["comparisons"]}
    assert rows["validation", "train"]["pairs_by_variants"] == 436
    assert rows["test", "train"]["pairs_by_variants"] == 105
    assert rows["test", "train+validation"]["pairs_by_variants"] == 159
    assert (rows["validation", "train"]["definitions"], rows["test", "train"]["definitions"]) == (5, 6)
    assert {"probability distribution", "source data"} <= {suspect["text"] for suspect in found["suspects"]}
    assert found["clean"] is False


@pytest.mark.sweep
def test_our_split_of_the_published_pairs_does_not_leak(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(shared_data / "parade", "--scheme", "by-entity", "--suspects", 0) == 0
    assert "no leak in the scheme 'by-entity'" in capsys.readouterr().out


@pytest.mark.sweep
def test_pairs_of_other_publishers_are_data_sets_too(shared_data: Path, tmp_path: Path) -> None:
    assert call(shared_data / "paraphrase" / "mrpc", "--suspects", 0, "--json", tmp_path / "leaks.json") == 1
    found = json.loads((tmp_path / "leaks.json").read_text(encoding="utf-8"))
    assert found["comparisons"][0]["variants"] == 0
    assert found["comparisons"][0]["definitions"] > 200
    assert found["suspects"] == []


@pytest.mark.parametrize(
    ("place", "pairs", "paraphrases"),
    [
        ("paraphrase/mrpc", 5801, 3900),
        ("paraphrase/apt/ap_h", 4587, 2942),
        ("paraphrase/apt/ap_t5_msrp.tsv.gz", 3839, 3839),
        ("paraphrase/twitter_url", 200, 68),
        ("annotations/lewidi2025/Paraphrase", 500, 239),
    ],
)
def test_published_forms_of_pairs_are_read(shared_data: Path, place: str, pairs: int, paraphrases: int) -> None:
    frame = corpora.read(corpora.find(shared_data / place))
    assert (len(frame), int((frame["binary"] == 1).sum())) == (pairs, paraphrases)
    assert frame["entity"].isna().all()
    assert (frame["first"] != frame["second"]).all()


def test_a_store_is_compared_by_its_scheme(campaign: Store, capsys: pytest.CaptureFixture[str]) -> None:
    splits.main(splits.Arguments(store=campaign.root))
    assert call(campaign.root) == 0
    assert call(campaign.root, "--scheme", "other") == 2
    assert (
        "expected pairs in at least two splits of the scheme 'other', found no pair in any" in capsys.readouterr().err
    )


HEADER = "sentence1\tsentence2\tlabel\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("train.tsv", "one\ttwo\n1\t2\n", "expected two columns of texts, such as first and second"),
        ("train.tsv", HEADER + "a\tb\t2\n", "row 1: expected a label of 0 or 1, found '2'"),
        ("train.tsv", HEADER, "expected at least one pair, found none"),
        (
            "train.tsv",
            HEADER + "a b\tc d\t1\n",
            "expected pairs in at least two splits of the scheme 'published', found",
        ),
        ("some.tsv", HEADER + "a b\tc d\t1\n", "found no pair in any; give --scheme by-entity"),
        ("train.json", "[1, 2]", "expected one table, found none"),
        ("notes.md", "x", "expected a store, a release, or files of pairs"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    name: str, content: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert call(tmp_path) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_a_cut_off_file_and_no_file_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(HEADER.encode())[:-9])
    assert call(tmp_path) == 2
    assert call(tmp_path / "none" / "such") == 2
    lines = capsys.readouterr().err.splitlines()
    assert "expected pairs of texts in UTF-8, found damaged gzip" in lines[0]
    assert "found no such file or folder" in lines[1]


def test_a_pair_in_two_rows_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for split in ("train", "validation", "test"):
        header = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2\n"
        (tmp_path / f"PARADE_{split}.txt").write_text(header + "3\t1\tgraph\ta b\tc d\n", encoding="utf-8")
    assert call(tmp_path) == 2
    assert "expected each pair once, found the pair" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_sentence_model_audits_too_where_it_is_installed(
    campaign: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    splits.main(splits.Arguments(store=campaign.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert call(campaign.root, "--encoder", tmp_path) == 2
    assert f"--encoder {tmp_path}: expected the package sentence-transformers" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in())
    assert call(campaign.root, "--encoder", tmp_path / "none") == 2
    assert "expected a folder with a sentence model" in capsys.readouterr().err
    (tmp_path / "model").mkdir()
    assert call(campaign.root, "--encoder", tmp_path / "model", "--json", tmp_path / "found.json") == 0
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["suspects"]
    assert found
    assert all(row["split"] != row["nearest_split"] and row["cosine"] >= 0.8 for row in found)
