"""A release without texts: the commands on its card fetch the texts and put them back."""

import re
import shlex
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import pytest

from analysis import release, splits, verify
from analysis.publishing import contents
from crawler.definitions import RECIPES, Arguments
from crawler.pages import quizlet_items, studystack
from data.console.commands import run
from data.console.parsing import parse
from data.contract.tables.definitions import Cards, Definitions
from data.contract.tables.pairs import Pairs
from data.labelled import releases
from data.storage.manifest import Manifest
from data.storage.store import Store
from demo.card_site import pages
from demo.card_site.decks import SiteCard, SiteDeck
from tests.commands import run_all
from tests.crawler.tools import card_sites
from tests.crawler.tools.local_site import Answer, LocalSite

CONFIG = {"min_words": 2, "max_words": 30, "min_confidence": 0.0, "merge_variants": True, "lower_case": False}


def make_deck(cards: list[tuple[str, str]]) -> SiteDeck:
    terms = tuple(SiteCard(word=front, definition=back) for front, back in cards)
    return SiteDeck(id=613001010, slug="deck", title="Deck", creatorId=1, terms=terms, generation="next")


def place_cards(site: str) -> dict[str, tuple[str, str]]:
    """By entity, the source of its cards and their address in the table `cards`."""
    items = urlencode({"filters[studiableContainerId]": 613001010, "page": 1})
    return {
        "hash table": ("quizlet", f"{site}{quizlet_items.RESOURCE}?{items}"),
        "data structure": ("cram", f"{site}/flashcards/deck-9000001"),
        "file system": ("studystack", f"{site}{studystack.export_address('1001')}"),
        "web browser": ("files", "file:decks/two%20cards.tsv"),
        "graph theory": ("glossary.jargon", "file:jargon.xml"),
    }


def routes(cards: pd.DataFrame) -> dict[str, Answer]:
    """The pages of the sets, each with the cards of its entity."""
    sides = {front: list(zip(rows["front"], rows["back"], strict=True)) for front, rows in cards.groupby("front")}
    return {
        "/613001010/": Answer(body=pages.next_page(make_deck(sides["hash table"]), []).encode()),
        "/flashcards/deck-9000001": Answer(
            body=card_sites.cram_page(card_sites.cram_table(sides["data structure"]), declared=3)
        ),
        "/flashcard-1001": Answer(body=card_sites.stack_page(sides["file system"])),
    }


def write_glossary(cards: pd.DataFrame) -> str:
    entries = "".join(
        f"<glossentry><glossterm>{row.front}</glossterm><glossdef><para>{row.back}</para></glossdef></glossentry>"
        for row in cards.itertuples()
    )
    return f"<glossary>{entries}</glossary>"


@pytest.fixture
def published(whole_campaign: Store, tmp_path: Path) -> Store:
    """The small campaign, with definitions that were made by CONFIG."""
    store = Store(shutil.copytree(whole_campaign.root, tmp_path / "published"))
    definitions = store.read(Definitions)
    store.replace(Definitions, definitions, Manifest(stage="crawler.definitions", config=CONFIG))
    return store


def read_commands(card: str) -> list[list[str]]:
    """The commands of the card's first block, in words."""
    block = card.partition("```\n")[2].partition("```")[0]
    return [shlex.split(line) for line in block.splitlines()]


def adapt(words: list[str], folder: Path) -> list[str]:
    """The words of a command with the reader's own names in place of those in capitals."""
    files = folder / ("glossary" if "glossary" in words else "files")
    own = {
        "FOLDER_WITH_THE_FILES_OF_ITS_LIST": str(files),
        "THIS_FOLDER": str(folder / "bare"),
        "YOUR_ADDRESS": "someone@example.org",
        "STORE": str(folder / "store"),
        "FOLDER": str(folder / "whole"),
    }
    return [re.sub("|".join(own), lambda match: own[match[0]], word) for word in words]


@pytest.mark.sweep
def test_the_commands_on_the_card_bring_back_texts_from_five_kinds_of_sources(published: Store, tmp_path: Path) -> None:
    cards, bare, whole = published.read(Cards), tmp_path / "bare", tmp_path / "whole"
    (tmp_path / "files").mkdir()
    (tmp_path / "glossary").mkdir()
    browser, graph = cards[cards["front"] == "web browser"], cards[cards["front"] == "graph theory"]
    browser[["front", "back"]].to_csv(tmp_path / "files" / "two cards.tsv", sep="\t", header=False, index=False)
    (tmp_path / "glossary" / "jargon.xml").write_text(write_glossary(graph), "utf-8")
    with LocalSite(routes(cards)) as site:
        places = place_cards(site.url)
        sources, urls = zip(*(places[front] for front in cards["front"]), strict=True)
        cards = cards.assign(source=sources, url=urls)
        shutil.rmtree(published.path(Cards))
        published.append(Cards, cards, Manifest(stage="crawler.files"))
        splits.main(splits.Arguments(store=published.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
        flags = [str(bare), "--store", str(published.root), "--name", "simulated", "--without-text"]
        assert run(release.main, prog="release", args=flags) == 0
        assert run(verify.main, prog="verify", args=[str(bare)]) == 0
        finished = run_all([adapt(words, tmp_path) for words in read_commands((bare / "README.md").read_text("utf-8"))])
        assert finished.returncode == 0, (finished.stdout, finished.stderr)
        assert not [path for path in site.asked if path.startswith("/search")]
    assert run(verify.main, prog="verify", args=[str(whole)]) == 0
    restored = releases.read(whole).tables["pairs"].set_index("pair_id")
    pairs = published.read(Pairs).set_index("pair_id")
    assert restored["first"].to_dict() == pairs["first"].to_dict()
    assert restored["second"].to_dict() == pairs["second"].to_dict()
    assert not (whole / contents.FETCH_FOLDER).exists()
    assert (bare / contents.FETCH_FOLDER / "files.txt").read_text("utf-8") == "decks/two cards.tsv\n"


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_command_of_the_card_makes_definitions_as_they_were_made(recipe: str) -> None:
    made = replace(RECIPES[recipe], max_words=25, merge_variants=False)
    provenance = pd.DataFrame({"source": ["files"], "url": ["file:cards.tsv"]})
    words = shlex.split(contents.list_commands(provenance, asdict(made))[-1])[3:]
    assert parse(Arguments, words, RECIPES).config == replace(made, min_definitions=1)
