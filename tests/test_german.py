"""A small German world, from papers to a release; another language than the store's is refused."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from analysis.evaluation.baselines import MODELS
from data.contract.tables.campaign import Assignments
from data.contract.tables.definitions import Cards, Definitions, Terms
from data.contract.tables.labels import Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.labelled import features
from data.labelled.dataset import Dataset
from data.recorded.languages import recorded
from data.storage.store import Store
from data.texts.languages.base import language
from data.texts.similarity import jaccard
from tests.commands import run_all

pytestmark = pytest.mark.sweep

ABSTRACTS = (
    "Wir ordnen Werte mit einem flachen Baum. Ein flacher Baum wächst mit der Zahl der Werte.",
    "Die Tiefe flacher Bäume bestimmt die Dauer der Suche. Jeder Suchbaum bleibt schmal.",
    "Schmale Suchbäume und flache Bäume verkürzen die Suche in großen Sammlungen.",
)
BACKS = {
    "Was ist ein flacher Baum?": (
        "Ein Baum, dessen Knoten höchstens zwei Nachfolger haben.",
        "Eine Struktur aus Knoten, von denen jeder auf höchstens zwei weitere zeigt.",
        "Anordnung von Werten, bei der jeder Wert höchstens zwei Kinder hat.",
    ),
    "flache Bäume": (
        "Bäume, in denen von jedem Knoten ein linker und ein rechter Zweig ausgehen kann.",
        "Datenstrukturen, deren Knoten sich in höchstens zwei Richtungen verzweigen.",
        "A tree whose nodes have at most two successors each, with one root.",
    ),
    "der Suchbaum": (
        "Baum, in dem links die kleineren und rechts die größeren Werte stehen.",
        "Eine geordnete Struktur, in der man einen Wert schnell wiederfindet.",
        "Geordneter Baum, der die Suche nach einem Schlüssel beschleunigt.",
        "Baum, dessen Ordnung die Suche leitet.",
        "Struktur, die Schlüssel in sortierter Reihenfolge hält und verzweigt.",
    ),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("german")
    papers = [{"id": str(n), "title": f"Bericht {n}", "abstract": ABSTRACTS[n % 3]} for n in range(30)]
    (folder / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)), encoding="utf-8")
    with (folder / "karten.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["front", "back"], *((f, back) for f, backs in BACKS.items() for back in backs)])
    return folder


@pytest.fixture(scope="module")
def store(world: Path) -> Store:
    at = ["--store", str(world / "store")]
    limits = ["--min-words", "1", "--max-words", "2", "--above", "3"]
    done = run_all(
        [
            ["python", "-m", "crawler.terminology", str(world / "papers.jsonl"), "--language", "de", *at, *limits],
            ["scrapy", "crawl", "files", "-a", f"path={world / 'karten.csv'}", *at],
            ["python", "-m", "crawler.definitions", *at],
            ["python", "-m", "clustering", "propose", "--min-count", "1", *at],
            ["python", "-m", "annotation", "plan", "--annotators", "3", *at],
        ]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Store(world / "store")


def test_every_table_records_the_language(store: Store) -> None:
    tables = (Terms, Cards, Definitions, Pairs)
    assert {found.code for table in tables if (found := recorded(store, table))} == {"de"}


def test_cases_and_numbers_of_a_name_are_one_term(store: Store) -> None:
    variants = {row.term: set(row.variants) for row in store.read(Terms).itertuples()}
    assert {"flachen baum", "flacher baum", "flache bäume", "flacher bäume"} in variants.values()


def test_questions_and_articles_name_the_term_and_english_cards_are_left_out(store: Store) -> None:
    definitions = store.read(Definitions)
    assert definitions.groupby("entity").size().tolist() == [5, 5]
    assert not definitions["text"].str.startswith("A tree").any()


def test_the_campaign_asks_in_german(store: Store) -> None:
    assert len(store.read(Pairs)) > 0
    assert store.read(Campaigns)["question"].tolist() == ["parade-de"]


def test_another_language_is_refused_in_one_line(store: Store, world: Path) -> None:
    at = ["--store", str(store.root)]
    for line in (
        ["scrapy", "crawl", "files", "-a", f"path={world / 'karten.csv'}", "-a", "language=en", *at],
        ["python", "-m", "crawler.terminology", str(world / "papers.jsonl"), "--language", "en", *at],
        ["python", "-m", "clustering", "propose", "--language", "en", *at],
    ):
        done = run_all([line])
        assert done.returncode == 2
        assert "error: language: expected de, the language of " in done.stderr


@pytest.fixture(scope="module")
def labelled(store: Store, world: Path) -> Store:
    """The store with a label for every pair, splits, a report and a release."""
    given = store.read(Assignments)
    scores = given["pair_id"].map(lambda pair: 3 if int(pair[0], 16) % 2 else 0)
    ratings = given[["assignment_id"]].assign(submitted_at="2026-01-05T10:00:00Z", score=scores)
    ratings.to_csv(world / "ratings.csv", index=False)
    at = ["--store", str(store.root)]
    release = [str(world / "release"), "--permission", "files=geprüft"]
    done = run_all(
        [
            ["python", "-m", "annotation", "collect", "--file", str(world / "ratings.csv"), *at],
            ["python", "-m", "annotation", "adjudicate", *at],
            ["python", "-m", "analysis.splits", "--shares", "1", "0", "1", *at],
            ["python", "-m", "analysis.baselines", "--json", str(world / "baselines.json"), *at],
            ["python", "-m", "analysis.consistency", *at],
            ["python", "-m", "analysis.report", "--out", str(world / "report"), *at],
            ["python", "-m", "analysis.release", *release, *at],
            ["python", "-m", "analysis.verify", str(world / "release")],
        ]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return store


def test_the_analysis_compares_german_stems_without_german_stop_words(labelled: Store, world: Path) -> None:
    pairs = labelled.read(Pairs)
    first, second = pairs["first"].to_list(), pairs["second"].to_list()
    german, english = (jaccard(first, second, language(code)) for code in ("de", "en"))
    assert not german.equals(english)
    assert "German stop words and stems" in (world / "report" / "report.html").read_text("utf-8")
    figures = json.loads((world / "report" / "report.json").read_text())["figures"]
    overlap = figures["overlap"]["value"]
    sizes = [overlap[label]["n"] for label in ("paraphrase", "non_paraphrase")]
    means = [overlap[label]["mean"] for label in ("paraphrase", "non_paraphrase")]
    assert sum(n * mean for n, mean in zip(sizes, means, strict=True)) == pytest.approx(german.sum())
    released = pd.concat([pd.read_parquet(path) for path in (world / "release" / "data").glob("t*.parquet")])
    assert released.set_index("pair_id")["overlap"].sort_index().to_list() == pytest.approx(
        german.set_axis(pairs["pair_id"]).sort_index().to_list()
    )


def test_everything_that_analysis_makes_records_the_language(labelled: Store, world: Path) -> None:
    assert {code.code for table in (Splits, Predictions) if (code := recorded(labelled, table))} == {"de"}
    stated = json.loads((world / "release" / "statements.json").read_text())
    assert stated["statements"]["language"] == stated["release"]["language"] == "de"


def test_features_and_models_follow_the_language_of_the_pairs() -> None:
    texts = ["Der Baum ist sortiert und hat einen Knoten", "Die Bäume sind sortierte Listen mit Knoten"]
    frame = pd.DataFrame({"first": texts, "second": texts[::-1], "entity": "Baum", "split": "train", "binary": [0, 1]})
    frame["second_entity"] = None
    pairs = {code: Dataset(frame, language=language(code)) for code in ("de", "en")}
    for score in (MODELS["jaccard"].score, MODELS["tfidf"].score):
        assert score(pairs["de"], 1).mean() > score(pairs["en"], 1).mean()
    seen = {code: features.describe(texts[:1], texts[1:], language(code)) for code in ("de", "en")}
    assert seen["de"]["jaccard"][0] == pairs["de"].overlap[0] > seen["en"]["jaccard"][0]
