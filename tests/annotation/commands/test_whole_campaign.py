"""A campaign from plan to labels, without a server: ratings come from files."""

import re

import pytest

from data.contract.tables.labels import Labels, Quality, Verdicts
from data.contract.tables.removals import Rejects
from tests.annotation.support.frames import GOOD, planned, rate, six_good_two_bad


@pytest.mark.sweep
def test_a_whole_campaign_from_files(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    assert command("plan", "--annotators", 8, "--seed", 4)[0] == 0
    code, out, _ = command("collect", "--file", rate(filled, path, six_good_two_bad))
    assert (code, "120 new ratings" in out) == (0, True)
    code, out, _ = command("collect", "--file", path)
    assert (code, "no new rating" in out) == (0, True)

    code, out, _ = command("quality")
    assert code == 0
    quality = filled.read(Quality).set_index(["round", "annotator", "measure"])["value"]
    low = {name for name in quality.loc[1].index.get_level_values(0) if quality[1, name, "kappa"] < 0.4}
    assert low == {"a07", "a08"}
    assert [line.split()[1] for line in out.splitlines() if line.endswith("low") and line.split()[0] == "1"] == sorted(
        low
    )
    version = filled.version(Quality)
    assert "up to date" in command("quality")[1]
    assert filled.version(Quality) == version

    code, out, _ = command("verdict")
    verdicts = filled.read(Verdicts).set_index("annotator")
    assert set(verdicts.index[verdicts["verdict"] == "careless"]) == {"a07", "a08"}
    assert (code, "2 of 8 are careless" in out) == (0, True)
    assert "up to date" in command("verdict")[1]

    theirs = planned(filled)[planned(filled)["annotator"].isin(low)]
    code, out, _ = command("reassign", "--dry-run")
    assert (code, "dry run: nothing written" in out) == (0, True)
    assert len(planned(filled)) == 120
    code, out, _ = command("reassign")
    assert code == 0
    new = planned(filled).query("round == 2")
    kept = filled.read(Rejects, stage="annotation.reassign", part="main")
    assert sorted([*new["supersedes"], *kept["id"]]) == sorted(theirs["assignment_id"])
    assert set(new["annotator"]) <= set(GOOD)
    assert not planned(filled).duplicated(["pair_id", "annotator"]).any()
    assert command("reassign")[0] == 0
    assert len(planned(filled)) == 120 + len(new)

    code, out, err = command("adjudicate")
    assert code == 1
    assert re.search(rf"{len(new)} answers of \d+ still open \(a0\d: \d+.*: collect them, then adjudicate again", err)
    assert f"{new['pair_id'].nunique()} pairs without a label: unresolved_missing_ratings" in out
    command("collect", "--file", rate(filled, path, six_good_two_bad))
    code, out, _ = command("adjudicate")
    assert code == 0
    labels, rejects = filled.read(Labels), filled.read(Rejects, stage="annotation.adjudicate", part="main")
    assert len(labels) + len(rejects) == 40
    right = labels["binary"] == [int(pair, 16) % 2 for pair in labels["pair_id"]]
    replaced = ~labels["pair_id"].isin(kept["detail"].str.removeprefix("pair "))
    assert right[replaced].all()
    assert (labels["n_votes"] == 3).all()
    before = filled.version(Labels)
    assert "up to date" in command("adjudicate")[1]
    assert filled.version(Labels) == before
    assert "next: python -m annotation quality" in command("status")[1], "ratings came after the last measures"
