"""Sentences that can be played: long enough to be rewritten, plain, in the language, each once."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.console.commands import require_at_least
from data.console.marks import Limit
from data.texts import words
from data.texts.identity import text_id

MAX_SENTENCE_CHARS = 1_000
"""Characters of a sentence: what is longer is no sentence, and reaches no pattern."""
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,200}>|&[A-Za-z#0-9]{2,8};|https?://")
_MARKS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class PromptRule:
    """Which sentences can be played."""

    min_words: Limit[int] = 6
    """The fewest words. In the released game 33 % of the money went to sentences of three words or fewer."""
    max_words: Limit[int] = 60
    """The most words."""
    limit: Limit[int | None] = None
    """Take this many of them, drawn by --seed; all if omitted."""
    seed: int = 1
    """The source of the draw."""

    def __post_init__(self) -> None:
        """Raise InputError for a rule that no sentence can meet."""
        require_at_least("--min-words", self.min_words, 1)
        require_at_least("--max-words", self.max_words, self.min_words)
        require_at_least("--limit", self.limit, 1)


def select(texts: pd.DataFrame, rule: PromptRule) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of the table `prompts` without `source`, and the rejects (id, reason, detail).

    `texts`: text, entity (null for none), source_id, in the order in which the first of two similar ones stays.
    """
    rows = texts.assign(
        text=[" ".join(text.split()) if len(text) <= MAX_SENTENCE_CHARS else text for text in texts["text"]]
    )
    rows["n_words"] = rows["text"].map(words.count_words).astype("int64")
    reason = pd.Series(
        [_reject(text, n, rule) for text, n in zip(rows["text"], rows["n_words"], strict=True)], rows.index
    )
    plain = rows["text"].str.slice(0, MAX_SENTENCE_CHARS).map(words.bare) + "\n" + rows["entity"].fillna("")
    reason = reason.mask((reason == "") & plain.where(reason == "").duplicated(), "repeated")
    ids = [
        text_id(*row)
        for row in zip(rows["text"], rows["entity"].astype(object).where(rows["entity"].notna(), None), strict=True)
    ]
    rows["prompt_id"] = ids
    kept = rows[reason == ""]
    if rule.limit is not None and rule.limit < len(kept):
        chosen = np.random.default_rng(rule.seed).choice(len(kept), rule.limit, replace=False)
        reason.loc[kept.index.difference(kept.index[chosen])] = "not_drawn"
        kept = kept.iloc[np.sort(chosen)]
    dropped = rows[reason != ""].assign(reason=reason[reason != ""])
    rejects = dropped.assign(id=dropped["source_id"], detail=dropped["text"].str.slice(0, 200))
    return kept.reset_index(drop=True), rejects[["id", "reason", "detail"]].drop_duplicates("id", ignore_index=True)


def _reject(text: str, n_words: int, rule: PromptRule) -> str:
    """Why the sentence cannot be played; empty where it can."""
    if len(text) > MAX_SENTENCE_CHARS:
        return "too_long"
    if not words.bare(text):
        return "no_words"
    if _MARKS.search(text):
        return "control_marks"
    if _MARKUP.search(text):
        return "markup"
    if n_words < rule.min_words:
        return "too_few_words"
    return "too_many_words" if n_words > rule.max_words else ""
