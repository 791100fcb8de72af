"""Which cards may become definitions, with one named reason for each that may not; pure."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from crawler.cards.texts import only_refers, per_distinct
from crawler.config import DefinitionConfig
from data.console.memory import return_memory
from data.console.messages import progress
from data.storage.engine import HERE, run_each
from data.texts import words
from data.texts.languages.base import Language
from data.texts.languages.detection import confidence, forget_models

LETTER = r"[^\W\d_]"
TEXTS_AT_ONCE = 5_000
"""Texts whose languages are detected in one task."""
MANY_BATCHES = 40
"""After more batches than this, the detectors leave the memory: the work that follows takes as much."""


def judge_form(cards: pd.DataFrame, config: DefinitionConfig) -> pd.DataFrame:
    """Why each card is no definition by its form, else null: columns `reason` and `detail`, with the index of `cards`.

    `cards` has the columns text (white space folded), front, media. The first rule that applies gives the reason:
    `not_pure_text`, `empty_definition` (without a letter), `repeats_the_front`, `cross_reference`, `too_short`,
    `too_long`. Source: He et al. 2020, section 3.1 (pure text), and the released data (at most 30 words).
    """
    text, bare = cards["text"], per_distinct(cards["text"], words.bare)
    n_words = per_distinct(text, words.count_words).astype(int)
    refers = per_distinct(text, lambda one: config.drop_references and only_refers(one))
    verdicts = pd.DataFrame({"reason": None, "detail": None}, index=cards.index, dtype=object)
    for reason, broken, detail in (
        ("not_pure_text", cards["media"].notna(), cards["media"]),
        ("empty_definition", ~bare.str.contains(LETTER), text),
        ("repeats_the_front", bare == per_distinct(cards["front"], words.bare), text),
        ("cross_reference", refers, text),
        ("too_short", n_words < config.min_words, n_words),
        ("too_long", n_words > config.max_words, n_words),
    ):
        new = broken.astype(bool) & verdicts["reason"].isna()
        verdicts.loc[new, "reason"] = reason
        verdicts.loc[new, "detail"] = detail[new].astype(str)
    return verdicts


def judge_language(
    cards: pd.DataFrame, config: DefinitionConfig, language: Language, engine: str = HERE
) -> pd.DataFrame:
    """The cards with the reason `other_language` where they have none so far; each definition is measured once.

    `cards` has the columns text, definition_id, reason, detail (see `selection.read_cards`). `engine` says where they
    are measured (see `data.storage.engine`). Source: He et al. 2020, section 3.1 (English).
    """
    asked = np.flatnonzero(cards["reason"].isna())
    codes = pd.factorize(cards["definition_id"].iloc[asked])[0]
    places = asked[np.unique(codes, return_index=True)[1]]
    confidences = measure(Batches(cards["text"], places), language, engine)[codes]
    low = confidences < config.min_confidence
    reason, detail = cards["reason"].copy(), cards["detail"].copy()
    reason.iloc[asked[low]] = "other_language"
    detail.iloc[asked[low]] = [f"confidence in {language.name} {number:.3f}" for number in confidences[low]]
    return cards.assign(reason=reason, detail=detail)


class Batches(Sequence["pd.Series[str]"]):
    """The texts at some places, TEXTS_AT_ONCE at a time; a batch takes memory only while it is used."""

    def __init__(self, texts: "pd.Series[str]", places: NDArray[np.int64]) -> None:
        self._texts, self._places = texts, places
        self._starts = range(0, len(places), TEXTS_AT_ONCE)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> "pd.Series[str]":  # type: ignore[override] # no slices
        start = self._starts[number]
        return self._texts.iloc[self._places[start : start + TEXTS_AT_ONCE]]


def measure(batches: Batches, language: Language, engine: str = HERE) -> NDArray[np.float64]:
    """The confidence that each text of the batches is in the language, 0 to 1 (`data.texts.languages.detection`)."""
    if not batches:
        return np.empty(0)
    return_memory()  # the detectors take 400 MB
    found = run_each(partial(confidence, code=language.code), batches, engine, progress, "batches of texts")
    if len(batches) > MANY_BATCHES:
        forget_models(language.code)
        return_memory()
    return np.concatenate(found)
