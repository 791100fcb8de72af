"""What the shards of an attack know of their models."""

from pathlib import Path

import pytest

from identification.config import AttackConfig, Machine
from identification.robustness.attacking import AttackPlan


def test_a_worker_in_another_folder_finds_the_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("run", "words", "fluent"):
        Path(name).mkdir()
    config = AttackConfig(fluency=Path("fluent"))
    plan = AttackPlan(target="run", mlm="words", language="en", words=None, config=config, machine=Machine())
    plan.save(Path("plan.json"))
    saved = AttackPlan.read(Path("plan.json"))
    assert (saved.target, saved.mlm) == (str(tmp_path / "run"), str(tmp_path / "words"))
    assert saved.config.fluency == tmp_path / "fluent"
