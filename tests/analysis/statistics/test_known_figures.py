"""The figures on data sets small enough to count by hand, and their laws."""

from dataclasses import asdict

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.reporting import catalogue, figures
from analysis.splitting import leaks
from analysis.statistics import agreement, examples, lexical, transitivity, wording
from analysis.statistics.wording import PARADE
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset


def data_set(rows: list[tuple[str, str, str, str | None, int, int]]) -> Dataset:
    """(entity, first, second, split, votes, n_votes) as a data set; a tie is undecided."""
    frame = pd.DataFrame(rows, columns=["entity", "first", "second", "split", "votes", "n_votes"])
    for side in ("first", "second"):
        frame[f"{side}_id"] = frame["entity"] + "/" + frame[side]
    frame["pair_id"] = frame["first_id"] + "|" + frame["second_id"]
    frame["binary"] = [
        pd.NA if 2 * yes == n else int(2 * yes > n) for yes, n in zip(frame["votes"], frame["n_votes"], strict=True)
    ]
    frame["second_entity"], frame["parents"] = None, [[] for _ in rows]
    return Dataset(frame[COLUMNS].astype(INTEGERS))


TRIANGLES = data_set(
    [
        ("graph", "a b", "c d", "train", 3, 3),
        ("graph", "c d", "e f", "train", 2, 3),
        ("graph", "a b", "e f", "train", 0, 3),
        ("tree", "g h", "i j", "test", 3, 3),
        ("tree", "i j", "k l", "test", 3, 3),
        ("tree", "g h", "k l", "test", 3, 3),
        ("tree", "k l", "m n", "test", 1, 3),
    ]
)


def test_triangles_with_two_paraphrases_and_a_non_paraphrase_violate_transitivity() -> None:
    assert transitivity.count_triangles(TRIANGLES) == {
        "by_paraphrases": [0, 0, 1, 1],
        "could_break": 2,
        "broken": 1,
        "broken_share": 0.5,
    }
    graph = transitivity.describe_graph(TRIANGLES)
    assert (graph["components"], graph["complete_components"], graph["largest_component"]) == (2, 1, 4)
    assert graph["pairs_per_entity"] == {"mean": 3.5, "median": 3.5, "max": 4}


def test_figures_of_few_things_have_few_decimals_and_say_whose_votes_they_are_of() -> None:
    assert [wording.share(3 / 7, n) for n in (7, 999, 1_000)] == ["43 %", "43 %", "42.9 %"]
    assert [wording.real(0.98765, 4, n) for n in (27, 1_000)] == ["0.99", "0.9877"]
    assert [wording.part(3 / 7, 7), wording.part(0.5, 100)] == ["", " (50 %)"]
    assert wording.within(None, None) == ""
    assert wording.within(-0.25, 0.5, 27) == "−0.25 to 0.50"
    assert [wording.whose("fleiss_kappa", None), wording.whose("with_majority", "same")] == ["", ""]
    assert "replaced ones included" in wording.whose("with_majority", None)


def test_agreement_by_hand() -> None:
    pairs = data_set([("x", f"a{place}", f"b{place}", None, yes, 3) for place, yes in enumerate([0, 1, 2, 3])])
    found = agreement.agree(pairs.frame)
    assert (found["raters"], found["pairs"], found["split_pairs"]) == (3, 4, 2)
    assert found["observed_agreement"] == pytest.approx((1 + 1 / 3 + 1 / 3 + 1) / 4)
    assert found["fleiss_kappa"] == pytest.approx((2 / 3 - 0.5) / 0.5)
    assert found["kappa_with_majority"] == pytest.approx(2 * 10 / 12 - 1)
    assert found["kappa_with_others"] == pytest.approx(2 * 6 / 8 - 1)
    assert 0 < found["chance_kappa"] < found["kappa_with_majority"]


def test_agreement_has_limits_that_draw_entities() -> None:
    rows = [(f"e{place}", f"a{place}", f"b{place}", None, yes, 3) for place, yes in enumerate([0, 1, 2, 3] * 5)]
    found, alike = (agreement.agree(data_set(some).frame) for some in (rows, [("x", *row[1:]) for row in rows]))
    assert -1 < found["fleiss_low"] < found["fleiss_kappa"] < found["fleiss_high"] < 1
    assert (alike["fleiss_low"], alike["fleiss_high"]) == (-1, 1), "one entity says nothing"


def test_agreement_before_replacing_is_of_the_first_answers() -> None:
    frame = data_set([("x", f"a{place}", f"b{place}", None, 3 * (place % 2), 3) for place in range(4)]).frame
    first = pd.DataFrame(
        [(pair, vote, vote != place % 2) for place, pair in enumerate(frame["pair_id"]) for vote in (0, 1, place % 2)],
        columns=["pair_id", "vote", "replaced"],
    )
    found = agreement.agree_at_first(frame, first)
    assert (found["answers"], found["replaced"], found["pairs"]) == (12, 4, 4)
    assert found["fleiss_kappa"] == pytest.approx((1 / 3 - 0.5) / 0.5)
    assert agreement.agree_at_first(frame, first.assign(replaced=False)) is None


def test_agreement_is_none_where_it_is_not_defined() -> None:
    for rows in ([], [("x", "a", "b", None, 1, 1)], [("x", "a", "b", None, 3, 3), ("x", "a", "c", None, 3, 3)]):
        found = agreement.agree(data_set(rows).frame)
        assert found["fleiss_kappa"] is None
        assert found["kappa_with_majority"] is None


@pytest.mark.sweep
@given(st.lists(st.integers(0, 3), min_size=2, max_size=40))
def test_agreement_does_not_change_when_the_two_answers_swap_names(yes: list[int]) -> None:
    ways = [
        [("x", f"a{i}", f"b{i}", None, one, 3) for i, one in enumerate(some)] for some in (yes, [3 - y for y in yes])
    ]
    one, other = (agreement.agree(data_set(rows).frame) for rows in ways)
    for name in one.keys() - {"fleiss_low", "fleiss_high"}:  # the draws are by class
        assert other[name] == (None if one[name] is None else pytest.approx(one[name], abs=1e-9))


def test_leaks_between_splits_are_counted_by_kind() -> None:
    pairs = data_set(
        [
            ("data structure", "a way to organise facts", "where facts lie", "train", 3, 3),
            ("data structures", "ways to arrange records", "how records are laid", "validation", 0, 3),
            ("file system", "Where  Facts lie", "keeps files on disks quickly and safely", "test", 0, 3),
            ("disk", "keeps files on disks quickly, safely", "a round plate", "train", 0, 3),
            ("tree", "grows", "has leaves", "test", 0, 3),
        ]
    )
    found = {(row["split"], tuple(row["against"])): row for row in leaks.compare_splits(pairs)}
    assert set(found) == {
        ("validation", ("train",)),
        ("test", ("train",)),
        ("test", ("validation",)),
        ("test", ("train", "validation")),
    }
    validation, test = found["validation", ("train",)], found["test", ("train",)]
    assert (validation["entities"], validation["variants"], validation["pairs_by_variants"]) == (0, 1, 1)
    assert (test["variants"], test["definitions"], test["pairs_by_definitions"]) == (0, 1, 1)
    assert test["pairs_by_near_copies"] == 1
    assert not leaks.is_clean(list(found.values()))
    assert leaks.is_clean([found["test", ("validation",)]])


def test_lengths_count_both_sides_and_distinct_definitions() -> None:
    pairs = data_set([("x", "one two-three", "one", None, 3, 3), ("x", "one", "four five six", None, 3, 3)])
    found = lexical.measure_lengths(pairs)
    assert found["slots"]["whitespace"] == {"n": 4, "min": 1, "mean": 1.75, "median": 1.5, "max": 3}
    assert found["definitions"]["regex_w"] == {"n": 3, "min": 1, "mean": pytest.approx(7 / 3), "median": 3, "max": 3}
    assert found["histogram"] == [0, 1, 1, 1]


def test_the_whole_name_of_an_entity_is_found_whatever_its_case_and_hyphens() -> None:
    pairs = data_set(
        [
            ("real-time system", "A Real Time  system is quick", "x", None, 3, 3),
            ("file system", "a file systematically kept", "x", None, 3, 3),
            ("hash table", "x", "the (hash table)", None, 3, 3),
        ]
    )
    assert lexical.name_entity(pairs).tolist() == [True, False, True]
    assert lexical.count_named(pairs) == {"pairs": 2, "share": pytest.approx(2 / 3), "hyphenated": 1}


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=50))
def test_the_shares_of_a_spread_sum_to_1_and_the_ends_are_in(values: list[float | None]) -> None:
    found = lexical.spread(pd.Series(values, dtype="Float64"))
    assert found["n"] == sum(value is not None for value in values)
    if found["n"]:
        assert sum(found["deciles"]) == pytest.approx(1)
        assert found["deciles"][9] * found["n"] == pytest.approx(sum(v is not None and v >= 0.9 for v in values))


def test_examples_show_the_hard_kinds_first_and_do_not_depend_on_the_order_of_rows() -> None:
    overlap = pd.Series([0.1, 0.2, 0.9, 0.4, 0.3, 0.5, pd.NA], dtype="Float64")
    frame = TRIANGLES.frame.assign(overlap=overlap)
    found = examples.choose(Dataset(frame), 2, 1, PARADE)
    assert found[0]["kind"].startswith("Unanimous paraphrases")
    assert [pair["overlap"] for pair in found[0]["pairs"]] == [0.1, 0.3]
    assert [pair["overlap"] for pair in found[1]["pairs"]] == [0.9]
    backwards = Dataset(frame.iloc[::-1].reset_index(drop=True))
    assert examples.choose(backwards, 2, 1, PARADE) == found


def test_every_figure_of_an_empty_data_set_is_defined_or_none() -> None:
    found = catalogue.describe_pairs(data_set([]))
    assert found["size"] == dict.fromkeys(found["size"], 0)
    assert found["splits"] is None
    assert found["overlap"]["paraphrase"] == {"n": 0, "mean": None, "median": None, "zero": None, "deciles": None}


def test_drawings_are_the_same_bytes_every_time_and_hold_text() -> None:
    value = lexical.describe_overlap(TRIANGLES)
    once, again = (figures.draw_overlap(value, asdict(PARADE)) for _ in range(2))
    assert once == again
    assert "paraphrases (5)" in once
    assert once.startswith("<svg")
    assert "Date" not in once
