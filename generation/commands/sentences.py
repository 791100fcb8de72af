"""The command `sentences`: definitions, papers and files -> the table `sentences`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import pandas as pd
import tyro

from data.console import demand_at_least, existing_file, progress, quantity, say, say_next
from data.errors import Findings, InputError
from data.extras import demand_generation
from data.identity import digest, file_digest, text_id
from data.languages.recorded import followed
from data.manifest import Manifest
from data.store import Store
from data.tables.definitions import Definitions
from data.tables.generated import Sentences as SentenceTable
from data.tombstones import are_withheld, withheld, withheld_sources
from data.vocabulary import TAKEN_DOWN
from data.words import count_words
from generation.engines.tokenizers import splitter, tokenizer
from generation.sources.reading import EXPECTED, read_definitions, read_lines, read_papers
from generation.sources.screening import LOST, Limits, mark_duplicates, screen

STAGE = "generation.sentences"
DEFINITIONS, PAPERS = "definitions", "papers"


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """Collect the sentences that others are made from; without --papers or --lines, the store's definitions."""

    papers: tuple[Path, ...] = ()
    """Files of papers, JSON lines with the fields id and abstract, plain or .gz: their abstracts, sentence by sentence.
    """
    lines: tuple[Path, ...] = ()
    """Text files with one sentence per line, plain or .gz; each is a source with the file's name."""
    at_most: int | None = None
    """Draw at most so many sentences per source, at random; by default all are kept."""
    licence: str | None = None
    """The licence of the texts, where the files state none."""
    seed: int = 1
    """The source of all randomness: the draw of --at-most."""
    limits: Annotated[Limits, tyro.conf.arg(name="")] = field(default_factory=Limits)
    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""


def main(arguments: Sentences) -> None:
    """Write the sentences of each source, and those dropped with their reasons."""
    demand_generation("sentences")
    demand_at_least("--at-most", arguments.at_most, 1)
    demand_at_least("--seed", arguments.seed, 0)
    _check_names(arguments.lines)
    for path in (*arguments.papers, *arguments.lines):
        existing_file(path, EXPECTED)
    store = Store(arguments.store)
    language = followed(store, Definitions).code
    n_kept = sum(_write(store, name, frames, arguments) for name, frames in _sources(store, arguments, language))
    if not n_kept:
        raise Findings("no sentence is left; see the table `rejects`")
    say_next("python -m generation swap --lm FILE", "--store", store.root)


def _check_names(paths: tuple[Path, ...]) -> None:
    """Raise InputError where two sources would have one name."""
    names = [DEFINITIONS, PAPERS, *(path.name for path in paths)]
    if twice := [name for name in names if names.count(name) > 1]:
        expected = f"files of different names, and none called {DEFINITIONS} or {PAPERS}"
        raise InputError(
            "--lines", expected=expected, found=twice[0], remedy="rename one: a source has its file's name"
        )


def _sources(store: Store, arguments: Sentences, language: str) -> Iterator[tuple[str, Iterator[pd.DataFrame]]]:
    if arguments.papers:
        split = splitter(language)
        parts = (frame for path in arguments.papers for frame in read_papers(path, arguments.licence, split))
        yield PAPERS, parts
    for path in arguments.lines:
        yield path.name, read_lines(path, arguments.licence)
    if not arguments.papers and not arguments.lines:
        yield DEFINITIONS, read_definitions(store)


def _write(store: Store, source: str, frames: Iterator[pd.DataFrame], arguments: Sentences) -> int:
    """Write the sentences of a source, unless they are those that the table has; return how many it has then."""
    manifest = Manifest(
        stage=STAGE,
        config={"limits": arguments.limits, "at_most": arguments.at_most, "licence": arguments.licence},
        language=followed(store, Definitions).code,
        seed=arguments.seed,
        inputs=_inputs(store, source, arguments),
    )
    if store.is_current(SentenceTable, manifest, source=source):
        say(f"the sentences of `{source}` are up to date: nothing to do")
        return len(store.read(SentenceTable, ["sentence_id"], source=source))
    rows = _screened(source, frames, arguments, tokenizer(str(manifest.language)))
    kept = rows[rows["reason"].isna()].drop(columns="reason")
    kept = kept.assign(n_words=kept["text"].map(count_words))
    dropped = rows[rows["reason"].notna()]
    by_reason = {str(name): n for name, n in dropped["reason"].value_counts().sort_index().items()}
    manifest = replace(manifest, counts={"read": len(rows), "kept": len(kept), "rejects": by_reason})
    ids = dropped["source_id"].astype(str) + " " + dropped["position"].astype(str)
    rejects = pd.DataFrame(
        {
            "id": [f"{id_} {n + 1}" if n else id_ for id_, n in zip(ids, ids.groupby(ids).cumcount(), strict=True)],
            "reason": dropped["reason"],
            "detail": _details(dropped),
        }
    )
    with store.lock(STAGE):
        store.reject(f"{STAGE}.{source}", rejects, manifest)
        version = store.replace(SentenceTable, kept, manifest, source=source)
    _show(source, rows, by_reason, arguments)
    say(f"{quantity(len(kept), 'sentence')} of `{source}` written to {store.path(SentenceTable)} (version {version})")
    return len(kept)


def _screened(
    source: str, frames: Iterator[pd.DataFrame], arguments: Sentences, tokens: Callable[[str], list[str]]
) -> pd.DataFrame:
    """All sentences with their ids and the column reason, null where they are kept."""
    screened = [
        frame.assign(reason=pd.Series(screen(list(frame["text"]), arguments.limits, tokens), frame.index, dtype=object))
        for frame in progress(frames, label=source, unit="blocks")
    ]
    rows = pd.concat(screened, ignore_index=True).assign(source=source)
    again = rows.duplicated(["source_id", "position", "text"])
    if again.any():
        say(f"{int(again.sum()):,} sentences are in the files twice, under one paper's id: they are read once")
    rows = rows[~again].reset_index(drop=True)
    rows["reason"] = rows["reason"].mask(_taken_down(Store(arguments.store), source, rows), TAKEN_DOWN)
    rows["reason"] = mark_duplicates(rows)
    rows["sentence_id"] = _ids(rows)
    rows["reason"] = _draw(rows, arguments)
    return rows


def _taken_down(store: Store, source: str, rows: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each text, its paper or its file was taken down."""
    names = PAPERS + ":" + rows["source_id"] if source == PAPERS else pd.Series(source, rows.index)
    gone = pd.Series(are_withheld(rows["text"], withheld(store)), rows.index, dtype=bool)
    return gone | names.isin(withheld_sources(store))


def _details(dropped: pd.DataFrame) -> "pd.Series[str]":
    """What each reject quotes: repeated texts as a whole, so that a takedown finds them; of one taken down nothing."""
    begins = dropped["text"].str.slice(0, 80).where(dropped["reason"] != "duplicate", dropped["text"])
    quoted: pd.Series[str] = begins.mask(dropped["reason"].isin([TAKEN_DOWN, "not_drawn"]), None)
    return quoted


def _ids(rows: pd.DataFrame) -> list[str]:
    if (rows["source"] == DEFINITIONS).all():
        return list(rows["source_id"])
    return [text_id(text) for text in rows["text"]]


def _draw(rows: pd.DataFrame, arguments: Sentences) -> pd.Series:
    """The column reason, with `not_drawn` for the sentences beyond --at-most, in an order that the seed decides."""
    kept = rows.loc[rows["reason"].isna(), "sentence_id"]
    lots = kept.map(lambda sentence: digest(arguments.seed, sentence)).sort_values()
    beyond = lots.index[arguments.at_most or len(lots) :]
    return rows["reason"].mask(rows.index.isin(beyond), "not_drawn")


def _inputs(store: Store, source: str, arguments: Sentences) -> dict[str, int | str | None]:
    if source == DEFINITIONS:
        return store.inputs(Definitions)
    paths = arguments.papers if source == PAPERS else [path for path in arguments.lines if path.name == source]
    return {path.name: file_digest(path) for path in paths}


def _show(source: str, rows: pd.DataFrame, by_reason: dict[str, int], arguments: Sentences) -> None:
    say(f"{quantity(len(rows), 'sentence')} read from {quantity(rows['source_id'].nunique(), 'text')} of `{source}`")
    limits = {"shortest": arguments.limits.shortest, "longest": arguments.limits.longest}
    for reason, n in by_reason.items():
        say(f"  {n:,} dropped: {reason}: {LOST[reason].format(**limits)}")
