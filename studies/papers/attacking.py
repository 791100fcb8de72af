"""Rows that are attacked models: trained, perhaps hardened, then attacked by the paper's recipe."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data.console.errors import Findings, ParadeError
from data.contract.tables.attacks import Attacks
from data.labelled.robustness import describe
from data.models.scorers import RUN
from data.storage.engine import run_module
from data.storage.store import Store
from studies.papers.needs import differ, find_set, find_weights
from studies.papers.tables import Figure, Ours, PaperTable, Place, Row
from studies.papers.training import fault_of, fit, judge, scaled, slug, test_pairs

ORIGINALS = 500
"""Of each label (Shi and Huang 2020, section 4.2: 1,000 with balanced labels)."""
MLM = "bert-base-uncased"
"""Proposes words (section 3.2)."""


def attack_rows(table: PaperTable, rows: Sequence[Row], place: Place, originals: int = ORIGINALS) -> Mapping[str, Ours]:
    """Train and attack the rows that are not done yet."""
    runs = fit(table, rows, place)
    return {row.name: _attack(table, row, runs[row.name], place, originals) for row in rows}


def _attack(table: PaperTable, row: Row, run: Path, place: Place, originals: int) -> Ours:
    mlm, dataset = find_weights(MLM, place), find_set(row.data[0], place)
    place_of = place.work / "attacks" / slug(row.name)
    if row.hardened:
        run = _harden(run, mlm, dataset, place_of.with_name(f"{place_of.name}-rounds"))
    store = Store(place_of)
    if store.read(Attacks).empty:
        flags = ("--recipe", "paper", "--mlm", mlm, "--dataset", dataset, "--originals", originals, "--out", place_of)
        _run("attack", run, *flags)
    attempts = describe(store.read(Attacks), 0, 0)
    by_label = {one["label"]: one for one in attempts["rows"]}
    full = judge(test_pairs(row.data[0], run, place), run)
    figures: list[Figure] = [full["recall"], full["specificity"], full["accuracy"]]
    for when in ("before", "after"):
        figures += [by_label.get(label, {}).get(when) for label in ("paraphrase", "no paraphrase", "both")]
    few = () if originals == ORIGINALS else (f"{originals} originals of each label, not {ORIGINALS}",)
    return Ours(
        figures=tuple(scaled(one, table.scale) for one in figures),
        what=f"`{row.model}`, one seed; limits of sampled and modified pairs: Wilson's",
        marks=(*differ(row, place), *fault_of(run), *few),
    )


def _harden(run: Path, mlm: str | None, dataset: Path | None, rounds: Path) -> Path:
    best = rounds / "best"
    if not (best / RUN).is_file():
        _run("harden", run, "--recipe", "paper", "--mlm", mlm, "--dataset", dataset, "--out", rounds)
    return best


def _run(*words: Any) -> None:
    """Run a command of `identification`; raise Findings or ParadeError where it ends with another code than 0."""
    code = run_module("identification", [str(word) for word in words])
    if code == 1:
        raise Findings(f"`identification {words[0]}` ended with a finding; see its lines above")
    if code:
        raise ParadeError(
            f"identification {words[0]}", expected="the exit code 0", found=str(code), remedy="see its message above"
        )
