"""Several data sets, or two days of one, side by side; pure."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis.statistics import lexical
from data.console.paths import Address, last_name
from data.labelled.dataset import Dataset

Values = dict[str, Any]


def _of(*path: str) -> Callable[[Values], Any]:
    def find(values: Values) -> Any:
        value: Any = values
        for name in path:
            value = None if value is None else value.get(name)
        return value

    return find


def _not_unanimous(values: Values) -> float | None:
    agreement = values.get("agreement")
    return agreement["split_pairs"] / agreement["pairs"] if agreement and agreement["pairs"] else None


ROWS: dict[str, tuple[str, Callable[[Values], Any]]] = {
    "pairs": ("count", _of("size", "pairs")),
    "entities, singular and plural as one": ("count", _of("size", "canonical_entities")),
    "definitions or other texts": ("count", _of("size", "definitions")),
    "paraphrases, of the decided pairs": ("share", _of("labels", "paraphrase_share")),
    "undecided pairs": ("count", _of("labels", "undecided")),
    "Fleiss’ κ": ("real", _of("agreement", "fleiss_kappa")),
    "κ with the majority, including one’s own vote": ("real", _of("agreement", "kappa_with_majority")),
    "κ with the majority of the others": ("real", _of("agreement", "kappa_with_others")),
    "pairs that are not unanimous": ("share", _not_unanimous),
    "words per text, mean over both sides": ("real", _of("lengths", "slots", "whitespace", "mean")),
    "mean overlap of paraphrases": ("real", _of("overlap", "paraphrase", "mean")),
    "mean overlap of non-paraphrases": ("real", _of("overlap", "non_paraphrase", "mean")),
    "AUC of overlap alone": ("real", _of("overlap", "auc")),
    "paraphrases with low overlap": ("share", _of("overlap", "low_paraphrases")),
    "non-paraphrases with high overlap": ("share", _of("overlap", "high_non_paraphrases")),
    "pairs that name their entity": ("share", _of("entity_named", "share")),
    "triangles that violate transitivity": ("share", _of("triangles", "broken_share")),
    "texts that define several entities": ("count", _of("shared_definitions")),
}
"""What is compared: its name, how it is shown, and where it is among the figures."""


def compare(mine: Values, theirs: Values) -> list[dict[str, Any]]:
    """One row for each of ROWS: name, form (count, share, real), mine, theirs, difference (null where one is null).

    Both are figures of `catalogue.describe_pairs`.
    """
    rows = []
    for name, (form, find) in ROWS.items():
        ours, other = find(mine), find(theirs)
        difference = None if ours is None or other is None else ours - other
        rows.append({"name": name, "form": form, "mine": ours, "theirs": other, "difference": difference})
    return rows


def set_beside(sources: Sequence[Dataset]) -> list[dict[str, Any]]:
    """The overlap of other data sets, in their order: name, pairs, and the value of `lexical.describe_overlap`."""
    return [{"name": _name(source.path), "pairs": len(source)} | lexical.describe_overlap(source) for source in sources]


def _name(place: Address) -> str:
    """The name of the folder or file without its endings."""
    name = last_name(place)
    while (suffix := Path(name).suffix) in (".txt", ".tsv", ".csv", ".json", ".gz"):
        name = name.removesuffix(suffix)
    return name.rstrip("_.-") or str(place)
