"""What becomes of items by the answers that keep, change or drop them."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.aggregation.screening import (
    BACK_TO_SOURCE,
    CHANGED,
    DROPPED,
    FLAGGED,
    KEPT,
    SAME_ITEM,
    TIED,
    UNANSWERED,
    items,
    screen,
)
from annotation.questions.declarations import shipped_question
from data.texts.identity import definition_id, pair_id
from data.texts.languages.en import ENGLISH
from tests.annotation.support.frames import pairs

DECISION = shipped_question("sentence-correction").screening
START = pd.Timestamp("2026-01-05 10:00", tz="UTC")


def answers_of(given_by_pair: dict[str, list[str | None]]) -> pd.DataFrame:
    """The answers: "accept", "reject", "fix: TEXT", "flag" or None, each a second after the one before."""
    rows = []
    for pair, said in given_by_pair.items():
        for answer in said:
            value, _, text = (answer or "").partition(": ")
            rows.append(
                {"pair_id": pair, "submitted_at": START + pd.Timedelta(seconds=len(rows)), "text": text or None,
                 "value": value if value in DECISION.values else None, "flagged": value == "flag"}
            )  # fmt: skip
    return pd.DataFrame(rows, columns=["pair_id", "submitted_at", "text", "value", "flagged"])


@pytest.mark.parametrize(
    ("given_answers", "outcome", "text"),
    [
        (["accept"], KEPT, None),
        (["reject"], DROPPED, None),
        (["fix: a b"], CHANGED, "a b"),
        (["flag"], FLAGGED, None),
        ([None], UNANSWERED, None),
        (["accept", None], KEPT, None),
        (["accept", "reject"], TIED, None),
        (["accept", "flag"], TIED, None),
        (["accept", "fix: a"], KEPT, None),
        (["accept", "fix: a", "fix: b"], CHANGED, "a"),
        (["accept", "fix: b", "fix: a", "fix: a"], CHANGED, "a"),
        (["reject", "flag", "flag", "accept"], FLAGGED, None),
        (["reject", "reject", "flag", "accept"], DROPPED, None),
    ],
)
def test_most_answers_decide(given_answers, outcome, text):
    row = screen(answers_of({"p": given_answers}), DECISION).to_dict("records")
    assert [(one["pair_id"], one["outcome"], one["text"] if text else None) for one in row] == [("p", outcome, text)]


SAID = st.sampled_from(["accept", "reject", "fix: one", "fix: two", "flag", None])


@pytest.mark.sweep
@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(SAID, min_size=1, max_size=5), min_size=1))
def test_each_item_has_one_outcome_whatever_the_order(given_by_pair):
    found = screen(answers_of(given_by_pair), DECISION).set_index("pair_id")
    assert sorted(found.index) == sorted(given_by_pair)
    turned = {pair: said[::-1] for pair, said in reversed(given_by_pair.items())}
    assert (screen(answers_of(turned), DECISION).set_index("pair_id")["outcome"] == found["outcome"]).all()
    for pair, said in given_by_pair.items():
        n = Counter(str(answer).partition(":")[0] for answer in said)
        assert (found["outcome"][pair] in (KEPT, CHANGED)) == (n["accept"] + n["fix"] > n["reject"] + n["flag"])
        assert (found["outcome"][pair] == CHANGED) == pd.notna(found["text"][pair])


def test_the_pairs_that_go_on_and_the_rejects_are_all_pairs():
    rows = pairs(6).astype({"parents": "object", "similarity": "object"})
    ids = rows["pair_id"].to_list()
    outcomes = [KEPT, CHANGED, CHANGED, CHANGED, DROPPED, CHANGED]
    texts = [None, "a corrected wording", rows["first"][2], "twice", None, "twice"]
    rows.loc[5, ["entity", "first_id", "first"]] = rows.loc[3, ["entity", "first_id", "first"]]
    screened = pd.DataFrame({"pair_id": ids, "outcome": outcomes, "text": texts})
    rows.loc[2, "first_id"] = definition_id(rows["entity"][2], rows["first"][2])
    following, rejects = items(rows, screened, ENGLISH)
    assert dict(zip(rejects["id"], rejects["reason"], strict=True)) == {
        ids[2]: BACK_TO_SOURCE, ids[4]: DROPPED, ids[5]: SAME_ITEM,
    }  # fmt: skip
    by_id = following.set_index("pair_id")
    assert len(following) + len(rejects) == len(rows)
    assert list(by_id.loc[ids[0]]) == list(rows.set_index("pair_id").loc[ids[0]])
    second = definition_id("entity 0", "a corrected wording")
    new = by_id.loc[pair_id("d0001x", second)]
    assert (new["second_id"], new["second"], new["parents"]) == (second, "a corrected wording", [ids[1]])
    assert (new["first"], new["selection"]) == (rows["first"][1], "corrected")
    assert 0 <= new["overlap"] < 1
