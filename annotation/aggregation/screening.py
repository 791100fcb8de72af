"""What becomes of items by the answers to a question that keeps, changes or drops them; pure.

Source: Zhang et al. 2019 (PAWS), section 4: sentences are accepted, fixed or rejected before their pairs are judged.
"""

from dataclasses import dataclass

import pandas as pd
from rapidfuzz.distance import Levenshtein

from data.contract.questions import Control
from data.contract.vocabulary import CORRECTED, RESTORED
from data.grouping.entities import of_side
from data.texts.identity import pair_id, text_id
from data.texts.languages.base import Language
from data.texts.similarity import jaccard

KEPT, CHANGED = "kept", "changed"

DROPPED, FLAGGED, TIED, UNANSWERED = "dropped", "flagged", "as_many_drop_as_keep", "unanswered"
BACK_TO_SOURCE = RESTORED
SAME_ITEM = "fixed_to_another_item"
"""Why an item does not go on."""


@dataclass(frozen=True, kw_only=True)
class Twice:
    """How far the first two answers to the same item agree."""

    items: int
    """Those with two answers."""
    same: int
    """Those whose two answers are the same: both keep, both change or both drop the item as it is."""
    fixed: int
    """Those that both answers change."""
    similarity: float | None
    """Of their two texts, the mean share of characters in common (1 less the normalised edit distance)."""


def screen(answers: pd.DataFrame, control: Control) -> pd.DataFrame:
    """What becomes of each item: pair_id, outcome (KEPT, CHANGED or why it does not go on), text (of the changed).

    `answers`: one row per rating that counts: pair_id, submitted_at, value (null: none), flagged (in place of an
    answer), text (null: none). Most answers decide, and a flag is one against the item; a changed item goes on with
    the text that most gave, of equally many the earliest.
    """
    fates = dict.fromkeys(control.keeps, KEPT) | dict.fromkeys(control.changes, CHANGED)
    fate = answers["value"].map(fates | dict.fromkeys(control.drops, DROPPED)).astype("object")
    fate = fate.where(~answers["flagged"], FLAGGED).fillna(UNANSWERED)
    counts = pd.crosstab(answers["pair_id"], fate).reindex(
        columns=[KEPT, CHANGED, DROPPED, FLAGGED, UNANSWERED], fill_value=0
    )
    stays, goes = counts[KEPT] + counts[CHANGED], counts[DROPPED] + counts[FLAGGED]
    outcome = pd.Series(TIED, index=counts.index, dtype="object")
    outcome[goes > stays] = DROPPED
    outcome[(goes > stays) & (counts[FLAGGED] > counts[DROPPED])] = FLAGGED
    outcome[stays > goes] = KEPT
    outcome[(stays > goes) & (counts[CHANGED] > counts[KEPT])] = CHANGED
    outcome[stays + goes == 0] = UNANSWERED
    texts = _choose(answers[fate == CHANGED]).reindex(outcome.index[outcome == CHANGED])
    return pd.DataFrame({"outcome": outcome, "text": texts.reindex(outcome.index)}).reset_index()


def compare_twice(answers: pd.DataFrame, control: Control) -> Twice:
    """How far two answers to the same item agree; `answers` as for `screen`, a flag counts as an answer of its own."""
    value = answers["value"].astype("object").where(~answers["flagged"], FLAGGED)
    rows = answers.assign(value=value).dropna(subset="value").sort_values("submitted_at", kind="stable")
    place = rows.groupby("pair_id").cumcount()
    both = rows[place == 0].merge(rows[place == 1], on="pair_id", suffixes=("", "_second"))
    same = both["value"] == both["value_second"]
    fixed = both[same & both["value"].isin(control.changes)].dropna(subset=["text", "text_second"])
    alike = [
        1 - Levenshtein.normalized_distance(first, second)
        for first, second in zip(fixed["text"], fixed["text_second"], strict=True)
    ]
    similarity = sum(alike) / len(alike) if alike else None
    return Twice(items=len(both), same=int(same.sum()), fixed=len(fixed), similarity=similarity)


def _choose(changes: pd.DataFrame) -> "pd.Series[str]":
    """By pair id, the text that most gave; of equally many the earliest."""
    given = changes.groupby(["pair_id", "text"])["submitted_at"].agg(["size", "min"]).reset_index()
    ordered = given.sort_values(["pair_id", "size", "min", "text"], ascending=[True, False, True, True])
    return ordered.drop_duplicates("pair_id").set_index("pair_id")["text"]


def items(pairs: pd.DataFrame, screened: pd.DataFrame, language: Language) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs that go on, and the rejects (id, reason, detail): each screened pair is in one of the two.

    `pairs`: rows of the table. A kept pair stays as it is. A changed one is a new pair of its first text and the
    corrected one, whose parent it is; where people corrected the text to its source, or to another item's source, there
    is nothing to ask.
    """
    rows = pairs.merge(screened, on="pair_id")
    changed = _change(rows[rows["outcome"] == CHANGED], language)
    back = changed["first_id"] == changed["second_id"]
    kept = rows.loc[rows["outcome"] == KEPT, list(pairs)]
    following = pd.concat([kept, changed.loc[~back, list(pairs)]], ignore_index=True)
    twice = following["pair_id"].duplicated()
    same = following.loc[twice, "parents"].map(lambda parents: parents[0])
    out = screened[~screened["outcome"].isin([KEPT, CHANGED])]
    reasons = [
        *zip(out["pair_id"], out["outcome"], strict=True),
        *((pair, BACK_TO_SOURCE) for pair in changed.loc[back, "old"]),
        *((pair, SAME_ITEM) for pair in same),
    ]
    rejects = pd.DataFrame(reasons, columns=["id", "reason"], dtype="object").assign(detail=None)
    return following[~twice].sort_values("pair_id", ignore_index=True), rejects


def _change(rows: pd.DataFrame, language: Language) -> pd.DataFrame:
    """The rows with the corrected text as their second, and their present id as `old`."""
    entities = [None if pd.isna(name) else name for name in of_side(rows, "second")]
    second_ids = [text_id(text, entity) for entity, text in zip(entities, rows["text"], strict=True)]
    ids = [pair_id(first, second) for first, second in zip(rows["first_id"], second_ids, strict=True)]
    overlap = jaccard(rows["first"].to_list(), rows["text"].to_list(), language).set_axis(rows.index)
    parents = pd.Series([[pair] for pair in rows["pair_id"]], index=rows.index, dtype="object")
    return rows.assign(
        old=rows["pair_id"], pair_id=ids, second_id=second_ids, second=rows["text"], similarity=None, overlap=overlap,
        selection=CORRECTED, detail=None, parents=parents,
    )  # fmt: skip
