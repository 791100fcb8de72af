"""The command `status`: a page that names no one."""

import numpy as np
import pandas as pd
import pytest

from data.contract.tables.campaign import Assignments


@pytest.mark.sweep
def test_the_page_and_the_terminal_say_the_same_and_name_no_one(store, command, tmp_path):
    (tmp_path / "people.csv").write_text("email\n" + "".join(f"{letter}@example.org\n" for letter in "abcdef"))
    assert command("plan", "--annotators", tmp_path / "people.csv")[0] == 0
    page = tmp_path / "pages" / "status.html"
    code, out, _ = command("status", "--page", page)
    assert (code, "end at this speed: unknown" in out) == (0, True)
    rows = store.read(Assignments)
    truth = np.random.default_rng(1).integers(0, 4, 60)
    scores = [
        2 if name == "a06" else int(truth[int(pair, 16)])
        for name, pair in zip(rows["annotator"], rows["pair_id"], strict=True)
    ]
    times = pd.date_range("2026-11-18T09:00Z", periods=len(rows), freq="20min").strftime("%Y-%m-%dT%H:%M:%SZ")
    rated = pd.DataFrame(
        {"assignment_id": rows["assignment_id"], "submitted_at": times, "score": scores, "seconds": 20}
    )
    rated.iloc[:-6].to_csv(tmp_path / "ratings.csv", index=False)
    assert command("collect", "--file", tmp_path / "ratings.csv")[0] == 0
    code, out, _ = command("status", "--page", page)
    assert code == 0
    content = page.read_text()
    for text in ("answers still open", "minutes per agreed pair", "a06"):
        assert text in out
        assert text in content
    assert "times in a row" in content
    assert "example.org" not in out + content
    assert "<polyline" in content
    assert "http" not in content
