"""A release: complete, safe, loaded by the libraries of others, refused where it must be, verified to the byte."""

import json
import shutil
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import release, report, restore, verify
from analysis.publishing import from_store, licences, personal_data
from data.console.commands import run
from data.contract.base import Table
from data.contract.licences import find
from data.contract.tables.campaign import Acceptances, Assignments, Documents, Ratings
from data.contract.tables.definitions import Definitions
from data.contract.tables.labels import Labels, Quality, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Tombstones
from data.guidance.look.figures import describe_campaign
from data.labelled import release_tables, releases
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from data.provenance.tombstones import text_digest
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import PERMITTED, STATEMENTS
from tests.plans import AT, plan


def call(*flags: object) -> int:
    return run(release.main, prog="release", args=[str(flag) for flag in flags])


def check(path: Path) -> int:
    return run(verify.main, prog="verify", args=[str(path)])


def test_a_release_has_every_table_and_its_card_the_publisher_s_statements(released_folder: Path, ready: Store) -> None:
    content = releases.read(released_folder)
    of_other_questions, of_made = {"labels", "answers"}, {"generated_texts", "sentences"}
    of_derived = {"campaigns", "judgements", "campaign_ratings", "corrections"}
    assert set(content.tables) == set(release_tables.TABLES) - of_other_questions - of_made - of_derived
    assert content.tables["annotators"]["consent_version"].fillna("").tolist() == ["2", "1", ""]
    assert "Versions accepted: 1 (1), 2 (1), none (1)." in (released_folder / "README.md").read_text("utf-8")
    labels = ready.read(Labels)
    pairs = content.tables["pairs"].set_index("pair_id")
    assert pairs["binary"].to_dict() == labels.set_index("pair_id")["binary"].to_dict()
    assert pairs["share"].tolist() == pytest.approx((pairs["votes"] / pairs["n_votes"]).tolist())
    assert len(content.tables["ratings"]) == len(ready.read(Ratings))
    fitted = json.loads((released_folder / "numbers.json").read_text("utf-8"))["soft_labels"]
    drawn = (pairs["votes"] + fitted["alpha"]) / (pairs["n_votes"] + fitted["alpha"] + fitted["beta"])
    assert pairs["expected_share"].tolist() == pytest.approx(drawn.tolist())
    card = (released_folder / "README.md").read_text(encoding="utf-8")
    for words in (
        "made 11 of the ratings",
        "12 an hour",
        "| none stated | files | 1 | 13 | 13 | our own writing |",
        "Small = @ set",
    ):
        assert words in card, words
    assert "| labelled | 11 labelled pairs |" in card
    assert "| accepted | 13 cards accepted |  | 2 too long, 1 not english |" in card
    manifests = {
        manifest["table"] for manifest in json.loads((released_folder / "manifests.json").read_text(encoding="utf-8"))
    }
    assert {"terms", "cards", "pairs", "ratings", "labels", "splits"} <= manifests


@pytest.mark.sweep
def test_a_release_is_verified_and_gives_the_same_bytes_again(
    released_folder: Path, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(released_folder) == 0
    assert "numbers: as recomputed" in capsys.readouterr().out
    flags = ["--statements", released_folder.parent / "statements.toml", *PERMITTED]
    assert call(tmp_path / "again", "--store", ready.root, "--name", "small-simulated", *flags) == 0
    assert releases.digests(tmp_path / "again") == releases.digests(released_folder)


def test_the_code_on_the_card_reads_the_texts_back(released_folder: Path) -> None:
    card = (released_folder / "README.md").read_text(encoding="utf-8").replace("THIS_FOLDER", str(released_folder))
    blocks = card.split("```python\n")[2:]
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block.split("```")[0], names)
    true = pd.read_parquet(released_folder / "data" / "train.parquet")
    assert names["train"][["first", "second"]].to_dict("list") == true[["first", "second"]].to_dict("list")
    raw = (released_folder / "tsv" / "train.tsv").read_text(encoding="utf-8")
    assert len(blocks) == 2
    assert "\t'- studies points joined by edges\t" in raw


def test_the_published_form_of_a_release_is_the_same_data_set(released_folder: Path) -> None:
    ours, theirs = (open_dataset(path, LabelSet()).frame for path in (released_folder, released_folder / "published"))
    sides = ["pair_id", "first", "second", "binary", "split"]
    assert sorted(map(tuple, ours[sides].to_numpy())) == sorted(map(tuple, theirs[sides].to_numpy()))


def test_pandas_and_datasets_load_it(released_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = pd.read_parquet(released_folder / "data" / "train.parquet")
    assert {"entity", "first", "second", "binary"} <= set(train.columns)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    for name, parts in (("pairs", {"train", "validation", "test"}), ("ratings", {"train"})):
        loaded = datasets.load_dataset(str(released_folder), name, cache_dir=str(tmp_path))
        assert set(loaded) == parts
    assert loaded["train"].num_rows == 33


@pytest.mark.parametrize(
    "name", ["README.md", "CITATION.cff", "croissant.json", "data/train.parquet", "tsv/ratings.tsv", "numbers.json"]
)
def test_a_changed_byte_is_found_and_named(
    name: str, released_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_folder, tmp_path / "copy")
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    assert check(copy) == 1
    assert f"{name}: changed" in capsys.readouterr().out


@pytest.mark.sweep
@pytest.mark.parametrize(
    "change",
    [
        ("numbers.json", '"pairs": 11,', '"pairs": 12,', "numbers.json.pairs: 12, but the tables give 11"),
        ("README.md", "12 an hour", "21 an hour", "README.md, line"),
        ("tsv/train.tsv", "\ttrain\t", "\ttrian\t", "tsv/train.tsv, line"),
        ("CITATION.cff", "A. Author", "B. Author", "CITATION.cff, line"),
        ("croissant.json", "A. Author", "B. Author", "croissant.json, line"),
        ("published/PARADE_train.txt", "\t1\t", "\t0\t", "published/PARADE_train.txt, line"),
    ],
)
def test_a_change_with_its_checksum_corrected_is_found_by_counting_again(
    released_folder: Path, tmp_path: Path, change: tuple[str, str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, old, new, expected = change
    copy = shutil.copytree(released_folder, tmp_path / "copy")
    content = (copy / name).read_text(encoding="utf-8")
    assert old in content
    (copy / name).write_text(content.replace(old, new), encoding="utf-8")
    lines = [f"{digest}  {file}" for file, digest in sorted(releases.digests(copy).items())]
    (copy / releases.CHECKSUMS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert check(copy) == 1
    assert expected in capsys.readouterr().out


def test_an_extra_and_a_missing_file_are_named(
    released_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_folder, tmp_path / "copy")
    (copy / "more.txt").write_text("x", encoding="utf-8")
    (copy / "CITATION.cff").unlink()
    assert check(copy) == 1
    printed = capsys.readouterr().out
    assert "more.txt: not listed" in printed
    assert "CITATION.cff: missing" in printed


def test_an_incomplete_or_missing_folder_is_refused_in_one_line(
    released_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_folder, tmp_path / "copy")
    (copy / releases.CHECKSUMS).unlink()
    assert check(copy) == 2
    assert check(tmp_path / "none") == 2
    lines = capsys.readouterr().err.splitlines()
    assert "found an incomplete or another folder" in lines[0]
    assert "found no such folder" in lines[1]
    assert call(copy, "--store", tmp_path) == 2
    assert len(lines) == 2


@pytest.mark.sweep
def test_a_campaign_without_documents_can_be_released(spoilable: Store) -> None:
    for table in (Documents, Acceptances):
        shutil.rmtree(spoilable.path(table))
    tables = from_store.gather(open_dataset(spoilable.root, LabelSet()), LabelSet()).tables
    assert "documents" not in tables
    assert tables["annotators"]["consent_version"].isna().all()


@pytest.mark.sweep
def test_the_report_of_a_release_shows_what_the_stores_does(
    released_folder: Path, ready: Store, tmp_path: Path
) -> None:
    reports = []
    for name, flags in (("ours", ["--store", ready.root]), ("theirs", ["--dataset", released_folder])):
        assert run(report.main, prog="report", args=[*map(str, flags), "--out", str(tmp_path / name)]) == 0
        reports.append(json.loads((tmp_path / name / "report.json").read_text(encoding="utf-8")))
    ours, theirs = reports
    assert theirs["notices"] == ours["notices"]
    assert theirs["simulated"] is True
    for name in ("scores", "sides", "agreement", "overlap", "triangles", "splits", "leakage"):
        assert theirs["figures"][name]["value"] == ours["figures"][name]["value"], name
    for name, key in (("annotators", "annotator"), ("flow", "step")):
        one, other = (report["figures"][name]["value"] for report in reports)
        rows = [part["measures"] if name == "annotators" else part for part in (one, other)]
        assert [(row[key], row.get("rows"), row.get("value")) for row in rows[1]] == [
            (row[key], row.get("rows"), row.get("value")) for row in rows[0]
        ]


@pytest.mark.sweep
def test_the_card_tells_agreement_before_and_after_answers_were_replaced(replaced: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    flags = ["--store", str(replaced.root), "--name", "small-simulated"]
    assert run(release.main, prog="release", args=[str(out), *flags, *PERMITTED]) == 0
    assert run(verify.main, prog="verify", args=[str(out)]) == 0
    card = " ".join((out / "README.md").read_text(encoding="utf-8").split())
    numbers = json.loads((out / "numbers.json").read_text(encoding="utf-8"))["agreement"]
    assert numbers["at_first"]["fleiss_kappa"] < numbers["fleiss_kappa"]
    assert "after 11 of 33 answers (33 %) were replaced by other annotators' answers" in card
    reports = [tmp_path / "store", tmp_path / "release"]
    for report_, flag, source in zip(reports, ("--store", "--dataset"), (replaced.root, out), strict=True):
        assert run(report.main, prog="report", args=[flag, str(source), "--out", str(report_)]) == 0
    ours, theirs = (json.loads((one / "report.json").read_text(encoding="utf-8"))["figures"] for one in reports)
    assert theirs["agreement"]["value"] == ours["agreement"]["value"]


@pytest.mark.sweep
def test_the_card_says_how_raters_were_asked_and_what_that_saved(spoilable: Store, tmp_path: Path) -> None:
    """By the function that `look` and `status` use, and `verify` counts it again."""
    limits = {"allocate": "certain", "target": 0.9, "budget": 33, "random_share": 0.2, "labels_per_pair": 4}
    plan(spoilable, generator="paper", at=AT - timedelta(hours=1), **limits)
    out = tmp_path / "out"
    assert call(out, "--store", spoilable.root, "--name", "small-simulated", *PERMITTED) == 0
    card = " ".join((out / "README.md").read_text(encoding="utf-8").split())
    saved = json.loads((out / "numbers.json").read_text(encoding="utf-8"))["saved"]
    assert saved == describe_campaign(spoilable, read_plans(spoilable), "main")["saved"]
    assert saved["fixed"] == 4 * saved["pairs"] > saved["ratings"] > 0
    assert "policy `certain`: each next rating went to the pair whose label was least certain" in card
    assert "a chance of 0.90, or 33 ratings were given out in all. The random part was to be 20.0 % of" in card
    assert f"they have {saved['ratings']} ratings, where a fixed plan of 4 per pair takes {saved['fixed']}." in card
    assert check(out) == 0
    numbers = (out / "numbers.json").read_text(encoding="utf-8")
    (out / "numbers.json").write_text(numbers.replace(f'"fixed": {saved["fixed"]}', '"fixed": 9999'))
    sums = (out / releases.CHECKSUMS).read_text(encoding="utf-8").splitlines()
    changed = f"{sha256((out / 'numbers.json').read_bytes()).hexdigest()}  numbers.json"
    kept = [changed if line.endswith("  numbers.json") else line for line in sums]
    (out / releases.CHECKSUMS).write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert check(out) == 1


@pytest.mark.sweep
def test_the_card_names_whose_vote_is_one(spoilable: Store, tmp_path: Path) -> None:
    labels = spoilable.read(Labels, campaign="main", method="majority")
    copied = Manifest(stage="annotation.adjudicate", part="main", config={"one_vote": [["a01", "a02"]]})
    ratings = spoilable.read(Assignments, campaign="main").merge(spoilable.read(Ratings), on="assignment_id")
    counted = ratings[ratings["annotator"] != "a02"]
    yes = (counted["score"] >= 2).groupby(counted["pair_id"].astype(object)).sum().astype("int64")
    scores = {pair: [int((some == n).sum()) for n in range(4)] for pair, some in counted.groupby("pair_id")["score"]}
    labels = labels.assign(votes=labels["pair_id"].map(yes), n_votes=2, scores=labels["pair_id"].map(scores))
    labels["binary"] = (labels["votes"] > 1).astype("int64")
    spoilable.replace(Labels, labels, copied, campaign="main", method="majority")
    out = tmp_path / "out"
    assert call(out, "--store", spoilable.root, "--name", "small-simulated", *PERMITTED) == 0
    assert "Of a01 and a02, who may have copied, only the first one's vote counts" in (out / "README.md").read_text()


def test_a_release_that_lacks_a_file_is_no_data_set(
    released_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(released_folder, tmp_path / "copy")
    (copy / "data" / "ratings.parquet").unlink()
    assert run(report.main, prog="report", args=["--dataset", str(copy), "--out", str(tmp_path / "out")]) == 2
    assert "expected every file of its checksums, found no data/ratings.parquet" in capsys.readouterr().err


@pytest.mark.sweep
def test_no_label_follows_where_the_ratings_are_missing(
    released_folder: Path,
) -> None:
    whole = releases.read(released_folder)
    tables = {name: rows for name, rows in whole.tables.items() if name not in ("ratings", "annotators", "quality")}
    n = len(list(verify.check_ratings(replace(whole, tables=tables))))
    assert n == len(whole.tables["pairs"])
    assert list(verify.check_ratings(whole)) == []


@pytest.mark.sweep
def test_what_the_publisher_has_not_stated_is_named(
    ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "statements.toml"
    file.write_text(STATEMENTS + 'licence = "CC BY 4.0"\n', "utf-8")
    flags = ["--store", ready.root, "--name", "simulated", "--statements", file, *PERMITTED]
    assert call(tmp_path / "out", *flags) == 0
    named = "contact, recruitment, levels, recipe, limits"
    assert f"note: the card says nothing of {named}: --statements FILE" in capsys.readouterr().out
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "**Guide.** Its text is in the table `documents`. Versions shown: " in card


@pytest.mark.sweep
def test_texts_are_put_back_into_a_release_of_ids_from_a_store(
    ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare, whole = tmp_path / "bare", tmp_path / "whole"
    assert call(bare, "--store", ready.root, "--name", "simulated", "--without-text") == 0
    assert check(bare) == 0
    text = ready.read(Definitions)["text"][0]
    for path in bare.rglob("*"):
        assert path.is_dir() or text.encode() not in path.read_bytes(), path
    assert "first" not in releases.read(bare).tables["pairs"].columns
    assert run(restore.main, prog="restore", args=[str(bare), "--store", str(ready.root), "--out", str(whole)]) == 0
    assert check(whole) == 0
    restored = releases.read(whole).tables["pairs"].set_index("pair_id")
    pairs = ready.read(Pairs).set_index("pair_id")
    assert restored["first"].to_dict() == pairs.loc[restored.index, "first"].to_dict()
    assert open_dataset(whole, LabelSet()).kind == "release"
    assert run(restore.main, prog="restore", args=[str(bare), "--out", str(tmp_path / "x")]) == 2
    assert "expected one of them, found both or neither" in capsys.readouterr().err


def change(store: Store, table: type[Table], **columns: Any) -> None:
    change_rows(store, table, store.read(table).assign(**columns))


def change_rows(store: Store, table: type[Table], rows: pd.DataFrame) -> None:
    scope = {name: rows[name].iloc[0] for name in table.scope_columns()}
    store.replace(table, rows, Manifest(stage="test"), **scope)


@pytest.fixture
def spoilable(ready: Store, tmp_path: Path) -> Store:
    """A copy of the campaign with splits, to spoil."""
    return Store(shutil.copytree(ready.root, tmp_path / "spoilable"))


def refused(store: Store, out: Path, *flags: str) -> bool:
    code = call(out, "--store", store.root, *flags)
    return code == 1 and not out.exists()


@pytest.mark.sweep
def test_each_refusal_says_its_reason_and_writes_nothing(
    spoilable: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named, out = ["--name", "simulated"], tmp_path / "out"
    assert refused(spoilable, out, *PERMITTED)
    assert "11 ratings are simulated" in capsys.readouterr().out
    assert refused(spoilable, out, *named)
    assert "the texts of 11 pairs have no stated licence (decks: 1 files): state it" in capsys.readouterr().out
    pair = spoilable.read(Pairs)["pair_id"][0]
    change(spoilable, Quality, value=0.5)
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "labels or measures do not follow from the ratings (quality: " in capsys.readouterr().out
    gone = pd.DataFrame({"kind": ["pair"], "study": "", "id": pair, "reason": "asked"})
    gone["at"] = pd.Timestamp("2026-11-02", tz="UTC")
    spoilable.append(Tombstones, gone, Manifest(stage="test"))
    assert refused(spoilable, out, *named, *PERMITTED)
    assert f"1 rows of pairs were withdrawn or taken down (pair_id {pair})" in capsys.readouterr().out
    person = gone.assign(kind="annotator", study="main", id="a02")
    spoilable.append(Tombstones, person, Manifest(stage="test"))
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "11 rows of ratings were withdrawn or taken down (annotator a02)" in capsys.readouterr().out
    labels = spoilable.read(Labels)
    change_rows(spoilable, Labels, labels.iloc[1:])
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "1 pair without a label: have them rated (after a tie" in capsys.readouterr().out
    change_rows(spoilable, Labels, labels)
    text = spoilable.read(Pairs)["second"][0].upper()
    rows = gone.assign(kind="text", id=text_digest(text))
    spoilable.append(Tombstones, rows, Manifest(stage="test"))
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "the second texts of" in capsys.readouterr().out
    change(spoilable, Labels, binary=pd.NA)
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "11 pairs without a label" in capsys.readouterr().out
    rows = spoilable.read(Splits)
    change(spoilable, Splits, split=["train", "test"] * (len(rows) // 2) + ["train"] * (len(rows) % 2))
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "test leaks into train: " in capsys.readouterr().out
    change(spoilable, Splits, split="train")
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "all pairs are in train: a data set of one split has nothing to test on" in capsys.readouterr().out
    spoilable.replace(Splits, rows.iloc[:0], Manifest(stage="test"), scheme="by-entity")
    assert refused(spoilable, out, *named, *PERMITTED)
    assert "11 pairs are in no split" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("pay = 3", "expected pay to be a text, found 3"),
        ("wages = 'x'", "expected the fields title description"),
        ("= x", "expected the publisher's statements, as TOML"),
        ("authors = 'A'", "expected authors to be a list of names"),
    ],
)
def test_invalid_statements_are_refused_in_one_line(
    content: str, expected: str, ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "statements.toml").write_text(content, encoding="utf-8")
    assert call(tmp_path / "out", "--store", ready.root, "--statements", tmp_path / "statements.toml") == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


@pytest.mark.sweep
def test_a_permission_without_a_reason_and_a_folder_in_use_are_refused_in_one_line(
    ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path / "out", "--store", ready.root, "--permission", "files") == 2
    assert "--permission: expected LICENCE=REASON or SOURCE=REASON, found 'files'" in capsys.readouterr().err
    assert call(ready.root, "--store", ready.root, "--name", "simulated", *PERMITTED) == 2
    assert "expected a new or empty folder, found a folder with files in it" in capsys.readouterr().err


@pytest.mark.sweep
def test_personal_data_is_listed_and_masked_in_texts_and_comments(ready: Store) -> None:
    tables = from_store.gather(open_dataset(ready.root, LabelSet()), LabelSet()).tables
    pairs = tables["pairs"].copy()
    pairs.loc[0, "first"] = "ask me at jane.doe@example.com or (650) 253-0000, @jane_doe"
    pairs.loc[1, "second"] = "@Override marks 802.11 and 1,000,000 bytes"
    masked, hits = personal_data.mask_tables(tables | {"pairs": pairs}, ("@Override",))
    assert masked["pairs"]["first"][0] == "ask me at [email] or [phone], [handle]"
    assert masked["pairs"]["second"][1] == pairs["second"][1]
    assert sorted(hits["kind"]) == ["email", "handle", "phone"]
    assert set(hits["id"]) == {pairs["pair_id"][0]}


@given(st.text())
def test_masking_leaves_no_personal_data_and_touches_nothing_else(text: str) -> None:
    masked = personal_data.mask(text)
    if not personal_data.find(text):
        assert masked == text
    assert not any(kind == "email" for _, _, kind in personal_data.find(masked))


@pytest.mark.parametrize(
    ("note", "allowed"),
    [
        ("CC BY 4.0 (Google Developers text)", True),
        ("CC0 1.0", True),
        ("CC BY-SA 4.0", True),
        ("CC BY-ND 4.0", False),
        ("quizlet.com: user content, no open licence; the texts belong to their authors", False),
        ("public domain", True),
        ("all rights reserved", False),
        (None, False),
    ],
)
def test_a_source_s_note_on_its_licence_decides(note: str | None, allowed: bool) -> None:
    assert licences.is_open(find(note) if note else None) is allowed


@pytest.mark.sweep
def test_the_published_data_set_in_our_splits_is_released_and_verified(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = shared_data / "parade", tmp_path / "out"
    assert call(out, "--dataset", source, "--without-text") == 1
    assert "validation leaks into train: 16 entities" in capsys.readouterr().out
    assert call(out, "--dataset", source, "--scheme", "by-entity", "--without-text") == 0
    assert check(out) == 0
    assert len(releases.read(out).tables["pairs"]) == 10182


def test_the_card_says_what_a_vote_is_and_shows_a_pair_of_each_label(released_folder: Path) -> None:
    card = (released_folder / "README.md").read_text(encoding="utf-8")
    assert "An answer of 2 or 3 is a vote for “paraphrase”, and 0 or 1 is one against it." in card
    assert f"the Python package `parade-builder`,\nversion {version('parade-builder')}, licensed under" in card
    shown = json.loads((released_folder / "numbers.json").read_text(encoding="utf-8"))["texts"]["examples"]
    pairs = releases.read(released_folder).tables["pairs"].set_index("pair_id")
    assert [pair["binary"] for pair in shown] == [1, 0]
    for pair in shown:
        assert pairs.loc[pair["pair_id"], ["first", "second", "binary"]].tolist() == [
            pair["first"],
            pair["second"],
            pair["binary"],
        ]


@pytest.mark.sweep
def test_what_the_publisher_does_not_state_is_left_out(ready: Store, tmp_path: Path) -> None:
    out = tmp_path / "release"
    assert call(out, "--store", ready.root, "--name", "small-simulated", *PERMITTED) == 0
    assert not (out / "CITATION.cff").exists()
    for name in ("README.md", "croissant.json"):
        text = (out / name).read_text(encoding="utf-8")
        assert "CITATION.cff" not in text
        assert "Unknown" not in text
        assert "example.org" not in text
    assert check(out) == 0
