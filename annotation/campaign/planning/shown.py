"""What a campaign's page shows of a pair beside its texts, where its question says so."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.config import ShownRule
from annotation.questions.marking import SIDES, Span
from data.console.errors import InputError
from data.contract.questions import Question
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.shown import Shown
from data.contract.vocabulary import MAJORITY
from data.files.sheets import read_sheet
from data.models.runs import find_run, name_others
from data.storage.manifest import Manifest

PART_COLUMNS = ["pair_id", "text", "start", "end", "part"]
NEEDED = {
    "model": "prediction", "threshold": "prediction", "split": "prediction", "errors": "prediction",
    "labels_of": "label", "parts": "parts",
}  # fmt: skip
"""Flag -> what a question shows for which it says something."""


@dataclass(frozen=True, kw_only=True)
class PageExtras:
    """What is shown of the pairs beside their texts."""

    rows: pd.DataFrame
    """Rows of the table `shown`, without campaign; the pairs that can be asked about."""
    n_without: int
    """The pairs that lack something that the question shows, or that were not asked for."""
    note: str | None
    """Which of several runs of the model is shown."""


def find_extras(campaign: Campaign, question: Question, rule: ShownRule, generator: str) -> PageExtras | None:
    """What the question shows of the generator's pairs beside their texts; None where it shows the texts alone.

    Raises InputError for a flag that says nothing to this question, and where there are no predictions, labels or parts
    that it shows.
    """
    shown = question.shown
    _require_flags(question, rule)
    if not (shown.parts or shown.prediction or shown.label):
        return None
    pairs = campaign.store.read(Pairs, columns=["pair_id", "first", "second"], generator=generator)
    rows = pairs[["pair_id"]].assign(run_id=None, prediction=None, label=None)
    runs = campaign.store.read(Runs)
    run = find_run(runs, rule.model, "--model") if shown.prediction else None
    if run is not None:
        rows = _join(rows, "prediction", _predict(campaign, run, rule)).assign(run_id=run["run_id"])
        rows = rows if rule.split == "all" else rows[rows["pair_id"].isin(_in_split(campaign, run, rule.split))]
    if shown.label or rule.errors:
        rows = _join(rows, "label", _labels(campaign, rule, run))
    if rule.errors:
        rows = rows[rows["prediction"] != rows["label"]]
    spans = _read_parts(rule.parts, pairs, question) if any(not part.computed for part in shown.parts) else {}
    parts = pd.Series([spans.get(pair, []) for pair in rows["pair_id"]], index=rows.index, dtype="object")
    if spans:
        rows, parts = rows[parts.map(len) > 0], parts[parts.map(len) > 0]
    if rows.empty:
        raise InputError(
            f"question {question.name}",
            expected="pairs with everything that it shows",
            found=f"none among {len(pairs)} of generator {generator}",
            remedy="see docs/questions.md, what a page can show",
        )
    rows = rows.assign(**_columns(parts), label=rows["label"] if shown.label else None)
    note = None if run is None else name_others(runs, run, "--model")
    return PageExtras(rows=rows.reset_index(drop=True), n_without=len(pairs) - len(rows), note=note)


def write_beside(campaign: Campaign, beside: PageExtras, manifest: Manifest) -> None:
    """Write what the campaign's page shows beside the texts."""
    campaign.store.replace(Shown, beside.rows.assign(campaign=campaign.name), manifest, campaign=campaign.name)


def differs(campaign: Campaign, beside: PageExtras | None) -> bool:
    """Whether the planned campaign shows something else beside the texts."""
    known = campaign.store.read(Shown, campaign=campaign.name).drop(columns="campaign")
    rows = beside.rows[list(known)].sort_values("pair_id") if beside else known[:0]
    return known.astype("object").to_json(orient="values") != rows.astype("object").to_json(orient="values")


def _require_flags(question: Question, rule: ShownRule) -> None:
    for setting in fields(ShownRule):
        given = getattr(rule, setting.name)
        if given != setting.default and not getattr(question.shown, NEEDED[setting.name]):
            raise InputError(
                "--" + setting.name.replace("_", "-"),
                expected=f"a question that shows a {NEEDED[setting.name].removesuffix('s')}",
                found=question.name,
                remedy="leave it out, or declare it in question.toml under [shown]",
            )


def _predict(campaign: Campaign, run: "pd.Series[Any]", rule: ShownRule) -> "pd.Series[int]":
    """By pair id, whether the model says yes."""
    threshold = run["threshold"] if rule.threshold is None else rule.threshold
    if pd.isna(threshold):
        raise InputError(
            "--threshold",
            expected=f"the score from which {run['model']} says yes: its run has none",
            found="nothing",
            remedy="`analysis.baselines` prints one that the validation pairs give",
        )
    scores = campaign.store.read(Predictions, run_id=run["run_id"]).set_index("pair_id")["score"]
    return (scores >= threshold).astype("int64")


def _in_split(campaign: Campaign, run: "pd.Series[Any]", split: str) -> set[str]:
    splits = campaign.store.read(Splits, scheme=run["scheme"])
    return set(splits.loc[splits["split"] == split, "pair_id"])


def _labels(campaign: Campaign, rule: ShownRule, run: "pd.Series[Any] | None") -> "pd.Series[int]":
    """By pair id, the label: by default of the campaigns that the model learnt from, or of the only one with labels.

    Of a pair that several labelled, the last one's counts.
    """
    method = MAJORITY if run is None else run["method"]
    labels = campaign.store.read(Labels, method=method, further=False)
    known = sorted(labels["campaign"].unique())
    only = known if len(known) == 1 else []
    names = [rule.labels_of] if rule.labels_of else only if run is None else [*run["campaigns"]]
    missing = [name for name in names if name not in known]
    if missing or not names:
        raise InputError(
            "--labels-of",
            expected=f"a campaign with labels by {method} ({', '.join(known) or 'none has any'})",
            found=repr(missing[0]) if missing else "nothing",
            remedy="name one of them" if known else "write some first: python -m annotation adjudicate",
        )
    chosen = pd.concat([labels[labels["campaign"] == name] for name in names]).drop_duplicates("pair_id", keep="last")
    return chosen.set_index("pair_id")["binary"].dropna().astype("int64")


def _join(rows: pd.DataFrame, name: str, values: "pd.Series[int]") -> pd.DataFrame:
    """The rows that have a value, with it."""
    return rows.drop(columns=name).merge(values.rename(name), left_on="pair_id", right_index=True)


def _columns(parts: "pd.Series[Any]") -> dict[str, "pd.Series[Any]"]:
    """The columns of the table `shown` for each pair's spans."""
    return {
        f"part_{field}s": parts.map(lambda spans, field=field: [getattr(span, field) for span in spans])
        for field in Span._fields
    }


def _read_parts(path: Path | None, pairs: pd.DataFrame, question: Question) -> dict[str, list[Span]]:
    """Pair id -> its spans, of a table. Raises InputError that names the first row that is none."""
    names = [part.name for part in question.shown.parts if not part.computed]
    if path is None:
        raise InputError(
            "--parts",
            expected=f"a table of the parts {', '.join(names)} ({', '.join(PART_COLUMNS)})",
            found="nothing",
            remedy=f"the question {question.name} highlights them",
        )
    sheet = read_sheet(path, "a table of parts", "correct the file and plan again")
    sheet.require_columns(PART_COLUMNS)
    rows = sheet.rows
    start, end = (pd.to_numeric(rows[name], errors="coerce") for name in ("start", "end"))
    sheet.require_rows(rows["pair_id"].isin(pairs["pair_id"]), "a pair_id of this generator", rows["pair_id"])
    sheet.require_rows(rows["text"].isin(SIDES), "first or second as text", rows["text"])
    sheet.require_rows(rows["part"].isin(names), "a part among " + ", ".join(names), rows["part"])
    sizes = {side: dict(zip(pairs["pair_id"], pairs[side].str.len(), strict=True)) for side in SIDES}
    lengths = [sizes[side][pair] for pair, side in zip(rows["pair_id"], rows["text"], strict=True)]
    fits = (start % 1 == 0) & (end % 1 == 0) & (start >= 0) & (start < end) & (end <= lengths)
    wanted = "characters of the text, from start (0 is the first) to before end"
    sheet.require_rows(fits, wanted, rows["start"] + " to " + rows["end"])
    spans: dict[str, list[Span]] = {}
    columns = (rows["pair_id"], rows["text"], start.astype("Int64"), end.astype("Int64"), rows["part"])
    for pair, side, first, last, part in zip(*columns, strict=True):
        spans.setdefault(pair, []).append(Span(part, side, int(first), int(last)))
    return spans
