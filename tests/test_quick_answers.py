"""docs/quick-answers.md is true: its commands end as it says, and its snippet reads the votes."""

import re

import pandas as pd
import pytest

from data.contract.tables.campaign import Assignments
from data.storage.engine import HERE
from data.storage.store import Store
from tests.campaign import ROOT, failures, in_folder, read, read_blocks, run_document

DOCUMENT = read("quick-answers")


@pytest.mark.sweep
def test_the_commands_and_the_snippet_do_what_they_say(tmp_path, monkeypatch):
    for name in ("demo", "scrapy.cfg"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setattr("annotation.commands.before.forecast.PROCESSES", HERE)  # README's forecast starts processes
    call = in_folder(tmp_path)
    steps = list(run_document(DOCUMENT, {}, call))
    assert failures(steps) == []
    assert [step.command for step in steps] == [one for block in read_blocks(DOCUMENT) for one in block.commands]
    forecast = next(block for block in read_blocks(DOCUMENT) if block.shown)
    printed = next(step.out for step in steps if step.block == forecast)
    assert printed.startswith(forecast.shown.partition("…")[0])
    monkeypatch.chdir(tmp_path)
    assert call("python -m annotation plan --annotators 3 --pairs 4")[0] == 0
    planned = Store(tmp_path / "data" / "store").read(Assignments)
    rated = pd.DataFrame(
        {"assignment_id": planned["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z", "score": 2}
    )
    rated.to_csv("ratings.csv", index=False)
    assert call("python -m annotation collect --file ratings.csv")[0] == 0
    assert call("python -m data export ratings --joined --out votes.csv")[0] == 0
    assert "python -m data export ratings --joined --out votes.csv" in DOCUMENT
    names: dict[str, object] = {}
    exec(re.search(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)[1], names)
    votes = names["votes"]
    assert isinstance(votes, pd.DataFrame)
    assert len(votes) == len(planned) == 12
    assert votes[["entity", "first", "second", "annotator", "score"]].notna().all(axis=None)
