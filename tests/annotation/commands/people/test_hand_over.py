"""An annotator stops, pauses or comes back: open pairs go to others, answers stay."""

import pandas as pd
import pytest

from data.contract.tables.campaign import Annotators
from data.contract.tables.labels import Labels
from tests.annotation.support.frames import planned, rate


@pytest.mark.sweep
def test_who_leaves_gives_the_open_pairs_to_others_and_what_was_said_stays(filled, command, tmp_path):
    path = tmp_path / "ratings.csv"
    command("plan", "--annotators", 8)
    mine = planned(filled).query("annotator == 'a03'").sort_values("position")["assignment_id"].to_list()
    rate(filled, path, lambda name, pair: 2)
    said = pd.read_csv(path)
    said[said["assignment_id"].isin(mine[:4])].to_csv(path, index=False)
    command("collect", "--file", path)
    assert command("pause", "a05")[0] == 0
    code, out, _ = command("hand-over", "a03")
    assert code == 0
    assert f"{len(mine) - 4} of {len(mine) - 4} open pairs of a03 go to 6 others" in out
    rows = planned(filled)
    new = rows[rows["supersedes"].notna()]
    assert sorted(new["supersedes"]) == sorted(mine[4:])
    assert set(new["round"]) == {1}
    assert not {"a03", "a05"} & set(new["annotator"])
    assert new["annotator"].value_counts().max() <= 2
    assert not rows.duplicated(["pair_id", "annotator"]).any()
    assert not rows.duplicated(["annotator", "round", "position"]).any()
    code, out, _ = command("hand-over", "a03")
    assert (code, "0 of 0 open pairs" in out) == (0, True)
    assert len(planned(filled)) == len(rows)
    assert "planned already" in command("plan", "--annotators", 8)[1]
    assert command("resume", "a05")[0] == 0
    states = filled.read(Annotators).sort_values("at").groupby("annotator")["state"].last()
    assert states[["a03", "a05", "a01"]].to_list() == ["left", "active", "active"]
    assert command("resume", "a03")[0] == 2
    code, _, err = command("hand-over", "a77")
    assert code == 2
    assert "expected one of the annotators a01, a02" in err
    command("collect", "--file", rate(filled, path, lambda name, pair: 2))
    command("adjudicate")
    assert (filled.read(Labels)["n_votes"] == 3).all()
