"""Croissant metadata of a release, by mlcroissant; source: MLCommons Croissant 1.0."""

import json
import logging
import tempfile
import warnings
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.publishing.statements import Statements
from data.console.errors import TableError
from data.contract.vocabulary import SPLITS
from data.labelled.releases import sha256

TYPES = (
    (pa.types.is_boolean, "BOOL"),
    (pa.types.is_integer, "INTEGER"),
    (pa.types.is_floating, "FLOAT"),
    (pa.types.is_timestamp, "DATETIME"),
)


LOADED = 100
"""Records of each record set that are loaded, in a row: mlcroissant casts each value in Python."""


def describe(folder: Path, words: Statements) -> str:
    """The metadata of the Parquet files in the folder's `data`, as JSON-LD."""
    import mlcroissant as mlc

    context = mlc.Context()
    files = _list_files(folder)
    objects = [
        mlc.FileObject(
            ctx=context,
            id=name,
            name=name,
            content_url=name,
            encoding_formats=["application/x-parquet"],
            sha256=sha256(folder / name),
        )
        for name in files.values()
    ]
    metadata = mlc.Metadata(
        ctx=context,
        name=words.title,
        description=words.description,
        license=[words.licence],
        **({"url": words.url} if words.url else {}),
        version=words.version,
        cite_as=": ".join(filter(None, [", ".join(words.authors), f"{words.title}, version {words.version}"])),
        **({"date_published": datetime.fromisoformat(words.date)} if words.date else {}),
        distribution=objects,
        record_sets=[_record_set(context, record, name, folder / name) for record, name in files.items()],
    )
    return json.dumps(metadata.to_json(), ensure_ascii=False, indent=2, default=str) + "\n"


def _list_files(folder: Path) -> dict[str, str]:
    """The name of each record set -> its file, by table and then by file."""
    stems = sorted(path.stem for path in (folder / "data").glob("*.parquet"))
    several = sum(stem in SPLITS for stem in stems) > 1
    tables = {stem: "pairs" if stem in SPLITS else stem for stem in stems}
    ordered = sorted(stems, key=lambda stem: [*tables.values()].index(tables[stem]))
    return {
        (f"pairs_{stem}" if several else "pairs") if stem in SPLITS else stem: f"data/{stem}.parquet"
        for stem in ordered
    }


def _record_set(context: Any, record: str, file: str, path: Path) -> Any:
    import mlcroissant as mlc

    fields = [
        mlc.Field(
            ctx=context,
            id=f"{record}/{column.name}",
            name=column.name,
            description=column.name,
            data_types=[_type(column.type)],
            is_array=pa.types.is_list(column.type) or None,
            array_shape="-1" if pa.types.is_list(column.type) else None,
            source=mlc.Source(ctx=context, file_object=file, extract=mlc.Extract(ctx=context, column=column.name)),
        )
        for column in pq.read_schema(path)
    ]
    return mlc.RecordSet(ctx=context, id=record, name=record, fields=fields)


def _type(column: pa.DataType) -> Any:
    import mlcroissant as mlc

    inner = column.value_type if pa.types.is_list(column) else column
    return getattr(mlc.DataType, next((name for is_kind, name in TYPES if is_kind(inner)), "TEXT"))


def load(folder: Path, metadata: str) -> None:
    """Validate the metadata and load LOADED records of each record set; raises TableError where either fails.

    This proves that each record set's file is found and read whole, has the columns that the metadata name, and that
    their types can be cast. A column of Parquet has one type, and mlcroissant casts no null, so further records have
    nothing else to fail on. It compares no value with the store and no file with its checksum: `verify` does.
    `metadata` must be the text that `describe` gives for this folder, never one that came with a release: mlcroissant
    fetches any address and unpacks any archive that its metadata names. It reads it in a folder of its own.
    """
    import mlcroissant as mlc

    logging.getLogger("absl").setLevel(logging.ERROR)
    n_rows = {record: pq.read_metadata(folder / name).num_rows for record, name in _list_files(folder).items()}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (Path(scratch) / "data").symlink_to((folder / "data").resolve())
        path = Path(scratch) / "croissant.json"
        path.write_text(metadata, encoding="utf-8")
        try:
            data_set = mlc.Dataset(jsonld=path)
            n_loaded = {record: sum(1 for _ in islice(data_set.records(record), LOADED)) for record in n_rows}
        except (mlc.ValidationError, mlc.GenerationError, ValueError, OSError) as fault:
            raise _fails(folder, "metadata that mlcroissant loads", str(fault).splitlines()[0]) from fault
    for record, n in n_rows.items():
        if n_loaded[record] != min(n, LOADED):
            raise _fails(folder, f"{min(n, LOADED):,} records of {record}", f"{n_loaded[record]:,}")


def _fails(folder: Path, expected: str, found: str) -> TableError:
    return TableError(folder / "croissant.json", expected=expected, found=found, remedy="release again")
