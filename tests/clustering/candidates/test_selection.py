import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from clustering.candidates.selection import choose, rank
from clustering.config import Config
from data.contract.vocabulary import EVERY_PAIR

overlaps = st.lists(st.none() | st.floats(0, 1), max_size=30).map(lambda values: pd.Series(values, dtype="Float64"))
selections = st.sampled_from(("random", "balanced", "low-overlap", "high-overlap", "cover"))


def pairs_of(overlap: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"entity": [f"e{row % 3}" for row in range(len(overlap))], "overlap": overlap})


@given(overlap=overlaps, selection=selections, seed=st.integers(0, 9))
def test_ranks_are_every_place_once_and_the_same_again(overlap: pd.Series, selection: str, seed: int) -> None:
    config = Config(selection=selection, seed=seed)  # type: ignore[arg-type]
    ranks = rank(pairs_of(overlap), config)
    assert sorted(ranks) == list(range(len(overlap)))
    assert ranks.index.tolist() == overlap.index.tolist()
    assert rank(pairs_of(overlap), config).tolist() == ranks.tolist()


def by_rank(values: list[float | None], selection: str) -> list[float | None]:
    overlap = pd.Series(values, dtype="Float64")
    ranks = rank(pairs_of(overlap), Config(selection=selection))  # type: ignore[arg-type]
    return [None if pd.isna(value) else float(value) for value in overlap.iloc[ranks.sort_values().index]]


def test_low_and_high_overlap_order_by_it_with_null_last() -> None:
    values = [0.5, None, 0.1, 0.9, 0.3]
    assert by_rank(values, "low-overlap") == [0.1, 0.3, 0.5, 0.9, None]
    assert by_rank(values, "high-overlap") == [0.9, 0.5, 0.3, 0.1, None]


def test_balanced_takes_each_tenth_in_turn() -> None:
    first = by_rank([0.0] * 6 + [0.25, 0.55, 1.0, 0.95, None], "balanced")
    assert first[:5] == [0.0, 0.25, 0.55, first[3], None]
    assert {first[3], first[6]} == {1.0, 0.95}
    assert first[7:] == [0.0] * 4


def test_seeds_give_other_random_orders() -> None:
    overlap = pd.Series([0.1] * 50, dtype="Float64")
    assert rank(pairs_of(overlap), Config(seed=1)).tolist() != rank(pairs_of(overlap), Config(seed=2)).tolist()


def test_a_smaller_selection_is_part_of_a_larger_one() -> None:
    pairs = pd.DataFrame(
        {
            "pair_id": list("cabed"),
            "entity": list("xxyyy"),
            "overlap": pd.array([0.1, 0.4, 0.2, None, 0.3], dtype="Float64"),
        }
    )
    for selection in ("random", "balanced", "low-overlap", "high-overlap", "cover"):
        small, large = (choose(pairs, Config(selection=selection, limit=n))[0] for n in (2, 4))
        assert set(small["pair_id"]) < set(large["pair_id"])
    low, rest = choose(pairs, Config(selection="low-overlap", limit=2))
    assert low["pair_id"].tolist() == ["b", "c"]
    assert low["selection"].tolist() == ["low-overlap", "low-overlap"]
    assert low["detail"].tolist() == ["overlap 0.20", "overlap 0.10"]
    assert rest.set_index("pair_id")["rank"].to_dict() == {"d": 2, "a": 3, "e": 4}


def test_cover_gives_every_entity_its_turn_and_takes_what_is_nearest_the_border_first() -> None:
    values = [0.9, 0.25, 0.0, 0.5, 0.19, None]
    pairs = pd.DataFrame({"entity": list("xxxyzz"), "overlap": pd.array(values, dtype="Float64")})
    ranks = rank(pairs, Config(selection="cover"))
    assert ranks.sort_values().index.tolist() == [4, 1, 3, 2, 5, 0]


def test_each_chosen_pair_says_why() -> None:
    overlap = pd.array([0.1, 0.25, 0.2, None, 0.55], dtype="Float64")
    pairs = pd.DataFrame({"pair_id": list("abcde"), "entity": list("xxyyy"), "overlap": overlap})
    reasons = {
        selection: choose(pairs, Config(selection=selection, limit=3))[0]  # type: ignore[arg-type]
        for selection in ("cover", "random", "high-overlap")
    }
    assert {name: set(chosen["selection"]) for name, chosen in reasons.items()} == {name: {name} for name in reasons}
    details = {name: chosen["detail"].tolist() for name, chosen in reasons.items()}
    assert details["cover"][:2] == ["pair 2 of its entity, overlap 0.10", "pair 1 of its entity, overlap 0.25"]
    assert reasons["random"]["detail"].isna().all()
    assert details["high-overlap"][0] == "overlap 0.25"
    every = choose(pairs, Config())[0]
    assert set(every["selection"]) == {EVERY_PAIR}
    assert every["detail"].isna().all()
