"""The manifest of a table's version: what it was made from, kept in the table's own commit."""

import dataclasses
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from data.storage.code_version import code_version
from data.texts.identity import digest

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
    "simplemma",
    "spacy-lookups-data",
)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """How a version of a table was made; the store adds libraries, kernel and code version."""

    stage: str
    """Room and module, `clustering` or `crawler.definitions`."""
    part: str = ""
    """What of the stage's work it is: the campaign, or the source of cards; empty if there are no parts."""
    config: Any = field(default_factory=dict)
    """The configuration: a dataclass or a mapping of plain values. No secrets."""
    recipe: str | None = None
    """The recipe's name; none if the stage has no recipes."""
    language: str | None = None
    """The code of the texts' language; none if the stage reads no texts."""
    seed: int | None = None
    """The seed of all randomness in the stage."""
    inputs: Mapping[str, int | str | None] = field(default_factory=dict)
    """Names of tables with their versions, and of files with their digests."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Rows in and out, rejects by reason. Not part of the fingerprint."""

    def fingerprint(self) -> str:
        """A digest of all but the counts, with code and libraries: runs with the same one make the same rows."""
        parts = (self.stage, self.part, plain(self.config), self.recipe, self.language, self.seed, dict(self.inputs))
        return digest(json.dumps(parts, sort_keys=True), code_version(self.stage), json.dumps(libraries()))

    def to_json(self, scope: Mapping[str, Any]) -> str:
        """The whole record, as stored in the commit."""
        record = {
            "stage": self.stage,
            "part": self.part,
            "scope": dict(scope),
            "config": plain(self.config),
            "recipe": self.recipe,
            "language": self.language,
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
    """The value in terms of JSON: dataclasses as objects, paths as texts, tuples as lists, NumPy numbers as numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, Path):
        return str(value)
    return value.item() if hasattr(value, "item") else value


@cache
def libraries() -> dict[str, str]:
    """The versions of Python and of the libraries that a table's rows depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def kernel() -> list[str]:
    """The numeric libraries in use with their kernels: another kernel changes the last bits of vectors."""
    return _kernels(len(sys.modules))


@lru_cache(maxsize=1)
def _kernels(n_modules: int) -> list[str]:  # noqa: ARG001 - they are looked up again after another import
    kernels = {f"{pool['internal_api']} {pool.get('architecture', '')}".strip() for pool in threadpool_info()}
    return sorted(kernels) if "numpy" in sys.modules else []
