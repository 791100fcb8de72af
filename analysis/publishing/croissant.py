"""Croissant metadata of a release: written, validated and loaded by mlcroissant; source: MLCommons Croissant 1.0."""

import json
import logging
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import TableError

TYPES = (
    (pa.types.is_boolean, "BOOL"),
    (pa.types.is_integer, "INTEGER"),
    (pa.types.is_floating, "FLOAT"),
    (pa.types.is_timestamp, "DATETIME"),
)


def describe(folder: Path, files: dict[str, list[str]], said: dict[str, Any], digests: dict[str, str]) -> str:
    """The metadata as JSON-LD; `files`: table -> its Parquet files in `folder`; `digests`: file -> SHA-256."""
    import mlcroissant as mlc

    context = mlc.Context()
    objects = [
        mlc.FileObject(
            ctx=context,
            id=name,
            name=name,
            content_url=name,
            encoding_formats=["application/x-parquet"],
            sha256=digests[name],
        )
        for names in files.values()
        for name in names
    ]
    records = [
        _record_set(context, f"{table}_{Path(name).stem}" if len(names) > 1 else table, name, folder / name)
        for table, names in files.items()
        for name in names
    ]
    metadata = mlc.Metadata(
        ctx=context,
        name=said["title"],
        description=said["description"],
        license=[said["licence"]],
        url=said["url"],
        version=said["version"],
        cite_as=f"{', '.join(said['authors']) or 'Unknown'}: {said['title']}, version {said['version']}",
        **({"date_published": _parse(said["date"])} if said["date"] else {}),
        distribution=objects,
        record_sets=records,
    )
    return json.dumps(metadata.to_json(), ensure_ascii=False, indent=2, default=str) + "\n"


def _parse(date: str) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(date)


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

    of = column.value_type if pa.types.is_list(column) else column
    return getattr(mlc.DataType, next((name for is_one, name in TYPES if is_one(of)), "TEXT"))


def check(folder: Path, rows: dict[str, int]) -> None:
    """Validates `croissant.json` and loads every record set; raises TableError where either fails.

    `rows`: the number of records that each record set must have.
    """
    import mlcroissant as mlc

    path = folder / "croissant.json"
    logging.getLogger("absl").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data_set = mlc.Dataset(jsonld=path)
            found = {name: sum(1 for _ in data_set.records(name)) for name in rows}
    except (mlc.ValidationError, mlc.GenerationError, ValueError, OSError) as fault:
        raise TableError(
            path, expected="metadata that mlcroissant loads", found=str(fault).splitlines()[0], remedy="release again"
        ) from fault
    wrong = [name for name in rows if found[name] != rows[name]]
    if wrong:
        raise TableError(
            f"{path}, record set {wrong[0]}",
            expected=f"{rows[wrong[0]]:,} records",
            found=f"{found[wrong[0]]:,}",
            remedy="release again",
        )
