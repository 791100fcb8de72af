"""Near copies: every pair that a comparison of all with all finds, and definitions that were changed a little."""

import itertools
from collections.abc import Iterator

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.splitting import leaks
from data.grouping import groups
from data.labelled.dataset import Dataset
from data.texts import near_copies, similarity
from tests.pairs import pairs_of

some_texts = st.lists(st.lists(st.sampled_from(list("abcdef")), max_size=5).map(" ".join), max_size=12)
STEMS = ["keys", "map", "rows", "table", "nodes", "trees", "edge", "graph", "heap", "stack", "queue"]
longer_texts = st.lists(st.lists(st.sampled_from(STEMS), max_size=14).map(" ".join), max_size=8)


@pytest.fixture(autouse=True, params=[near_copies.BLOCK_ROWS, 2], ids=["one block", "many blocks"])
def block_rows(request: pytest.FixtureRequest) -> Iterator[None]:
    """Blocks of two rows, so that most pairs are of different blocks, as well as the usual ones."""
    near_copies._last.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_copies, "BLOCK_ROWS", request.param)
        patch.setattr(near_copies, "TURNED_ROWS", request.param * min(request.param, 16))
        patch.setattr(near_copies, "BATCH_TEXTS", request.param)
        yield


def couples(found: pd.DataFrame) -> list[tuple[int, int]]:
    return list(zip(found["left"], found["right"], strict=True))


@given(some_texts | longer_texts, st.sampled_from([0.3, 0.5, 0.6, 0.7, 1.0]))
def test_overlapping_finds_the_same_couples_as_jaccard_of_all_couples(texts: list[str], least: float) -> None:
    every = list(itertools.combinations(range(len(texts)), 2))
    overlap = similarity.jaccard([texts[i] for i, _ in every], [texts[j] for _, j in every])
    sizes = [len(set(text.split()) - {"a"}) for text in texts]
    long = [min(sizes[i], sizes[j]) >= near_copies.LONG_STEMS for i, j in every]
    enough = [min(least, near_copies.LONG_OVERLAP) if is_long else least for is_long in long]
    found = zip(every, overlap.fillna(0), enough, strict=True)
    assert couples(near_copies.overlapping(texts, least)) == [couple for couple, one, e in found if one >= e - 1e-9]


@pytest.mark.sweep
@given(longer_texts)
def test_aligned_finds_the_same_couples_as_all_texts_side_by_side(texts: list[str]) -> None:
    expected = [
        (i, j)
        for i, j in itertools.combinations(range(len(texts)), 2)
        if not near_copies.aligned([texts[i], texts[j]]).empty
    ]
    assert couples(near_copies.aligned(texts)) == expected


@pytest.mark.sweep
@given((some_texts | longer_texts).map(lambda texts: [*dict.fromkeys(texts)]), st.integers(0, 12))
def test_new_texts_beside_known_ones_give_what_all_give(texts: list[str], n_known: int) -> None:
    near_copies._last.clear()
    whole = near_copies.find_near_copies(texts)
    near_copies._last.clear()
    near_copies.find_near_copies(texts[:n_known])
    grown = near_copies.find_near_copies(texts)
    assert {kind: rows.to_dict("list") for kind, rows in grown.items()} == {
        kind: rows.to_dict("list") for kind, rows in whole.items()
    }


@given(st.lists(st.text("ab\u0101\U00020000c", max_size=12), max_size=6))
def test_runs_of_letters_are_counted_in_any_script(letters: list[str]) -> None:
    run = near_copies.RUN
    each = [{text[start : start + run] for start in range(len(text) - run + 1)} for text in letters]
    rows = near_copies._count_runs(letters)
    shared = (rows @ rows.T).toarray().tolist() if letters else []
    assert shared == [[len(one & other) for other in each] for one in each]
    frequency = rows.sum(axis=0).tolist()[0]
    assert len(frequency) == len(set().union(*each))


@pytest.mark.sweep
@given(longer_texts)
def test_a_part_of_a_text_is_a_copy_of_it(texts: list[str]) -> None:
    for text in texts:
        part = text[: len(text) // 2]
        assert near_copies.aligned([text, part]).empty == (len(part.replace(" ", "")) < near_copies.FEWEST_LETTERS)


FORMULAS = [
    "a muscle that bends the thumb of the hand",
    "a muscle that turns the thigh of the leg",
    "a carcinoma that is located in the bladder",
    "a carcinoma that is located in the tongue",
    "branch of the aorta that supplies blood to the stomach",
    "branch of the aorta that supplies blood to the diaphragm",
]


def test_definitions_of_one_pattern_are_no_copies() -> None:
    assert all(found.empty for found in near_copies.find_near_copies(FORMULAS).values())


@pytest.mark.parametrize("texts", [[], [""], ["", "?"], ["a", "b"]])
def test_texts_without_words_are_no_copies(texts: list[str]) -> None:
    assert all(found.empty for found in near_copies.find_near_copies(texts).values())


DEFINITIONS = {
    "bakery": "the place where a baker kneads dough before dawn and sells warm loaves from a narrow counter",
    "lighthouse": "a tall tower on the shore whose turning lamp warns sailors of rocks hidden below the water",
    "orchard": "an enclosed piece of land on which farmers plant rows of apple, pear or cherry trees for their fruit",
    "compass": "an instrument with a magnetic needle that swings until it points north, used to keep a course at sea",
    "glacier": "a slow river of ice that forms where more snow falls in winter than the summer sun can melt away",
    "loom": "a wooden frame that holds threads under tension so that a weaver passes others between them to make cloth",
    "aqueduct": "a channel of stone arches by which the Romans led spring water across valleys into their cities",
    "archive": "a quiet building in which letters, maps and registers of former times are kept and lent to historians",
    "beehive": "a box in which a beekeeper houses a swarm, with frames that the insects fill with wax combs and honey",
    "ferry": "a flat boat that carries passengers and vehicles across a river or strait according to a fixed timetable",
}
OTHERS = ["wharf", "quince", "sundial", "meadow", "turbine", "puddle", "violin", "zodiac", "jetty", "kiln"]


def append(text: str) -> str:
    """A clause appended."""
    return f"{text}, and which visitors may see on guided tours during the warmer months of every year"


def cut(text: str) -> str:
    """The second half cut off."""
    parts = text.split()
    return " ".join(parts[: (len(parts) + 1) // 2])


def mistype(text: str) -> str:
    """Two letters exchanged in each third word."""
    parts = text.split()
    return " ".join(p[:1] + p[2] + p[1] + p[3:] if n % 3 == 0 and len(p) > 3 else p for n, p in enumerate(parts))


def join(text: str) -> str:
    """Each two words joined by a hyphen."""
    parts = text.split()
    return " ".join("-".join(parts[n : n + 2]) for n in range(0, len(parts), 2))


def exchange(text: str) -> str:
    """Two words exchanged for others, the halves in the other order."""
    parts = text.split()
    parts[2], parts[-2] = "wonderful", "elsewhere"
    middle = len(parts) // 2
    return " ".join([*parts[middle:], *parts[:middle]])


@pytest.mark.parametrize("change", [append, cut, mistype, join, exchange])
def test_a_changed_copy_in_another_entity_is_in_the_same_group_and_a_leak(change) -> None:
    names = list(DEFINITIONS)
    rows = [(name, text, name) for name, text in DEFINITIONS.items()]
    rows += [(other, change(text), other) for other, text in zip(OTHERS, DEFINITIONS.values(), strict=True)]
    pairs = pairs_of(rows)
    group = groups.group(pairs).tolist()
    assert [group[n] == group[n + len(names)] for n in range(len(names))] == [True] * len(names)
    assert len(set(group)) == len(names)
    frame = pairs.assign(split=["train"] * len(names) + ["test"] * len(names), votes=None, n_votes=None, binary=1)
    (row,) = leaks.compare_splits(Dataset(frame))
    assert row["pairs_touched"] == len(names)
