"""Splits: no group in two of them, every pair in one, shares as requested, independent of the order."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import splits
from data.console.commands import run
from data.contract.tables.labels import Labels, Splits
from data.contract.vocabulary import SPLITS
from data.grouping import allocation, dealing
from data.grouping.dealing import SplitRule
from data.labelled import parade
from data.labelled.dataset import from_published
from data.storage.store import Store
from data.texts.languages.en import ENGLISH

ENTITIES = st.sampled_from(
    ["data structure", "data structures", "file system", "file systems", "graph", "graphs", "hash"]
)


@st.composite
def pair_tables(draw: st.DrawFn) -> pd.DataFrame:
    entities = draw(st.lists(ENTITIES, min_size=1, max_size=60))
    names = [f"p{place}" for place in range(len(entities))]
    texts = {"first": [f"a{name}" for name in names], "second": [f"b{name}" for name in names]}
    return pd.DataFrame(
        {"pair_id": names, "entity": entities, "second_entity": None, "parents": [[] for _ in names], **texts}
    )


@pytest.mark.sweep
@given(pair_tables(), st.integers(0, 2**32 - 1))
def test_entities_and_their_variants_stay_together_and_every_pair_is_in_one_split(
    pairs: pd.DataFrame, seed: int
) -> None:
    found = dealing.split(pairs, SplitRule(seed=seed))
    assert found["pair_id"].tolist() == pairs["pair_id"].tolist()
    assert set(found["split"]) <= set(SPLITS)
    canonical = ENGLISH.canonicals(pairs["entity"].tolist())
    assert (found.groupby(canonical)["split"].nunique() == 1).all()
    assert found["group"].tolist() == canonical


@pytest.mark.sweep
@given(pair_tables(), st.integers(0, 100), st.randoms())
def test_the_order_of_the_pairs_does_not_matter_and_the_seed_alone_decides(pairs, seed, random) -> None:
    shuffled = pairs.sample(frac=1, random_state=random.randint(0, 1000))
    ordered = dealing.split(pairs, SplitRule(seed=seed)).set_index("pair_id").sort_index()
    unordered = dealing.split(shuffled, SplitRule(seed=seed)).set_index("pair_id").sort_index()
    pd.testing.assert_frame_equal(ordered, unordered)


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=80),
    st.tuples(*[st.floats(0, 10)] * 3).filter(lambda shares: sum(shares) > 0.1),
    st.integers(0, 100),
)
def test_a_split_misses_its_share_by_at_most_the_largest_group(sizes, shares, seed) -> None:
    groups = pd.Series(sizes, index=[f"g{place:03}" for place in range(len(sizes))])
    placed = allocation.place(groups, shares, seed)
    for name, share in zip(SPLITS, shares, strict=True):
        got = groups[placed[placed == name].index].sum()
        assert abs(got - share / sum(shares) * sum(sizes)) <= max(sizes) + 1e-6


def test_seeds_give_different_splits() -> None:
    groups = pd.Series(1, index=[f"g{place:03}" for place in range(100)])
    chosen = [allocation.place(groups, SplitRule().shares, seed).sort_index().tolist() for seed in (1, 2)]
    assert chosen[0] != chosen[1]


@pytest.mark.sweep
def test_the_published_pairs_are_split_to_the_published_shares(shared_data: Path) -> None:
    pairs = from_published(parade.read(shared_data / "parade"))
    found = dealing.split(pairs, SplitRule())
    shares = found["split"].value_counts(normalize=True)
    assert shares.to_dict() == pytest.approx({"train": 0.742, "validation": 0.125, "test": 0.133}, abs=0.013)
    assert found["group"].nunique() == 679


def test_the_command_writes_a_scheme_once(campaign: Store, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--store", str(campaign.root), "--scheme", "s", "--shares", "50", "25", "25"]
    assert run(splits.main, prog="splits", args=arguments) == 0
    rows = campaign.read(Splits, scheme="s")
    assert set(rows["pair_id"]) == set(campaign.read(Labels)["pair_id"])
    assert run(splits.main, prog="splits", args=arguments) == 0
    assert "are up to date: nothing to do" in capsys.readouterr().out
    assert campaign.version(Splits) == 0
    assert run(splits.main, prog="splits", args=[*arguments, "--seed", "2"]) == 0
    assert campaign.version(Splits) == 1


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--campaign", "other"], "expected labels of the campaign 'other' by the method 'majority', found none"),
        (["--shares", "0", "0", "0"], "expected three shares of at least 0, not all 0"),
        (["--shares", "1", "-1", "1"], "expected three shares of at least 0, not all 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    campaign: Store, flags: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(splits.main, prog="splits", args=["--store", str(campaign.root), *flags]) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not campaign.exists(Splits)
