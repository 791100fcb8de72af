"""A release's folder: its tables and texts, written, and read back, each checked before anything is made of it."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.console.errors import InputError, TableError
from data.contract.questions import Question, from_content
from data.contract.vocabulary import CERTAIN, MAJORITY_DECIDED, SPLITS
from data.files import values
from data.files.whole import whole_folder
from data.labelled import release_tables
from data.labelled.release_checks import differs, read_rows, require_valid
from data.measures.rules import CountRule
from data.storage.manifest import plain
from data.texts.languages.base import Language, codes, language

FORMAT = "parade-release/5"
CHECKSUMS = "checksums.txt"


ALLOCATION = ("allocate", "target", "budget", "random_share", "labels_per_pair")
"""What a release says of a campaign's plan that asked further raters where they helped."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a release says of itself, beside its tables and the publisher's statements."""

    name: str
    simulated: int
    """How many ratings are a simulated annotator's."""
    permissions: dict[str, str]
    """Source or licence -> by what right its texts are published."""
    recipe: str | None
    """The recipe that made the pairs."""
    scheme: str
    """The split scheme's name."""
    synonyms: dict[str, str]
    """Those that the split was made with."""
    names: dict[str, str]
    """How people write the pairs' entities, where that is known."""
    rule: dict[str, Any]
    """The fields of `data.measures.rules.CountRule`: what votes and measures were made with."""
    without_text: bool
    language: str
    """The code of the texts' language, by whose stems overlap and groups are counted."""
    allocation: dict[str, Any] | None
    """How further raters were asked: allocate, target, budget, random_share and labels_per_pair of the campaign's plan;
    None where all raters of each pair were."""
    question: dict[str, Any]
    """What annotators were asked, or the published labels answer (`data.contract.questions`)."""
    software: dict[str, str]
    """The version of this package that wrote the release, and the package's url where it states one."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is published, or is to be: a release's content.

    One from a store has the table `flow`; any other data set gives the pairs alone.
    """

    tables: dict[str, pd.DataFrame]
    """By name; the tables of `release_tables.TABLES` that the release has, the pairs of all splits as one."""
    facts: Facts
    manifests: list[dict[str, Any]]
    """How each table was made."""
    statements: dict[str, Any] = field(default_factory=dict)
    """What the publisher states (see `analysis.publishing.statements`)."""

    @property
    def language(self) -> Language:
        """The language of the texts."""
        return language(self.facts.language)

    @cached_property
    def question(self) -> Question:
        """What annotators were asked, or the published labels answer."""
        return from_content(json.dumps(self.facts.question))

    @property
    def rule(self) -> CountRule:
        """What votes and measures were made with."""
        return CountRule(**self.facts.rule)

    def without_text(self) -> "Release":
        """The same without the definitions' texts, the annotators' comments and the texts that they corrected."""
        texts = release_tables.TEXTS
        tables = {name: table.drop(columns=[*texts.get(name, ())]) for name, table in self.tables.items()}
        if "labels" in tables:
            tables["labels"] = tables["labels"][tables["labels"]["scores"].map(len) > 0].reset_index(drop=True)
        return replace(self, tables=tables, facts=replace(self.facts, without_text=True))


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """An unfinished folder beside `folder`, moved there once it is whole.

    Raises InputError where `folder` is not empty, at the start or because another release came first.
    """
    _require_empty(folder)
    with whole_folder(folder) as unfinished:
        yield unfinished
        _require_empty(folder)


def _require_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        found = "a folder with files in it" if folder.is_dir() else "a file"
        raise InputError(folder, expected="a new or empty folder", found=found, remedy="name another or empty it")


def split_table(name: str, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """File stem -> rows: the pairs by split, any other table whole."""
    if name != "pairs":
        return {name: table}
    return {split: rows for split in SPLITS if len(rows := table[table["split"] == split])}


def write_tables(release: Release, folder: Path) -> Release:
    """Write the tables as Parquet; return the release with them as they are read back."""
    (folder / "data").mkdir()
    for name, table in release.tables.items():
        schema = release_tables.arrow_schema(name, without_text=release.facts.without_text)
        for stem, rows in split_table(name, table).items():
            typed = pa.Table.from_pandas(rows[schema.names], schema, preserve_index=False)
            pq.write_table(typed.replace_schema_metadata(None), folder / "data" / f"{stem}.parquet")
    tables = read_tables(folder, without_text=release.facts.without_text)
    return replace(release, tables=tables, manifests=plain(release.manifests))


def write_texts(texts: Mapping[str, str], folder: Path) -> None:
    """Write the text files, by their names in the folder, and the checksums of all files."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    lines = [f"{digest}  {name}\n" for name, digest in sorted(digests(folder).items())]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def read(folder: Path) -> Release:
    """The release in the folder.

    Raises InputError or TableError where there is none, where it is incomplete, and where anything in it has a form
    that `analysis.release` does not write. Whether its numbers are right is for `analysis.verify` to say.
    """
    require_folder(folder)
    missing = sorted(name for name in read_checksums(folder) if not (folder / name).is_file())
    if missing:
        raise TableError(
            folder, expected="every file of its checksums", found=f"no {missing[0]}", remedy="fetch it again"
        )
    head = read_json(folder / "statements.json")
    _require(head, {"format": str, "statements": dict, "release": FACTS}, folder / "statements.json")
    if head["format"] != FORMAT:
        raise differs(folder / "statements.json", f"the format {FORMAT}", repr(head["format"])[:80])
    facts = Facts(**head["release"])
    manifests = read_json(folder / "manifests.json")
    _require(manifests, [dict], folder / "manifests.json")
    for manifest in manifests:
        _require(manifest.get("table"), str, folder / "manifests.json")
        _require(manifest.get("config", {}), dict, folder / "manifests.json")
    return Release(
        tables=read_tables(folder, without_text=facts.without_text),
        statements=head["statements"],
        facts=facts,
        manifests=manifests,
    )


def require_folder(folder: Path) -> None:
    """Raises InputError where the folder is no release, and where it holds links or anything but plain files."""
    if not folder.is_dir():
        raise InputError(folder, expected="a release folder", found="no such folder", remedy="check the path")
    if not (folder / CHECKSUMS).is_file():
        raise InputError(
            folder,
            expected=f"a release folder with {CHECKSUMS}",
            found="an incomplete or another folder",
            remedy="make it again with `python -m analysis.release`",
        )
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            name = path.relative_to(folder).as_posix()
            raise InputError(
                folder, expected="only plain files and folders", found=f"a link or a device: {name}", remedy="remove it"
            )


def find_changed(folder: Path) -> Iterator[str]:
    """Every file that was changed, is missing, or is not listed among the checksums."""
    listed, found = read_checksums(folder), digests(folder)
    for name in sorted(listed.keys() | found.keys()):
        if name not in found:
            yield f"{name}: missing"
        elif name not in listed:
            yield f"{name}: not listed in {CHECKSUMS}"
        elif found[name] != listed[name]:
            yield f"{name}: changed (its SHA-256 is {found[name][:16]}…, not {listed[name][:16]}…)"


def read_json(path: Path) -> Any:
    """The value of a JSON file; raises InputError where it is none, TableError where a number in it is none."""
    value = values.read_json(path, "what a release says", "ask for it again")
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as fault:
        raise differs(path, "JSON", str(fault)) from fault
    return value


def _is_rule(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and sorted(value) == ["fast_seconds", "idle_seconds", "low_kappa", "one_vote", "paraphrase_from"]
        and _fits(value["one_vote"], [[str]])
        and all(len(couple) == 2 for couple in value["one_vote"])
        and all(
            _fits(one, (int, float)) and (-1 if name == "low_kappa" else 0) <= one < math.inf
            for name, one in value.items()
            if name != "one_vote"
        )
        and value["paraphrase_from"] == int(value["paraphrase_from"])
    )


def _is_allocation(value: Any) -> bool:
    """Whether further raters were asked by a known policy, or None for none."""
    if value is None:
        return True
    if not isinstance(value, dict) or sorted(value) != sorted(ALLOCATION):
        return False
    policy, target, budget, share, n = (value[name] for name in ALLOCATION)
    if policy == CERTAIN:
        is_limited = _fits(target, (int, float)) and 0.5 <= target <= 1 and _fits(budget, int) and budget >= 1
    else:
        is_limited = policy == MAJORITY_DECIDED and target is None and budget is None
    is_share = share is None or (_fits(share, (int, float)) and 0 <= share <= 1)
    return bool(is_limited and is_share and _fits(n, int) and n >= 1)


def _is_question(value: Any) -> bool:
    try:
        return bool(from_content(json.dumps(value)))
    except ValueError:
        return False


def _is_software(value: Any) -> bool:
    forms = {"version": r"[0-9A-Za-z.+!-]{1,50}", "url": r"https?://[A-Za-z0-9._/~-]{1,200}"}
    if not _fits(value, {str: str}) or "version" not in value or not value.keys() <= forms.keys():
        return False
    return all(re.fullmatch(forms[name], text) for name, text in value.items())


FACTS: dict[str, Any] = {
    "name": str,
    "simulated": lambda value: _fits(value, int) and value >= 0,
    "permissions": lambda value: _fits(value, {str: str}),
    "recipe": lambda value: value is None or isinstance(value, str),
    "scheme": str,
    "synonyms": lambda value: _fits(value, {str: str}),
    "names": lambda value: _fits(value, {str: str}),
    "rule": _is_rule,
    "without_text": lambda value: isinstance(value, bool),
    "language": lambda value: value in codes(),
    "allocation": _is_allocation,
    "question": _is_question,
    "software": _is_software,
}
"""The form of the facts, as `_fits` reads it."""


def _require(value: Any, form: Any, where: Path) -> None:
    if isinstance(form, dict) and isinstance(value, dict):
        names = sorted(form.keys() | value.keys())
        wrong = next((name for name in names if name not in value or not _fits(value[name], form.get(name))), None)
        if wrong is not None and isinstance(form.get(wrong), dict):
            _require(value.get(wrong), form[wrong], where)
        elif wrong is not None:
            expected = f"{wrong} as `analysis.release` writes it" if wrong in form else f"no {wrong!r}"[:80]
            raise differs(where, expected, repr(value.get(wrong))[:80])
    elif not _fits(value, form):
        raise differs(where, "what `analysis.release` writes", repr(value)[:80])


def _fits(value: Any, form: Any) -> bool:
    """Whether a value of JSON has the form.

    A form is a type or several, a condition, `[form]` for a list, `{str: str}` for any names with texts, a mapping of
    names to forms for exactly those names, or None for nothing.
    """
    if form is None:
        return False
    if isinstance(form, list):
        return isinstance(value, list) and all(_fits(one, form[0]) for one in value)
    if form == {str: str}:
        return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    if isinstance(form, dict):
        return isinstance(value, dict) and form.keys() == value.keys() and all(_fits(value[k], form[k]) for k in form)
    if isinstance(form, type | tuple):
        return isinstance(value, form) and not isinstance(value, bool)
    return bool(form(value))


def read_tables(folder: Path, *, without_text: bool) -> dict[str, pd.DataFrame]:
    """The tables of the Parquet files, the splits' as one, sorted as they were written.

    Raises TableError where a file is no table of a release, or its rows break the table's type.
    """
    files = sorted((folder / "data").glob("*"))
    stems = {*SPLITS, *release_tables.TABLES} - {"pairs"}
    foreign = [path.name for path in files if path.name not in {f"{stem}.parquet" for stem in stems}]
    if foreign or not any(path.stem in SPLITS for path in files):
        expected = f"{' or '.join(SPLITS)}, and tables of a release"
        raise differs(folder / "data", expected, foreign[0] if foreign else "none of them")
    arrows = {path.stem: read_rows(path, without_text=without_text) for path in files}
    parts = {split: arrows.pop(split) for split in SPLITS if split in arrows}
    for split, rows in parts.items():
        if set(rows["split"].to_pylist()) - {split}:
            raise differs(folder / "data" / f"{split}.parquet", f"pairs of {split} alone", "others")
    pairs = pa.concat_tables(list(parts.values())).sort_by("pair_id")
    return {
        name: require_valid(name, rows, folder / "data", without_text=without_text)
        for name in release_tables.TABLES
        if (rows := ({"pairs": pairs} | arrows).get(name)) is not None
    }


def read_checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 digest that each file should have; raises TableError for other lines, and for names outside."""
    path = folder / CHECKSUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as fault:
        raise differs(path, "UTF-8 text", str(fault)[:120]) from fault
    found = {}
    for number, line in enumerate(lines, start=1):
        digest, _, name = line.partition("  ")
        if not re.fullmatch("[0-9a-f]{64}", digest) or not _NAME.fullmatch(name) or name in found:
            raise differs(path, "a digest and a file's name in each line", f"{line[:80]!r} in line {number}")
        found[name] = digest
    return found


_NAME = re.compile(r"(?:[\w-][\w.-]{0,100}/){0,3}[\w-][\w.-]{0,100}")
"""A file's name below the folder: no absolute name, no `..`."""


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 digest of every file but the checksums themselves, by its path in the folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / CHECKSUMS]
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}


def sha256(path: Path) -> str:
    """The SHA-256 digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def head(release: Release) -> dict[str, Any]:
    """The content of `statements.json`."""
    return {"format": FORMAT, "statements": release.statements, "release": asdict(release.facts)}
