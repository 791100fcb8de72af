"""Where `recommended` differs from `paper`, a row of a page says so: a new difference needs a row."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from clustering.commands.propose import RECIPES as PROPOSALS
from crawler.definitions import RECIPES as DEFINITIONS
from crawler.terminology import RECIPES as TERMS
from generation.config import BALANCES, SWAPS, TRANSLATIONS
from identification.config import ATTACKS
from paraphrase_game.config import GENERATORS
from tests.campaign import read

CHOICES: Mapping[str, tuple[Mapping[str, Any], Mapping[str, str]]] = {
    "terms": (
        TERMS,
        {
            "min_words": "phrases with document frequency", "max_words": "phrases with document frequency",
            "above": "phrases with document frequency", "short_words": "which words a phrase may have",
            "drop_boilerplate": "texts of papers", "merge_variants": "singular and plural",
            "rank_by": "the order for `--limit`",
        },
    ),
    "definitions": (
        DEFINITIONS,
        {
            "merge_variants": "singular and plural", "resolve_markup": "markup and references",
            "drop_references": "markup and references", "lower_case": "case",
        },
    ),
    "pairs": (
        PROPOSALS,
        {
            **dict.fromkeys(
                ("vectors", "vector_size", "skip_gram", "epochs", "learning_rate", "sample", "min_count"),
                "word2vec, 300 dimensions",
            ),
            "max_overlap": "drop pairs that differ by punctuation",
        },
    ),
    "swaps": (
        SWAPS,
        {
            "exchanges": "3.1 | beam search", "keep_terms": "3.1 | a tagger", "lists": "footnote 2",
            **dict.fromkeys(("content_first", "most_moved", "n_best"), "3.1 | the best candidate"),
            "threshold": "3.1 | the best other sentence",
            **dict.fromkeys(("least_likely", "per_entity"), "3.1 | sources of the corpus"),
        },
    ),
    "translations": (TRANSLATIONS, {"results": "3.2 | five translations"}),
    "balance": (
        BALANCES,
        dict.fromkeys(("swaps", "balance"), "4 | swaps without a back translation"),
    ),
    "generators": (GENERATORS, {"loss": "3.2 | the cross entropy"}),
    "attacks": (
        ATTACKS,
        {
            **dict.fromkeys(("words", "beam", "long_from"), "S, K, B"), "places": "places tried per draft",
            "negatives": 'originals with the label "others"', "threshold": "the model's threshold",
            "vocabulary": "substitutes", "window": "what the masked language model reads",
            "occurrences": "occurrences", "guards": "guards",
            "floor": "lowest probability of a substitute", "refine": "refinement",
        },
    ),
}  # fmt: skip
"""By recipe: the setting -> how the row begins that names its choice."""


def settings(config: Any) -> dict[str, Any]:
    """The values of a configuration and of its parts, by name."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        found |= settings(value) if dataclasses.is_dataclass(value) else {field.name: value}
    return found


@pytest.mark.parametrize("name", CHOICES)
def test_each_difference_between_the_recipes_has_a_row(name: str) -> None:
    recipes, rows = CHOICES[name]
    paper, ours = settings(recipes["paper"]), settings(recipes["recommended"])
    assert set(rows) == {setting for setting in paper if paper[setting] != ours[setting]}
    text = read("robustness" if name == "attacks" else "paper-choices")
    missing = [start for start in rows.values() if not any(line.startswith(f"| {start}") for line in text.splitlines())]
    assert missing == []
