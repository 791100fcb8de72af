"""Labels that contradict each other, pair by pair; pure. `frame` is a data set in the form of `analysis.datasets`."""

from collections.abc import Iterator

import pandas as pd

from analysis import triangles
from data import words

KINDS = {
    "transitivity": "one of three pairs of which two are paraphrases and the third is not",
    "symmetry": "the same two texts of the same entity have another label in another pair",
    "other_entity": "the same two texts have another label under another entity",
}
COLUMNS = ["pair_id", "kind", "evidence"]


def find(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `inconsistencies`: pair_id, kind (see KINDS), evidence; sorted.

    The evidence lists the pairs that contradict this one as `PAIR_ID=LABEL`: joined by `+` where they do so together,
    apart by spaces where they do so alone.
    """
    rows = [*_intransitive(frame), *_unequal(frame)]
    found = pd.DataFrame(rows, columns=COLUMNS, dtype="str")
    joined = found.drop_duplicates().sort_values(COLUMNS).groupby(["pair_id", "kind"])["evidence"].agg(" ".join)
    return joined.reset_index()


def count(found: pd.DataFrame) -> dict[str, int]:
    """How many pairs are inconsistent in each way."""
    return {kind: int((found["kind"] == kind).sum()) for kind in KINDS}


def _intransitive(frame: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    for third, one, other in triangles.list_broken(frame).itertuples(index=False, name=None):
        yield third, "transitivity", f"{one}=1+{other}=1"
        yield one, "transitivity", f"{other}=1+{third}=0"
        yield other, "transitivity", f"{one}=1+{third}=0"


def _unequal(frame: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    decided = frame[frame["binary"].notna()]
    plain = {text: words.merge_key(text) for side in ("first", "second") for text in decided[side].unique()}
    texts = [frozenset((plain[a], plain[b])) for a, b in zip(decided["first"], decided["second"], strict=True)]
    entity = decided["entity"].map(words.canonical, na_action="ignore").fillna("")
    known = pd.DataFrame({"texts": texts, "entity": entity, "pair_id": decided["pair_id"], "label": decided["binary"]})
    for _, same in known[known["texts"].duplicated(keep=False)].groupby("texts"):
        for mine in same.itertuples():
            for other in same[same["label"] != mine.label].itertuples():
                kind = "symmetry" if str(other.entity) == str(mine.entity) else "other_entity"
                yield str(mine.pair_id), kind, f"{other.pair_id}={other.label}"
