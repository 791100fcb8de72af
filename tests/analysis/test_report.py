"""The report of a store at every stage, of the published files, and of bad input."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import baselines, release, report, splits
from analysis.datasets.ratings import find_random_part
from analysis.reporting import catalogue
from analysis.splitting import leaks
from data.console.commands import run
from data.contract import register
from data.contract.tables.campaign import Assignments
from data.contract.tables.generated import PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import RANDOM_SHARE, SPLITS
from data.guidance.next_steps import next_steps
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import PERMITTED, ask, write_measures

pytestmark = pytest.mark.sweep


def make(out: Path, *flags: object) -> dict[str, Any]:
    """Run the command, expect success and return the JSON; the page must have been written too."""
    assert run(report.main, prog="report", args=[*map(str, flags), "--out", str(out)]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    return json.loads((out / "report.json").read_text(encoding="utf-8"))


def value(found: dict[str, Any], name: str) -> Any:
    return found["figures"][name]["value"]


def test_a_report_works_after_every_stage_and_says_what_comes_next(
    store: Store, stages: Iterator[str], tmp_path: Path
) -> None:
    following = {
        "terms": "scrapy crawl",
        "cards": "python -m crawler.definitions",
        "definitions": "python -m clustering propose",
        "pairs": "python -m annotation plan",
        "assignments": "python -m annotation",
        "ratings": "python -m annotation quality",
        "labels": "python -m analysis.splits",
    }
    for stage in stages:
        found = make(tmp_path / stage, "--store", store.root)
        assert found["next"][0].startswith(following[stage]), stage
        rated = {"calibration"} if stage in ("ratings", "labels") else set()
        absent = set(catalogue.OPTIONAL) - rated
        assert list(found["figures"]) == [name for name in catalogue.CATALOGUE if name not in absent], stage
        assert set(found["missing"]) == {name for name, figure in found["figures"].items() if figure["value"] is None}
    assert splits.main(splits.Arguments(store=store.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3))) is None
    assert value(found, "baselines") is None
    arguments = baselines.Arguments(dataset=store.root, models=("all_positive", "jaccard"))
    assert baselines.main(arguments) is None
    found = make(tmp_path / "all", "--store", store.root)
    assert found["next"] == []
    assert set(found["missing"]) == {"scores"}  # they are among the answers


def test_labels_without_votes_are_labels(store: Store, stages: Iterator[str], tmp_path: Path) -> None:
    next(stage for stage in stages if stage == "labels")
    labels = store.read(Labels).assign(campaign="silver", method="silver", votes=0, n_votes=0, decided_by="silver")
    store.replace(Labels, labels, Manifest(stage="test"), campaign="silver", method="silver")
    make(tmp_path / "silver", "--store", store.root, "--campaign", "silver", "--method", "silver")
    page = (tmp_path / "silver" / "report.html").read_text("utf-8")
    assert "not labelled yet" not in page
    assert "There are no votes on these pairs, only labels." in page


def test_what_comes_next_for_a_campaign_of_another_name_says_it(
    store: Store, stages: Iterator[str], tmp_path: Path
) -> None:
    next(stage for stage in stages if stage == "assignments")
    rows = store.read(Assignments)
    other = rows.assign(campaign="law", assignment_id=rows["assignment_id"] + "-law")
    store.append(Assignments, other, Manifest(stage="test"))
    found = make(tmp_path / "law", "--store", store.root, "--campaign", "law")
    flags = f"--campaign law --store {store.root}"
    assert found["next"] == [f"python -m annotation {verb} {flags}" for verb in ("open", "collect")]


def test_the_flow_counts_rows_and_rejects_of_every_stage(campaign: Store, tmp_path: Path) -> None:
    flow = {step["step"]: step for step in value(make(tmp_path, "--store", campaign.root), "flow")}
    assert {name: step["rows"] for name, step in flow.items()} == {
        "terms": 5,
        "cards": 13,
        "accepted": 13,
        "definitions": 13,
        "pairs": 11,
        "assigned": 33,
        "rated": 33,
        "labelled": 11,
        "split": 0,
    }
    assert flow["cards"]["rejects"] == {"front_is_no_term": 2}
    assert flow["accepted"]["rejects"] == {"too_long": 2, "not_english": 1}
    assert flow["terms"]["details"]["papers"] == 1000


def test_rejects_of_a_stage_that_no_one_listed_are_shown(campaign: Store, tmp_path: Path) -> None:
    for name, part, reason in (
        ("identification.train", "", "too_few_labels"),
        ("analysis.splits", "other", "no_label"),
    ):
        row = pd.DataFrame({"id": ["a"], "reason": reason, "detail": None})
        campaign.reject(name, row, Manifest(stage=name), part)
    flow = value(make(tmp_path, "--store", campaign.root), "flow")
    assert flow[-1] == {
        "step": "identification.train",
        "table": "rejects",
        "rows": 0,
        "unit": "rows known to have come out",
        "details": {},
        "rejects": {"too_few_labels": 1},
    }
    assert flow[-2]["rejects"] == {}, "another scheme's"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ">identification train<" in page
    assert "too few labels" in page


def test_where_raters_were_asked_as_needed_agreement_is_of_the_random_part(campaign: Store, tmp_path: Path) -> None:
    before = make(tmp_path / "before", "--store", campaign.root)
    labels = campaign.read(Labels, campaign="main", method="majority")
    divided = set(labels.loc[~labels["votes"].isin([0, 3]), "pair_id"])
    assert 0 < len(divided) < len(labels)
    campaign.erase(Assignments, lambda rows: rows.assign(random=~rows["pair_id"].isin(divided)), "test")
    found = make(tmp_path / "found", "--store", campaign.root)
    assert value(found, "agreement")["pairs"] == len(labels) - len(divided)
    assert value(found, "agreement")["observed_agreement"] == 1 > value(before, "agreement")["observed_agreement"]
    votes, agreed = value(found, "labels")["votes"], labels[~labels["pair_id"].isin(divided)]
    assert votes["share"] == agreed["votes"].sum() / agreed["n_votes"].sum()
    assert votes["low"] <= votes["share"] <= votes["high"] > votes["low"]
    assert "votes" not in value(before, "labels")
    assert any(notice.startswith("Agreement and the share of votes") for notice in found["notices"])


def test_a_release_measures_the_random_part_as_its_store_does(ready: Store, tmp_path: Path) -> None:
    store = Store(shutil.copytree(ready.root, tmp_path / "store"))
    labels = store.read(Labels, campaign="main", method="majority")
    kept = set(labels["pair_id"][::2])
    store.erase(Assignments, lambda rows: rows.assign(random=rows["pair_id"].isin(kept)), "test")
    write_measures(store)
    words = [str(tmp_path / "release"), "--store", str(store.root), "--name", "part-simulated", *PERMITTED]
    assert run(release.main, prog="release", args=words) == 0
    of_store, of_release = (
        make(tmp_path / flag, f"--{flag}", place)
        for flag, place in (("store", store.root), ("dataset", tmp_path / "release"))
    )
    assert value(of_store, "agreement")["pairs"] == len(kept)
    for name in ("agreement", "labels", "splits", "calibration"):
        assert value(of_release, name) == value(of_store, name), name
    assert [line for line in of_release["notices"] if line.startswith("Agreement and the share of votes")]
    several = LabelSet(campaigns=("main", "main"))
    assert find_random_part(open_dataset(store.root, several), several) is None, "each campaign has its own"


def test_agreement_is_told_before_and_after_answers_were_replaced(
    replaced: Store, campaign: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = make(tmp_path / "before", "--store", campaign.root)
    assert value(before, "agreement")["at_first"] is None
    capsys.readouterr()
    after = make(tmp_path / "after", "--store", replaced.root)
    found, then = value(after, "agreement"), value(before, "agreement")
    at_first = found["at_first"]
    assert at_first["fleiss_kappa"] == then["fleiss_kappa"] < found["fleiss_kappa"]
    assert (at_first["replaced"], at_first["answers"]) == (11, 33)
    (notice,) = [line for line in after["notices"] if line.startswith("Answers were replaced")]
    was, is_now = (f"{one['fleiss_kappa']:.2f}".replace("-", "−") for one in (at_first, found))
    assert f"took the place of 11 of the first 33. Fleiss’ κ was {was} before that and is {is_now} now" in notice
    assert f"note: {notice}" in capsys.readouterr().out
    page = (tmp_path / "after" / "report.html").read_text(encoding="utf-8")
    assert page.count("before 33 % of answers were replaced") == 2, "both tiles"
    measures = {
        row["measure"]: row
        for row in value(after, "annotators")["measures"]
        if row["annotator"] == "all" and row["round"] == 0
    }
    assert measures["fleiss_kappa_at_first"]["value"] == pytest.approx(at_first["fleiss_kappa"])
    assert measures["replaced_share"]["value"] == pytest.approx(1 / 3)
    for name, one in (("fleiss_kappa", found), ("fleiss_kappa_at_first", at_first)):
        limits = [measures[name][end] for end in ("low", "high")]
        assert [one["fleiss_low"], one["fleiss_high"]] == pytest.approx(limits)


def test_measures_of_different_votes_share_no_table(replaced: Store, tmp_path: Path) -> None:
    make(tmp_path, "--store", replaced.root)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    tables = [table.split("</table>")[0] for table in page.split("<caption>All annotators together: ")[1:]]
    assert [table.split("</caption>")[0].split(" (")[0] for table in tables] == [
        "the votes that count at the end of each round",
        "the votes before any was replaced",
        "votes that were held out, foretold by the others",
        "all votes of each round, replaced ones included",
    ]
    assert "Fleiss’ κ<" in tables[0]
    assert "mean κ" not in tables[0]
    assert "at the end</th>" in tables[0]
    assert "round 2" not in tables[1]
    assert "Fleiss’" not in tables[2]


def test_what_chance_reaches_has_no_confidence_interval(campaign: Store, tmp_path: Path) -> None:
    make(tmp_path, "--store", campaign.root)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    captions = re.findall(r"<caption>(.*?)</caption>", page)
    (chance,) = [caption for caption in captions if caption.startswith("What chance would reach")]
    assert "the middle 95 % of guessers’ draws" in chance
    assert "confidence" not in chance


def test_figures_of_few_pairs_have_few_decimals(campaign: Store, tmp_path: Path) -> None:
    make(tmp_path, "--store", campaign.root)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r">[−0-9.]*\.\d{4,}<", page)
    start = page.index('id="labels"')
    assert not re.findall(r"\d+\.\d %", page[start : page.index('id="annotators"')]), "of 12 pairs"


def test_simulated_ratings_are_announced_at_the_top_of_page_and_json(campaign: Store, tmp_path: Path) -> None:
    found = make(tmp_path, "--store", campaign.root)
    assert found["simulated"] is True
    assert found["notices"][0].startswith("Simulated labels: 11 of 33 ratings")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>Simulated: " in page
    assert "<dt>Definitions</dt>" in page
    assert page.index("Simulated labels: 11 of 33") < page.index("<h1>")


def test_what_the_question_does_not_have_is_not_called_missing_on_the_screen(
    campaign: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(campaign, "parade")
    found = make(tmp_path / "out", "--store", campaign.root)
    assert "scores" in found["missing"]
    lines = capsys.readouterr().out
    assert "missing: baselines" in lines
    assert "missing: scores" not in lines


def test_the_same_tables_give_the_same_bytes(campaign: Store, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        make(tmp_path / folder, "--store", campaign.root)
    for name in ("report.html", "report.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_past_is_shown(store: Store, stages: Iterator[str], tmp_path: Path) -> None:
    moments = {}
    for stage in stages:
        moments[stage] = max(manifest["at"] for table in register.TABLES for manifest in store.history(table))
    then = f"{moments['pairs'] / 1000:.3f}"
    found = make(tmp_path, "--store", store.root, "--as-of", datetime.fromtimestamp(float(then), UTC).isoformat())
    rows = {step["step"]: step["rows"] for step in value(found, "flow")}
    assert (rows["pairs"], rows["assigned"], rows["labelled"]) == (11, 0, 0)
    assert {row["table"] for row in found["tables"]} == {
        "terms", "cards", "definitions", "sightings", "pairs", "rejects",
    }  # fmt: skip
    assert found["simulated"] is False


def test_labels_of_pairs_that_are_gone_are_left_out_with_a_notice(campaign: Store, tmp_path: Path) -> None:
    pairs = campaign.read(Pairs)
    campaign.replace(Pairs, pairs.iloc[3:], Manifest(stage="clustering"), generator="paper")
    found = make(tmp_path, "--store", campaign.root)
    assert value(found, "size")["pairs"] == 8
    assert found["notices"][1].startswith("3 labelled pairs are no longer in the table pairs")


def test_agreement_with_the_judges_of_a_game_is_said(campaign: Store, tmp_path: Path) -> None:
    labels = campaign.read(Labels).dropna(subset="binary")
    rows = pd.DataFrame({"pair_id": labels["pair_id"], "value": labels["binary"].astype(float)})
    rows = rows.assign(generator="game-human", measure="mi", model_sha256="x")
    rows.loc[rows.index[0], "value"] = 1 - rows["value"].iloc[0]
    campaign.replace(
        PairMeasures, rows, Manifest(stage="paraphrase_game.collect"), generator="game-human", measure="mi"
    )
    (notice,) = [text for text in make(tmp_path, "--store", campaign.root)["notices"] if "entailment model" in text]
    assert f"judged {len(rows)} of these pairs" in notice
    assert f"a share of {1 - 1 / len(rows):.2f} " in notice


def test_labels_are_shown_apart_by_how_their_pairs_were_chosen(campaign: Store, tmp_path: Path) -> None:
    assert "selections" not in make(tmp_path, "--store", campaign.root)["figures"]
    pairs = campaign.read(Pairs)
    by = [RANDOM_SHARE if row % 2 else "uncertain" for row in range(len(pairs))]
    campaign.replace(Pairs, pairs.assign(selection=by), Manifest(stage="clustering"), generator="paper")
    rows = value(make(tmp_path, "--store", campaign.root), "selections")
    assert {row["selection"]: row["pairs"] for row in rows} == {"uncertain": 6, RANDOM_SHARE: 5}
    assert all(row["low"] <= row["paraphrase_share"] <= row["high"] for row in rows)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Only the random share stands for all candidates" in page


def _empty_folder(folder: Path) -> list[object]:
    folder.mkdir()
    return ["--store", folder]


def _wrong_column(folder: Path) -> list[object]:
    folder.mkdir()
    for split in ("train", "validation", "test"):
        header = "Four-class labels\tBinary label\tEntity\tDefinition1\tDefinition2\n"
        (folder / f"PARADE_{split}.txt").write_text(header + "3\t1\tx\ta\tb\n", encoding="utf-8")
    return ["--dataset", folder]


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (lambda folder: ["--store", folder], "expected a store with at least one table, found no such folder"),
        (_empty_folder, "expected a store with at least one table, found no table"),
        (lambda folder: ["--dataset", folder], "expected a store, a release, or files of pairs"),
        (_wrong_column, "expected the columns Four-class labels, Binary labels, Entity, Definition1, Definition2"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    prepare: Any, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [str(flag) for flag in prepare(tmp_path / "in")]
    assert run(report.main, prog="report", args=[*flags, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--campaign", "other"], "--campaign: expected one of the table assignments or labels: main, found other"),
        (["--method", "other"], "--method: expected one of the table labels: majority, found other"),
        (["--as-of", "yesterday"], "--as-of: expected a date or time"),
        (["--as-of", "1999-01-01"], "expected a store with at least one table at 1999-01-01"),
    ],
)
def test_an_unknown_name_is_one_line_and_exit_code_2(
    campaign: Store, flags: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--store", str(campaign.root), "--out", str(tmp_path / "out"), *flags]
    assert run(report.main, prog="report", args=flags) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_figures_are_written_beside_the_page_as_svg(campaign: Store, tmp_path: Path) -> None:
    make(tmp_path, "--store", campaign.root)
    files = {path.name for path in (tmp_path / "figures").iterdir()}
    assert files == {f"{name}.svg" for name in ("overlap", "votes", "foretold", "lengths")}
    assert (tmp_path / "figures" / "overlap.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_the_published_data_set_is_one_page_of_at_most_8_megabytes(shared_data: Path, tmp_path: Path) -> None:
    found = make(tmp_path, "--dataset", shared_data / "parade")
    assert (tmp_path / "report.html").stat().st_size <= 8_000_000
    assert value(found, "size")["pairs"] == 10182
    assert value(found, "overlap")["auc"] == pytest.approx(0.758, abs=0.005)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    rows = {words: page.split(f">{words}</th>")[1].split("</tr>")[0] for words in leaks.KINDS.values()}
    for kind, cells in (("variants", ["16", "436", "11", "105", "5", "54", "16", "159"]), ("acronyms", ["0"] * 4)):
        assert re.findall(r"[>]([\d,]+)(?: pairs)?<", rows[leaks.KINDS[kind]]) == cells
    assert re.findall(r'bad">(\d+)<', rows[leaks.KINDS["definitions"]]) == ["5", "6", "6"]
    assert found["figures"]["labels"]["tables"] == [f"PARADE_{name}.txt.gz" for name in SPLITS]
    assert found["figures"]["labels"]["again"] == f"python -m analysis.report --dataset {shared_data / 'parade'}"


def test_a_campaign_without_papers_is_finished(ready: Store, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    shutil.copytree(ready.root, store.root, ignore=lambda folder, names: {"terms"} & {*names})
    assert run(report.main, prog="report", args=["--store", str(store.root), "--out", str(tmp_path / "out")]) == 0
    written = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert written["next"] == []
    assert "terms" not in " ".join(written["missing"].values())
    assert next_steps(store)[0] == f"python -m analysis.report --campaign main --store {store.root}"
