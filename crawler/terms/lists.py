"""The terms of a crawl: from the store, from a file, or any."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data.console.errors import InputError
from data.console.messages import quantity, say
from data.console.paths import existing_file
from data.contract.tables.definitions import Cards, Terms
from data.files.characters import decode
from data.recorded.languages import followed, with_terms
from data.storage.store import Store
from data.texts import words
from data.texts.identity import file_digest
from data.texts.languages.base import Language


@dataclass(frozen=True, kw_only=True)
class TermList:
    """Terms with their variants."""

    name: str
    """`table`, `any` or the file's name."""
    terms: pd.DataFrame | None
    """Columns term and variants; None for `any`."""
    language: Language
    inputs: dict[str, int | str | None]
    """Where they come from, for the manifest."""
    language_is_chosen: bool = False
    """Whether the operator named the language."""


def read_terms(store: Store, name: str, code: str | None = None) -> TermList:
    """The terms of the table (`table`), of a plain list (a file, one term per line) or `any`.

    Their language is the `code`, by default the language of the table, of the cards, or English. Raises InputError
    where the table or the file is missing, empty or not text, and where the table or the cards have another language.
    """
    language = followed(store, *((Terms, Cards) if name == "table" else (Cards,)), chosen=code)
    chosen = code is not None
    if name == "any":
        return TermList(name=name, terms=None, language=language, language_is_chosen=chosen, inputs={})
    if name == "table":
        terms, language, inputs = _read_table(store), with_terms(store, language), store.inputs(Terms)
    else:
        path = existing_file(Path(name), "`table`, `any` or a file with one term per line")
        listed = read_list(path)
        terms = pd.DataFrame({"term": listed, "variants": [[term] for term in listed]})
        name, inputs = path.name, {path.name: file_digest(path)}
    return TermList(name=name, terms=terms, language=language, language_is_chosen=chosen, inputs=inputs)


def _read_table(store: Store) -> pd.DataFrame:
    terms = store.read(Terms, columns=["term", "variants"])
    if terms.empty:
        raise InputError(
            store.address,
            expected="a table of terms",
            found="none" if not store.exists(Terms) else "an empty one",
            remedy="run `python -m crawler.terminology`, or give -a terms=FILE or -a terms=any",
        )
    return terms


def read_list(path: Path) -> list[str]:
    """The file's terms, normalised, each once, in order. Raises InputError where there is none."""
    terms = list(dict.fromkeys(line for _, line in read_lines(path, "one term per line")))
    if not terms:
        raise InputError(path, expected="one term per line", found="no term", remedy="add terms")
    return terms


def read_lines(path: Path, expected: str) -> list[tuple[int, str]]:
    """The file's lines with their numbers, normalised, without empty lines and those that begin with #."""
    existing_file(path, f"a list, {expected}")
    text = decode(path.read_bytes())
    if text is None:
        raise InputError(path, expected=f"text, {expected}", found="something else", remedy="name another file")
    if text.n_dropped:
        say(f"{quantity(text.n_dropped, 'control character')} dropped from {path.name}")
    lines = enumerate(map(words.normalise, text.content.splitlines()), 1)
    return [(number, line) for number, line in lines if line and not line.startswith("#")]
