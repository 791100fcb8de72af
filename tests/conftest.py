"""Fixtures that every room's tests share."""

import gc
import random
import shutil
import subprocess
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from data.storage.store import Store
from tests.campaign import ROOT

SHARED = ROOT.parent / "shared" / "data"

settings.register_profile("test", deadline=None, max_examples=25)  # no law is about time
settings.register_profile("soak", deadline=None, max_examples=200)
settings.load_profile("test")
SHARES = 10
"""The number of seeds that run all cases of the tests marked `sweep`, each a share."""
MOST_BYTES_IN_NAME = 40
SERVER = "label_studio"
"""The fixture of the server that starts in seconds of processor time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say which part of the long tests is run."""
    parser.getgroup("sweeps").addoption("--seed", type=int, help="which tenth of long tests is run; drawn if left out")


def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed once: a worker takes the one of the process that started it."""
    if config.option.seed is None:
        given = getattr(config, "workerinput", {})
        config.option.seed = given["seed"] if given else random.SystemRandom().randrange(1_000)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give the seed to a worker of pytest-xdist: it gets the command line, not what was drawn."""
    node.workerinput["seed"] = node.config.option.seed


def pytest_report_header(config: pytest.Config) -> str:
    """Say how the same cases are run again."""
    return f"sweeps: --seed {config.option.seed}"


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name no test by a file's bytes: an archive has the time in it, and all workers must give the same names."""
    return "file" if isinstance(val, bytes) and len(val) > MOST_BYTES_IN_NAME else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, and later not among the modules and the tests themselves."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Draw the cases of long tests, keep together what shares a fixture, and begin with what takes longest.

    All tests that use the one Label Studio go to one worker, and the tests of a file with a fixture for the whole file
    to one, in their order; all others to any.
    """
    _draw_cases(items, config.option.seed)
    for item in items:
        if SERVER in _fixtures(item):
            item.add_marker(pytest.mark.xdist_group(SERVER))
        elif _shares_fixture(item):
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(ROOT).as_posix()))
    yield
    items.sort(key=lambda item: 0 if _shares_fixture(item) else 1 if item.get_closest_marker("sweep") else 2)


def _draw_cases(items: list[pytest.Item], seed: int) -> None:
    """Mark all cases of a test marked `sweep` as soak but every tenth; its name and the seed say which is first.

    So a test of one case runs by one seed in ten, and not all of them by the same. The tests of a file with a fixture
    for the whole file go by the file's name: some need what those before them did.
    """
    places: Counter[str] = Counter()
    for item in items:
        if item.get_closest_marker("sweep"):
            test = item.nodeid.partition("[")[0]
            name = test.partition("::")[0] if _shares_fixture(item) else test
            if (zlib.crc32(name.encode()) + places[test] + seed) % SHARES:
                item.add_marker(pytest.mark.soak)
            places[test] += 1


def _shares_fixture(item: pytest.Item) -> bool:
    """Whether the test uses a fixture that is made once for its file."""
    return any(made.scope in ("class", "module") for found in _fixtures(item).values() for made in found)


def _fixtures(item: pytest.Item) -> Mapping[str, Sequence[Any]]:
    return item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real third-party data beside the project; the test skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with third-party data is missing")
    return SHARED


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers that each seed draws otherwise and repeats: the moments of kills, say."""
    return random.Random(request.config.option.seed)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store of the test's own."""
    return Store(tmp_path / "store")


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
