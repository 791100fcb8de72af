"""A campaign that asks for no rating that could change nothing."""

import numpy as np
import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.planning.plan import append_round
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.guidance.look.figures import describe_campaign
from data.measures.rules import VoteRule
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from tests.annotation.support.frames import planned

PLAN = "plan --question same-meaning --annotators 9 --seed 3"
STOP = "--rule at-least 4 --allocate majority-decided --random-share 0"
ORDERS = ((1, 1, 1, 1, 1), (1, 1, 0, 1, 1), (0, 0, 1, 1, 0), (0, 0, 0, 1, 1), (0, 1, 0, 0, 0))
"""What the raters of a pair answer in turn; pairs take them in turn."""


def answer(store, path, campaign):
    """Answers of all assignments, each pair's in the order of rounds and names: the n-th annotator says the n-th."""
    rows = planned(store, campaign).sort_values(["pair_id", "round", "annotator"])
    places = {pair: place for place, pair in enumerate(sorted(rows["pair_id"].unique()))}
    turns = rows.groupby("pair_id").cumcount()
    says = [ORDERS[places[pair] % len(ORDERS)][turn] for pair, turn in zip(rows["pair_id"], turns, strict=True)]
    lines = [
        f"{name},2026-01-05T10:00:00Z,{'yes' if vote else 'no'}"
        for name, vote in zip(rows["assignment_id"], says, strict=True)
    ]
    path.write_text("\n".join(["assignment_id,submitted_at,same_meaning", *lines]) + "\n")
    return path


def label(store, campaign):
    labels = store.read(Labels, campaign=campaign, method="majority").dropna(subset="binary")
    return dict(zip(labels["pair_id"], labels["binary"], strict=True))


@pytest.mark.sweep
def test_the_same_labels_for_fewer_ratings(filled, command, tmp_path):
    file = tmp_path / "answers.csv"
    assert command(f"{PLAN} --campaign early {STOP}")[0] == 0
    assert command(f"{PLAN} --campaign full")[0] == 0
    n = filled.read(Pairs)["pair_id"].nunique()
    assert (planned(filled, "early").groupby("pair_id").size() == 4).all()
    assert filled.read(Campaigns, campaign="early")["labels_per_pair"].tolist() == [5]
    code, out, err = command(f"collect --campaign early --file {answer(filled, file, 'early')}")
    assert code == 0, err
    assert f"{2 * n // 5} pairs are finished, with 4.00 ratings each; {3 * n // 5} get a further rater" in out
    assert "next: python -m annotation open" in out
    rows = planned(filled, "early")
    assert rows.loc[rows["round"] == 2, "pair_id"].is_unique
    assert not rows.duplicated(["pair_id", "annotator"]).any()
    assert "no new ratings" in command(f"collect --campaign early --file {file}")[1]
    assert len(planned(filled, "early")) == len(rows)
    out = command(f"collect --campaign early --file {answer(filled, file, 'early')}")[1]
    assert f"{n} pairs are finished, with 4.60 ratings each; 0 get a further rater" in out
    assert "next: python -m annotation quality" in out
    said = command("status --campaign early")[1]
    assert f"{n} finished pairs: {n * 23 // 5} ratings, where a fixed plan takes {5 * n}" in said
    found = describe_campaign(filled, read_plans(filled), "early")["saved"]
    assert found == {"pairs": n, "ratings": n * 23 // 5, "fixed": 5 * n}
    assert describe_campaign(filled, read_plans(filled), "full")["saved"] is None
    assert command(f"collect --campaign full --file {answer(filled, file, 'full')}")[0] == 0
    assert command("adjudicate --campaign early")[0] == command("adjudicate --campaign full --rule at-least 4")[0] == 0
    labels = label(filled, "early")
    assert label(filled, "full") == labels
    assert np.bincount(list(labels.values())).tolist() == [n // 5, 2 * n // 5]
    code, out, _ = command("quality --campaign early")
    assert (code, "agreement is measured on the random part: " in out) == (0, True)
    assert "measured on the random part" not in command("quality --campaign full")[1]
    assert "nothing added" in command(f"{PLAN} --campaign early {STOP}")[1]
    code, out, err = command("reassign --campaign early --relabel uncertain --high-kappa -1 --limit 0")
    assert code == 0, err
    assert len(planned(filled, "early")) == len(rows)


@pytest.mark.sweep
def test_ratings_of_doubtful_pairs_are_not_of_the_random_part(filled, command):
    """Otherwise agreement, which the random part measures, would be measured on the pairs that people differ on."""
    for name, flags in (("early", STOP), ("full", "--allocate fixed")):
        assert command(f"{PLAN} --campaign {name} {flags}")[0] == 0
        campaign = Campaign(OfCampaign(store=filled.root, campaign=name))
        first = campaign.assignments.iloc[0]
        doubtful = pd.DataFrame([{"pair_id": first["pair_id"], "annotator": "a09", "position": 0, "flipped": False}])
        replaced = doubtful.assign(annotator="a08", supersedes=first["assignment_id"])
        new = pd.concat([doubtful.assign(supersedes=None), replaced], ignore_index=True)
        append_round(campaign, new, campaign.manifest("reassign", VoteRule()))
        rows = planned(filled, name)
        marks = rows[rows["round"] == 2].set_index("annotator")["random"]
        assert marks.to_dict() == {"a09": name == "full", "a08": first["random"]}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (f"{PLAN} --rule at-least 2", "more than half of the raters and at most all"),
        (f"{PLAN} --rule at-least 6", "more than half of the raters and at most all"),
        (f"plan --question same-meaning --annotators 4 {STOP}", "at least 5 of them"),
    ],
)
def test_what_cannot_stop_early_is_refused(filled, command, flags, words):
    code, _, err = command(flags)
    assert code == 2
    assert words in err


@pytest.mark.sweep
def test_labels_follow_the_rule_that_the_plan_named(filled, command, tmp_path):
    assert command(f"{PLAN} {STOP}")[0] == 0
    assert command(f"collect --file {answer(filled, tmp_path / 'answers.csv', 'main')}")[0] == 0
    code, _, err = command("adjudicate --rule majority")
    assert code == 2
    assert "expected at-least 4, with which campaign main was planned (majority-decided), found majority" in err


def test_pairs_of_no_entity_have_no_traps(filled, command):
    pairs = filled.read(Pairs).assign(entity=None, cluster=None)
    filled.replace(Pairs, pairs, Manifest(stage="clustering"), generator="recommended")
    code, _, err = command(f"{PLAN} --trap-share 0.1")
    assert code == 2
    assert "0 for pairs that define no entity" in err


@pytest.mark.sweep
def test_a_pair_that_waits_for_an_answer_is_not_finished(filled, command, tmp_path):
    assert command(f"{PLAN} {STOP}")[0] == 0
    rows = planned(filled).assign(submitted_at="2026-01-05T10:00:00Z", same_meaning="", flags="ill_formed")
    rows["turn"] = rows.groupby("pair_id").cumcount()
    for turns, finished in ((2, 0), (4, 40)):  # two flags take a pair out, whatever the others say
        columns = ["assignment_id", "submitted_at", "same_meaning", "flags"]
        rows.loc[rows["turn"] < turns, columns].to_csv(tmp_path / "flags.csv", index=False)
        assert f"{finished} pairs are finished" in command("collect --file", tmp_path / "flags.csv")[1]
