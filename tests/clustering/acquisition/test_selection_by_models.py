"""`python -m clustering select`: models choose among unlabelled pairs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clustering.commands.select import main
from data.console.commands import run
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import RANDOM_SHARE
from data.models.runs import record
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import pair_id
from tests.plans import plan

N, N_LABELLED = 120, 40
MADE = Manifest(stage="clustering")


def label(store: Store, campaign: str, pair_ids: list[str]) -> None:
    rows = pd.DataFrame({"pair_id": pair_ids, "campaign": campaign, "method": "majority", "binary": 1, "votes": 3})
    rows = rows.assign(n_votes=3, scores=[[0, 0, 0, 3]] * len(rows), posterior=pd.NA, stratum="unanimous")
    store.replace(Labels, rows.assign(decided_by="majority"), MADE, campaign=campaign, method="majority")


def score(store: Store, model: str, seed: int, scores: "pd.Series[float]", artefact: str | None = None) -> None:
    of_run = {"campaigns": ["main"], "method": "majority", "scheme": "by-entity", "threshold": 0.4}
    record(store, {"model": model, "seed": seed, "artefact": artefact, **of_run}, scores, "identification.train")


@pytest.fixture
def ids(store: Store) -> list[str]:
    """The pairs of a store in which 40 of 120 are labelled and two models have scored all."""
    names = [pair_id(f"d{row}", f"e{row}") for row in range(N)]
    pairs = pd.DataFrame({"pair_id": names, "entity": [f"term {row % 12}" for row in range(N)]})
    pairs = pairs.assign(
        generator="recommended", first_id="a", second_id="b", first=[f"text {row}" for row in range(N)],
        second="another text", cluster=0,
        similarity=0.5, overlap=np.linspace(0, 0.6, N), rank=range(N), selection="every-pair", parents=[[]] * N,
    )  # fmt: skip
    store.replace(Pairs, pairs, MADE, generator="recommended")
    label(store, "main", names[:N_LABELLED])
    splits = pd.DataFrame({"pair_id": names[:N_LABELLED], "split": "train", "group": "all", "scheme": "by-entity"})
    store.replace(Splits, splits, MADE, scheme="by-entity")
    scores = np.random.default_rng(3).uniform(size=(2, N))
    for number, values in enumerate(scores):
        score(store, "bow", number, pd.Series(values, index=names))
    return names


def call(store: Store, *flags: str) -> int:
    return run(main, prog="python -m clustering select", args=["--store", str(store.root), *flags])


@pytest.mark.parametrize("selection", ["uncertain", "disagreement", "misleading"])
def test_pairs_without_a_label_are_bought_and_every_other_one_has_its_reason(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str], selection: str
) -> None:
    assert call(store, "--selection", selection, "--limit", "20") == 0
    chosen = store.read(Pairs, generator=selection)
    rejects = store.read(Rejects, stage="clustering", part=selection)
    assert len(chosen) == 20
    assert sorted([*chosen["pair_id"], *rejects["id"]]) == sorted(ids)
    assert set(rejects.loc[rejects["reason"] == "labelled_or_assigned", "id"]) == set(ids[:N_LABELLED])
    assert chosen["selection"].value_counts().to_dict() == {selection: 16, RANDOM_SHARE: 4}
    assert chosen.loc[chosen["selection"] != RANDOM_SHARE, "entity"].value_counts().max() <= 5
    out = capsys.readouterr().out
    assert "80 unlabelled pairs, scored by bow, seed 0; bow, seed 1" in out
    assert f"  16 chosen: {selection}" in out
    assert out.splitlines()[-1].startswith(
        f"next: python -m annotation plan --annotators N --campaign {selection} --generator "
    )
    assert len(store.read(Pairs, generator="recommended")) == N, "the candidates stay where they are"


@pytest.mark.parametrize(("mix", "reached"), [("0.3", True), ("0.01", False)])
def test_a_mix_is_brought_or_said_to_be_out_of_reach(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str], mix: str, reached: bool
) -> None:
    flags = ("--selection", "misleading", "--limit", "20", "--mix", mix)
    assert call(store, *flags) == 0
    chosen, scores = store.read(Pairs, generator="misleading"), store.read(Predictions)
    share = scores[scores["pair_id"].isin(chosen["pair_id"])]["score"].mean()
    assert len(chosen) == 20
    assert (abs(share - float(mix)) <= 1 / 20) == reached
    out = capsys.readouterr().out
    assert f"positive labels, by the models' scores: {share:.0%} of these, " in out
    assert ("note: these candidates come no nearer to the 1% of --mix" in out) == (not reached)


@pytest.mark.sweep
def test_what_is_labelled_or_assigned_by_then_never_comes_again(store: Store, ids: list[str]) -> None:
    assert call(store, "--selection", "uncertain", "--limit", "20") == 0
    first = store.read(Pairs, generator="uncertain")["pair_id"].tolist()
    label(store, "second", first)
    assert call(store, "--selection", "uncertain", "--limit", "20", "--generator", "more") == 0
    assert not set(store.read(Pairs, generator="more")["pair_id"]) & {*first, *ids[:N_LABELLED]}


def test_a_second_run_does_nothing(store: Store, ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--selection", "uncertain", "--limit", "20")
    assert call(store, *words) == call(store, *words) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_labels_of_another_question_leave_a_pair_to_choose(store: Store, ids: list[str]) -> None:
    label(store, "second", ids[N_LABELLED:60])
    label(store, "fluency", ids[60:80])
    plan(store, "fluency", question="grammar")
    assert call(store, "--selection", "uncertain", "--limit", "20") == 0
    rejects = store.read(Rejects, stage="clustering", part="uncertain", reason="labelled_or_assigned")
    assert set(rejects["id"]) == set(ids[:60])


def test_pairs_that_a_campaign_labels_are_not_replaced(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(store, "--selection", "uncertain", "--limit", "20") == 0
    before = store.read(Pairs, generator="uncertain")
    plan(store, "second", "uncertain")
    assert call(store, "--selection", "uncertain", "--limit", "30") == 2
    assert "found uncertain, labelled by second; give another: --generator uncertain-2" in capsys.readouterr().err
    pd.testing.assert_frame_equal(store.read(Pairs, generator="uncertain"), before)


def test_without_scores_the_command_to_run_is_named(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    score(store, "esim", 1, pd.Series(0.3, index=ids[:N_LABELLED]), artefact="models/esim")
    assert call(store, "--selection", "uncertain", "--limit", "9", "--scored-by", "esim") == 2
    found = capsys.readouterr().err
    assert "table predictions: expected scores of unlabelled pairs, found none by esim; run" in found
    assert f"python -m identification predict models/esim --store {store.root} --unlabelled" in found


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--scored-by", "sse"),
            "expected models trained on the campaign 'main': bow; bow, seed 0; bow, seed 1, found sse",
        ),
        (
            ("--campaign", "second"),
            "table runs: expected models trained on the campaign 'second', found none; train",
        ),
        (("--among", "paper"), "--among: expected generators of the table pairs: recommended, found paper"),
        (("--random-share", "2"), "--random-share: expected a share from 0 to 1, found 2"),
        (("--per-entity", "0"), "--per-entity: expected at least 1, or none, found 0"),
        (
            ("--limit", "none"),
            "--limit: expected a whole number, found 'none'",
        ),
    ],
)
def test_bad_flags_are_one_line(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], message: str
) -> None:
    assert call(store, "--selection", "uncertain", "--limit", "9", *flags) == 2
    assert message in capsys.readouterr().err


def test_disagreement_needs_two_runs_and_scores_must_be_probabilities(
    store: Store, ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    score(store, "far", 1, pd.Series(3.0, index=ids))
    assert call(store, "--selection", "uncertain", "--limit", "9") == 2
    assert "run of far: expected scores from 0 to 1, found 3" in capsys.readouterr().err
    score(store, "near", 1, pd.Series(0.3, index=ids))
    assert call(store, "--selection", "disagreement", "--limit", "9", "--scored-by", "near") == 2
    assert "expected scores by at least two models or seeds, found those of near;" in capsys.readouterr().err


def test_an_empty_store_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(Store(tmp_path), "--selection", "uncertain", "--limit", "9") == 2
    assert "table pairs: expected pairs to choose from, found none; run" in capsys.readouterr().err
