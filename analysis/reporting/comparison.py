"""Two data sets, or two days of one, side by side; pure."""

from collections.abc import Callable
from typing import Any

Values = dict[str, Any]


def _of(*path: str) -> Callable[[Values], Any]:
    def find(values: Values) -> Any:
        found: Any = values
        for name in path:
            found = None if found is None else found.get(name)
        return found

    return find


def _not_unanimous(values: Values) -> float | None:
    agreement = values.get("agreement")
    return agreement["split_pairs"] / agreement["pairs"] if agreement and agreement["pairs"] else None


ROWS: dict[str, tuple[str, Callable[[Values], Any]]] = {
    "pairs": ("count", _of("size", "pairs")),
    "entities, number variants as one": ("count", _of("size", "canonical_entities")),
    "definitions": ("count", _of("size", "definitions")),
    "paraphrases, of the decided pairs": ("share", _of("labels", "paraphrase_share")),
    "undecided pairs": ("count", _of("labels", "undecided")),
    "Fleiss’ κ": ("real", _of("agreement", "fleiss_kappa")),
    "κ with the majority, own vote included": ("real", _of("agreement", "kappa_with_majority")),
    "κ with the majority of the others": ("real", _of("agreement", "kappa_with_others")),
    "pairs that are not unanimous": ("share", _not_unanimous),
    "words a definition, mean over both sides": ("real", _of("lengths", "slots", "whitespace", "mean")),
    "overlap of paraphrases, mean": ("real", _of("overlap", "paraphrase", "mean")),
    "overlap of non-paraphrases, mean": ("real", _of("overlap", "non_paraphrase", "mean")),
    "AUC of overlap alone": ("real", _of("overlap", "auc")),
    "paraphrases with low overlap": ("share", _of("overlap", "low_paraphrases")),
    "non-paraphrases with high overlap": ("share", _of("overlap", "high_non_paraphrases")),
    "pairs that name their entity": ("share", _of("entity_named", "share")),
    "triangles that break transitivity": ("share", _of("triangles", "broken_share")),
    "texts under several entities": ("count", _of("shared_definitions")),
}
"""What is compared: its name, how it is shown, where it is found among the figures."""


def compare(mine: Values, theirs: Values) -> list[dict[str, Any]]:
    """One row for each of ROWS: name, form (count, share, real), mine, theirs, difference (null where not known).

    Both are figures of `facts.describe`.
    """
    rows = []
    for name, (form, find) in ROWS.items():
        one, other = find(mine), find(theirs)
        difference = None if one is None or other is None else one - other
        rows.append({"name": name, "form": form, "mine": one, "theirs": other, "difference": difference})
    return rows
