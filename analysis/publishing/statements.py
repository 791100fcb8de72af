"""What only the publisher can say of a data set: a TOML file, checked."""

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from data.errors import InputError

UNSAID = "Not stated."


@dataclass(frozen=True, kw_only=True)
class Statements:
    """The publisher's own words; each goes into the data card as it stands."""

    title: str = "An expert-labelled paraphrase data set"
    description: str = (
        "Pairs of definitions of one term, labelled by experts of the field for whether they mean the same."
    )
    version: str = "1.0.0"
    licence: str = "none stated"
    authors: tuple[str, ...] = ()
    contact: str = UNSAID
    url: str = "https://example.org/"
    date: str = ""
    language: str = "en"
    recruitment: str = UNSAID
    levels: str = UNSAID
    pay: str = UNSAID
    consent: str = UNSAID
    guide: str = UNSAID
    recipe: str = UNSAID
    limits: str = UNSAID


def read(path: Path | None) -> Statements:
    """The statements of a TOML file; raises InputError for a file that is none, or for a field that is unknown."""
    if path is None:
        return Statements()
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(path, expected="a TOML file", found=str(fault), remedy="mend it") from fault
    return make(said, path)


def make(said: dict[str, Any], where: object) -> Statements:
    """The statements of plain values; raises InputError for a field that is unknown or of another type."""
    known = {one.name: one for one in fields(Statements)}
    for name, value in said.items():
        wanted = "a list of names" if name == "authors" else "a text"
        fits = isinstance(value, list | tuple) if name == "authors" else isinstance(value, str)
        if name not in known:
            raise InputError(where, expected="the fields " + " ".join(known), found=name, remedy="take it out")
        if not fits:
            raise InputError(where, expected=f"{name} to be {wanted}", found=repr(value), remedy="mend it")
    plain = dict(said)
    if "authors" in plain:
        plain["authors"] = tuple(map(str, plain["authors"]))
    return replace(Statements(), **plain)


def list_unsaid(statements: Statements) -> list[str]:
    """The fields that readers look for and the publisher has left as they were."""
    silent = Statements()
    optional = {"title", "description", "version", "url", "date", "language"}
    return [
        one.name
        for one in fields(Statements)
        if one.name not in optional and getattr(statements, one.name) == getattr(silent, one.name)
    ]


def plain(statements: Statements) -> dict[str, Any]:
    """The statements in terms of JSON."""
    return asdict(statements) | {"authors": list(statements.authors)}
