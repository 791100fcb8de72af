"""Fixtures that every room's tests share."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from data.storage.store import Store
from tests.campaign import ROOT, CampaignRun, run_campaign

SHARED = ROOT.parent / "shared" / "data"

SLOWEST = (
    "annotation/commands/test_every_question.py",
    "annotation/label_studio/test_campaign_server.py",
    "test_readme.py",
    "generation/test_document.py",
    "annotation/label_studio/test_question_pages.py",
    "annotation/commands/test_campaign_document.py",
    "annotation/commands/before/test_items_from.py",
    "crawler/terms/test_following_decks.py",
    "annotation/commands/test_questions_document.py",
    "test_german.py",
    "annotation/label_studio/test_gate.py",
    "analysis/publishing/test_altered_releases.py",
    "crawler/spiders/test_quizlet.py",
    "crawler/spiders/test_files.py",
    "annotation/label_studio/test_game_kills.py",
    "identification/commands/test_bench.py",
)
"""Files that take longest: they begin first, so that no process is left alone with one of them in the end."""

settings.register_profile("parade", deadline=None, max_examples=60)  # no law is about time
settings.load_profile("parade")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest files first; the rest keep their order."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real third-party data beside the project; the test skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with third-party data is missing")
    return SHARED


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store of the test's own."""
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> CampaignRun:
    """The stages' documents run once over the demo world; the test skips where Label Studio is missing."""
    if not (ROOT / ".label-studio" / "ready").exists():
        pytest.skip("the Label Studio environment is missing: run `make setup`")
    return run_campaign(tmp_path_factory.mktemp("campaign"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], object]]]:
    """A disk of its own with 600 kB, and how to make it larger."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system of its own can only be mounted by root")
    yield folder, lambda: subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
    subprocess.run(["umount", str(folder)], check=True)
