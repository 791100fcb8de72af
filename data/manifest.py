"""What a version of a table was made of: kept in the table's own commit."""

import dataclasses
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from data.identity import digest

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = (
    "deltalake",
    "gensim",
    "lingua-language-detector",
    "nltk",
    "numpy",
    "pandas",
    "pyarrow",
    "rapidfuzz",
    "scikit-learn",
    "scipy",
    "scrapy",
    "spacy-lookups-data",
)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """How a version of a table came about; the store adds libraries, kernel and code version."""

    stage: str
    """Room and module, `clustering` or `crawler.definitions`."""
    config: Any = field(default_factory=dict)
    """The configuration: a dataclass or a mapping of plain values. No secrets."""
    recipe: str | None = None
    """`paper`, `recommended`, or none where the stage has no recipes."""
    seed: int | None = None
    """What all randomness of the stage came from."""
    inputs: Mapping[str, int | str | None] = field(default_factory=dict)
    """Table names with their versions, file names with their digests."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Rows in and out, rejects by reason. No part of the fingerprint."""

    def fingerprint(self) -> str:
        """Two runs with the same fingerprint make the same rows: stage, configuration, inputs, code and libraries."""
        parts = (self.stage, plain(self.config), self.recipe, self.seed, dict(self.inputs))
        return digest(json.dumps(parts, sort_keys=True), code_version(self.stage), json.dumps(libraries()))

    def to_json(self, scope: Mapping[str, Any]) -> str:
        """The whole record as it lies in the commit."""
        record = {
            "stage": self.stage,
            "scope": dict(scope),
            "config": plain(self.config),
            "recipe": self.recipe,
            "seed": self.seed,
            "inputs": dict(self.inputs),
            "counts": plain(self.counts),
            "libraries": libraries(),
            "kernel": kernel(),
            "code": code_version(self.stage),
            "fingerprint": self.fingerprint(),
        }
        return json.dumps(record, sort_keys=True)


def plain(value: Any) -> Any:
    """The value in terms of JSON: dataclasses as objects, paths as text, tuples as lists, numpy numbers as numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, Path):
        return str(value)
    return value.item() if hasattr(value, "item") else value


@cache
def libraries() -> dict[str, str]:
    """The versions of the libraries that a table's rows depend on, and Python's."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def kernel() -> list[str]:
    """The numeric libraries in use and their kernels: another kernel moves vectors in the last bits."""
    found = {f"{one['internal_api']} {one.get('architecture', '')}".strip() for one in threadpool_info()}
    return sorted(found) if "numpy" in sys.modules else []


@cache
def code_version(stage: str) -> str:
    """A digest of the sources of the stage's room and of `data`."""
    folders = [ROOT / "data", ROOT / stage.partition(".")[0]]
    paths = sorted({path for folder in folders for path in folder.rglob("*.py")})
    return digest(*(part for path in paths for part in (path.relative_to(ROOT).as_posix(), path.read_bytes().hex())))
