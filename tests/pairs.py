"""Small tables of pairs for tests of groups and of splits."""

import pandas as pd
from hypothesis import strategies as st

WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "sorted", "tables"]), min_size=1, max_size=4)
NAMES = st.sampled_from(["ip address", "internet protocol address", "graph", "graphs", "tree", None])
ROWS = st.tuples(NAMES, WORDS.map(" ".join), WORDS.map(" ".join))
"""Entity, first and second text of a pair."""


def pairs_of(rows: list[tuple[str | None, str, str]], parents: dict[int, list[str]] | None = None) -> pd.DataFrame:
    """The rows as pairs `p000`, `p001`, ...; `parents`: by place, the pairs that a pair was made from."""
    frame = pd.DataFrame(rows, columns=["entity", "first", "second"])
    frame["pair_id"] = [f"p{place:03}" for place in range(len(frame))]
    return frame.assign(second_entity=None, parents=[(parents or {}).get(place, []) for place in range(len(frame))])
