"""Finished commands end with their own exit code: no thread of a library aborts the interpreter on its way out."""

import shutil
from pathlib import Path

import pytest

from data.storage.store import Store
from tests.analysis.conftest import ENTITIES, whole_campaign  # noqa: F401 - a fixture
from tests.commands import run_all

RUNS = 40
"""One abort in ten runs would be missed in one test of seventy."""
AT_ONCE = 4
"""More than a small machine has cores: the abort takes a thread that is late."""
PER_BATCH = 20
COMMANDS = {
    "crawl": "scrapy crawl files -a path={folder}/deck.csv",
    "terminology": "python -m crawler.terminology {folder}/papers.csv",
    "definitions": "python -m crawler.definitions",
    "clustering": "python -m clustering propose",
    "quality": "python -m annotation quality",
    "adjudicate": "python -m annotation adjudicate",
    "splits": "python -m analysis.splits",
    "report": "python -m analysis.report --out {store}/report",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deck and papers."""
    folder = tmp_path_factory.mktemp("files")
    cards = [f'{entity},"{text}, and others"' for entity, texts in ENTITIES.items() for text in texts]
    papers = [f"{number},{card}" for number, card in enumerate(cards * 40)]
    (folder / "deck.csv").write_text("\n".join(["front,back", *cards, ""]), "utf-8")
    (folder / "papers.csv").write_text("\n".join(["id,title,abstract", *papers, ""]), "utf-8")
    return folder


@pytest.mark.sweep
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_with_its_own_exit_code(
    name: str,
    whole_campaign: Store,  # noqa: F811
    folder: Path,
    tmp_path: Path,
) -> None:
    for start in range(0, RUNS, PER_BATCH):
        stores = [tmp_path / f"{number}" for number in range(start, start + PER_BATCH)]
        for store in stores:
            shutil.copytree(whole_campaign.root, store)
        lines = [
            [*COMMANDS[name].format(folder=folder, store=store).split(), "--store", f"{store}"] for store in stores
        ]
        finished = run_all(lines, AT_ONCE)
        assert finished.returncode in (0, 1), finished.stderr
        for store in stores:
            shutil.rmtree(store)
