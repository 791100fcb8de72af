"""A release's folder: its tables and texts, written, and read back, each checked before anything is made of it."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from data.console.errors import InputError, TableError
from data.contract.questions import STRICT, Question
from data.contract.validation import check_rows
from data.contract.vocabulary import BELOW_RULE, FLAGS, SPLITS
from data.files import parquet, values
from data.files.whole import whole_folder
from data.labelled.release_tables import MAX_COUNT, TABLES, TEXTS, arrow_schema
from data.measures.rules import CountRule
from data.storage.manifest import plain
from data.texts.languages.base import Language, codes, language

FORMAT: Literal["parade-release/5"] = "parade-release/5"
CHECKSUMS = "checksums.txt"


@dataclass(frozen=True, kw_only=True)
class FurtherRatings:
    """What a release says of a campaign's plan that asked further raters where they helped."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    allocate: Literal["certain", "majority-decided"]
    target: Annotated[float, Field(ge=0.5, le=1)] | None
    budget: Annotated[int, Field(ge=1)] | None
    random_share: Annotated[float, Field(ge=0, le=1)] | None
    labels_per_pair: Annotated[int, Field(ge=1)]

    def __post_init__(self) -> None:
        """Raise ValueError where it has a target or a budget without the policy that takes both, or lacks one."""
        if {self.target is None, self.budget is None} != {self.allocate != "certain"}:
            raise ValueError("a target and a budget belong to the policy certain")


def _require_manifest(made: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(made.get("table"), str) or not isinstance(made.get("config", {}), dict):
        raise ValueError("a table's name and a configuration")
    return made


def _require_software(versions: dict[str, str]) -> dict[str, str]:
    forms = {"version": r"[0-9A-Za-z.+!-]{1,50}", "url": r"https?://[A-Za-z0-9._/~-]{1,200}"}
    known = all(name in forms and re.fullmatch(forms[name], text) for name, text in versions.items())
    if "version" not in versions or not known:
        raise ValueError("a version, and a url at most")
    return versions


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a release says of itself, beside its tables and the publisher's statements."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    simulated: Annotated[int, Field(ge=0)]
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
    rule: CountRule
    """What votes and measures were made with."""
    without_text: bool
    language: str
    """The code of the texts' language, by whose stems overlap and groups are counted."""
    allocation: FurtherRatings | None
    """How further raters were asked; None where all raters of each pair were."""
    question: Question
    """What annotators were asked, or the published labels answer."""
    software: Annotated[dict[str, str], AfterValidator(_require_software)]
    """The version of this package that wrote the release, and the package's url where it states one."""

    def __post_init__(self) -> None:
        """Raise ValueError where the language is not known, or a limit of the rule is none."""
        rule = self.rule
        if self.language not in codes():
            raise ValueError("a known language")
        if min(rule.paraphrase_from or 0, rule.idle_seconds, rule.fast_seconds, rule.low_kappa + 1) < 0:
            raise ValueError("limits of at least 0, and of kappa of at least -1")


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is published, or is to be: a release's content.

    One from a store has the table `flow`; any other data set gives the pairs alone.
    """

    tables: dict[str, pd.DataFrame]
    """By name; the tables of `TABLES` that the release has, the pairs of all splits as one."""
    facts: Facts
    manifests: list[dict[str, Any]]
    """How each table was made."""
    statements: dict[str, Any] = field(default_factory=dict)
    """What the publisher states (see `analysis.publishing.statements`)."""

    @property
    def language(self) -> Language:
        """The language of the texts."""
        return language(self.facts.language)

    @property
    def question(self) -> Question:
        """What annotators were asked, or the published labels answer."""
        return self.facts.question

    @property
    def rule(self) -> CountRule:
        """What votes and measures were made with."""
        return self.facts.rule

    def without_text(self) -> "Release":
        """The same without the definitions' texts, the annotators' comments and the texts that they corrected."""
        tables = {name: table.drop(columns=[*TEXTS.get(name, ())]) for name, table in self.tables.items()}
        if "labels" in tables:
            tables["labels"] = tables["labels"][tables["labels"]["scores"].map(len) > 0].reset_index(drop=True)
        return replace(self, tables=tables, facts=replace(self.facts, without_text=True))


@dataclass(frozen=True, kw_only=True)
class Head:
    """The content of `statements.json`."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    format: Literal["parade-release/5"] = FORMAT
    statements: dict[str, Any]
    release: Facts


HEAD = TypeAdapter(Head)
MANIFESTS = TypeAdapter(list[Annotated[dict[str, Any], AfterValidator(_require_manifest)]])


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
        schema = arrow_schema(name, without_text=release.facts.without_text)
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
    stated = _read_as(folder / "statements.json", HEAD)
    return Release(
        tables=read_tables(folder, without_text=stated.release.without_text),
        statements=stated.statements,
        facts=stated.release,
        manifests=_read_as(folder / "manifests.json", MANIFESTS),
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


def _read_as(path: Path, form: TypeAdapter[Any]) -> Any:
    """The value of a JSON file in this form; raises TableError where it has another."""
    try:
        return form.validate_json(json.dumps(read_json(path)))
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise differs(path, f"{place}: {first['msg']}"[:120], repr(first["input"])[:80]) from fault


def read_tables(folder: Path, *, without_text: bool) -> dict[str, pd.DataFrame]:
    """The tables of the Parquet files, the splits' as one, sorted as they were written.

    Raises TableError where a file is no table of a release, or its rows break the table's type.
    """
    files = sorted((folder / "data").glob("*"))
    stems = {*SPLITS, *TABLES} - {"pairs"}
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
        for name in TABLES
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
    facts = asdict(release.facts) | {"question": json.loads(release.question.content)}
    return {"format": FORMAT, "statements": release.statements, "release": facts}


def read_rows(path: Path, *, without_text: bool) -> pa.Table:
    """The rows of a Parquet file; raises TableError where they are none of the table that its name says."""
    name = "pairs" if path.stem in SPLITS else path.stem
    try:
        file = pq.ParquetFile(path)
        _require_columns(name, file.schema_arrow, path, without_text=without_text)
        _require_bounded(name, path)
        rows = file.read()
        rows.validate(full=True)
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise differs(path, "a Parquet file", f"{type(fault).__name__}: {fault}".splitlines()[0][:120]) from fault
    require_valid(name, rows, path, without_text=without_text)
    return rows


def require_valid(name: str, rows: pa.Table, where: Path, *, without_text: bool) -> pd.DataFrame:
    """The rows as a frame; raises TableError where a column, a type, a value or a key is not the table's."""
    _require_columns(name, rows.schema, where, without_text=without_text)
    for column in rows.schema:
        _require_finite(rows[column.name].combine_chunks(), column, where)
    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    _, fault = check_rows(TABLES[name], frame, TEXTS.get(name, ()) if without_text else ())
    if fault is not None:
        raise differs(where, *fault)
    _require_laws(name, frame, where)
    return frame


def _require_columns(name: str, schema: pa.Schema, where: Path, *, without_text: bool) -> None:
    """Raises TableError where the columns or their types are not the table's."""
    expected = arrow_schema(name, without_text=without_text)
    for place in range(max(len(expected), len(schema))):
        ours = expected.field(place) if place < len(expected) else None
        theirs = schema.field(place) if place < len(schema) else None
        if ours is None or theirs is None or (ours.name, ours.type) != (theirs.name, theirs.type):
            raise differs(where, _describe(ours), _describe(theirs))


def _require_bounded(name: str, path: Path) -> None:
    """Raises TableError where the rows would fill the memory, and at the first that have the same key twice."""
    if not parquet.fits([path]):
        raise differs(path, parquet.SIZE_RULE, "more")
    key = TABLES[name].key_columns()
    for batch in pq.ParquetFile(path).iter_batches(parquet.ROWS_AT_ONCE, columns=key) if key else ():
        if batch.select(key).to_pandas().duplicated().any():
            raise differs(path, "each key once", "one twice")


def _describe(field: pa.Field | None) -> str:
    return "no more columns" if field is None else f"a column {field.name} of type {field.type}"[:120]


def _require_finite(values: Any, field: pa.Field, where: Path) -> None:
    """Raises TableError for a number that is none, and for a list that holds nothing."""
    if kinds.is_floating(field.type) and not pc.all(pc.is_finite(values)).as_py() and len(values) > values.null_count:
        raise differs(where, f"finite numbers in {field.name}", "others")
    if kinds.is_list(field.type) and values.flatten().null_count:
        raise differs(where, f"lists without nulls in {field.name}", "a null")


def _require_laws(name: str, frame: pd.DataFrame, where: Path) -> None:
    """Raises TableError where the values of a row contradict one another."""
    if name == "pairs":
        unlabelled = frame["binary"].isna() & (frame["decided_by"] != BELOW_RULE).fillna(True)
        if unlabelled.any() and frame["binary"].notna().any():  # where no answer is a vote, no pair has a label here
            raise differs(where, f"a label of every pair that is not decided by {BELOW_RULE}", "none")
        if (frame["votes"] > frame["n_votes"]).any():
            raise differs(where, "votes of at most n_votes", "more")
        counts = frame["scores"].dropna()
        if len({*map(len, counts)}) > 1 or any(
            min(row, default=0) < 0 or max(row, default=0) > MAX_COUNT for row in counts
        ):
            raise differs(where, "scores to be as many counts in each row", "others")
    if name in ("pairs", "labels"):
        sums = [float(sum(row)) if len(row) and min(row) >= 0 else 0.0 for row in frame["posterior"].dropna()]
        if not all(abs(total - 1) < 1e-6 for total in sums):
            raise differs(where, "posteriors to be probabilities whose sum is 1", "others")
    if name in ("ratings", "campaign_ratings") and not {flag for flags in frame["flags"] for flag in flags} <= set(
        FLAGS
    ):
        raise differs(where, f"flags among {', '.join(FLAGS)}", "others")


def differs(where: Path, expected: str, found: str) -> TableError:
    """The error for a file that is not what `analysis.release` writes."""
    return TableError(where, expected=expected, found=found, remedy="ask the publisher for the release again")
