"""A small German world, from papers to the question of its campaign; another language than the store's is refused."""

import csv
import json
from pathlib import Path

import pytest

from data.languages.recorded import recorded
from data.store import Store
from data.tables.definitions import Cards, Definitions, Terms
from data.tables.pairs import Pairs
from data.tables.plans import Campaigns
from tests.commands import run_all

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
            ["python", "-m", "clustering", "--min-count", "1", *at],
            ["python", "-m", "annotation", "plan", "--annotators", "3", *at],
        ]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Store(world / "store")


def test_every_table_records_the_language(store: Store) -> None:
    tables = (Terms, Cards, Definitions, Pairs)
    assert {language.code for table in tables if (language := recorded(store, table))} == {"de"}


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
        ["python", "-m", "clustering", "--language", "en", *at],
    ):
        done = run_all([line])
        assert done.returncode == 2
        assert "error: language: expected de, the language of " in done.stderr
