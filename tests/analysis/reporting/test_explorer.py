"""The pairs that can be searched on the page: all, or as many as it has room for."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import report
from analysis.reporting import explorer
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset

N_PAIRS = 300


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = "".join(f"the {n}th way\tthe way of “{n}” <b>\t{n % 2}\n" for n in range(N_PAIRS))
    (tmp_path / "train.tsv").write_text("sentence1\tsentence2\tlabel\n" + rows, encoding="utf-8")
    return tmp_path / "train.tsv"


def show(content: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The pair id and the texts of each row."""
    return [(row[0], content["texts"][row[2]], content["texts"][row[3]]) for row in content["pairs"]]


def test_all_pairs_are_there_while_they_fit(files: Path) -> None:
    pairs = open_dataset(files, LabelSet())
    content = explorer.collect(pairs)
    assert show(content) == list(pairs.frame[["pair_id", "first", "second"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("largest", [50, 400, 5_000, 20_000])
def test_pairs_are_drawn_where_not_all_fit(files: Path, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = open_dataset(files, LabelSet())
    whole = show(explorer.collect(pairs))
    monkeypatch.setattr(explorer, "LARGEST", largest)
    content = explorer.collect(pairs)
    drawn, size = show(content), len(explorer.embed(content).encode())
    assert len(drawn) < N_PAIRS
    assert largest <= 400 or 0.5 * largest < size <= largest
    assert drawn == [row for row in whole if row in set(drawn)], "in the order of the data set"
    assert drawn == show(explorer.collect(pairs))
    assert largest <= 400 or drawn != show(explorer.collect(pairs, seed=2))
    assert set(content["texts"]) == {text for _, *texts in drawn for text in texts}


def test_only_the_cards_of_drawn_pairs_are_there(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = open_dataset(files, LabelSet())
    definitions = pairs.definitions["definition_id"]
    cards = pd.DataFrame({"definition_id": definitions}).assign(
        source="files", url=definitions, set_title="Deck", fetched_at="2026-11-01T09:00:00Z", licence=None
    )
    monkeypatch.setattr(explorer, "LARGEST", 20_000)
    content = explorer.collect(pairs, lambda ids: cards[cards["definition_id"].isin(ids)])
    assert len(explorer.embed(content).encode()) <= explorer.LARGEST
    drawn = pairs.frame[pairs.frame["pair_id"].isin([row[0] for row in content["pairs"]])]
    for side, place in (("first", 9), ("second", 10)):
        urls = [content["cards"][row[place]][0][1] for row in content["pairs"]]
        assert urls == drawn[f"{side}_id"].tolist()
    assert len(content["cards"]) == 2 * len(drawn)


def test_each_pair_has_its_answers_with_comments_and_what_was_replaced(files: Path) -> None:
    pairs = open_dataset(files, LabelSet())
    some = pairs.frame["pair_id"].iloc[0]
    columns = ["pair_id", "annotator", "score", "comment", "replaced_in"]
    rows = [(some, "a01", 0, None, None), (some, "a02", 3, "the same", 2), (some, "a03", None, None, None)]
    content = explorer.collect(pairs, ratings=pd.DataFrame(rows, columns=columns))
    assert content["pairs"][0][-1] == [["a01", 0], ["a02", 3, "the same", 1], ["a03", "no score"]]
    assert content["pairs"][1][-1] == []


def test_the_page_says_how_many_of_how_many_it_has(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(name: str) -> str:
        report.main(report.Arguments(dataset=files, out=files.parent / name))
        return (files.parent / name / "report.html").read_text("utf-8")

    page = write("all")
    assert page.count("All pairs<") == 2
    assert "Every pair of the data set" in page
    monkeypatch.setattr(explorer, "LARGEST", 20_000)
    page = write("drawn")
    assert page.count("Pairs drawn at random<") == 2
    found = re.search(
        r"(\d+) of 300 pairs, drawn at random: the page has no room for more. All are in <code>(.+?)<", page
    )
    assert found
    assert 0 < int(found[1]) < N_PAIRS
    assert found[2] == str(files)
    assert page.count("th way") >= int(found[1])
