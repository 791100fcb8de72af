"""The command `sentences`: definitions, papers and files -> the table `sentences`."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import Findings, InputError
from data.console.marks import Limit, Metavar
from data.console.messages import progress, quantity, say, say_next
from data.console.optional_packages import require_generation
from data.console.paths import Address, existing_file
from data.contract.tables.definitions import Definitions
from data.contract.tables.generated import Sentences as SentenceTable
from data.contract.vocabulary import TAKEN_DOWN
from data.files.papers.reader import Summary, find_papers, name_losses
from data.provenance.tombstones import are_withheld, withheld, withheld_sources
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import digest, file_digest, text_id
from data.texts.words import count_words
from generation.engines.tokenizers import splitter, tokenizer
from generation.sources.reading import EXPECTED, parse_columns, read_definitions, read_lines, read_papers
from generation.sources.screening import LOST, SentenceLimits, are_repeated, mark_duplicates, quote, screen

STAGE = "generation.sentences"
DEFINITIONS, PAPERS = "definitions", "papers"
IDENTITY = ["source_id", "position", "text"]
"""What is in the files twice where all of these are the same."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Collect the sentences that others are made from; without --papers or --lines, the store's definitions."""

    papers: tuple[Path, ...] = ()
    """Files of papers, and folders with all below them, in any form that `python -m crawler.terminology` reads: their
    abstracts, sentence by sentence."""
    columns: Annotated[tuple[str, ...], Metavar("FIELD=COLUMN")] = ()
    """What tables and JSON of papers call id, abstract and licence where the exporter is not known, for example
    `abstract=Zusammenfassung`."""
    lines: tuple[Path, ...] = ()
    """Text files with one sentence per line, plain or .gz; each is a source with the file's name."""
    limit: Limit[int | None] = None
    """Draw at most this many sentences per source, at random; by default all are kept."""
    licence: str | None = None
    """The licence of the texts, where the files state none."""
    seed: int = 1
    """The source of all randomness: the draw of --limit."""
    limits: SentenceLimits = field(default_factory=SentenceLimits)
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the sentences of each source, and those dropped with their reasons."""
    require_generation("sentences")
    require_at_least("--limit", arguments.limit, 1)
    require_at_least("--seed", arguments.seed, 0)
    _require_names(arguments.lines)
    for path in (*find_papers(arguments.papers), *arguments.lines):
        existing_file(path, EXPECTED)
    parse_columns(arguments.columns)
    store = Store(arguments.store)
    language = followed(store, Definitions).code
    n_kept = sum(_write(store, source, arguments) for source in _sources(store, arguments, language))
    lost = (store.manifest(SentenceTable, source=PAPERS) or {}).get("counts", {}).get("lost")
    if arguments.papers and lost:
        raise Findings(f"{name_losses(lost)}; the rejects name them")
    if not n_kept:
        raise Findings("no sentence is left; see the table `rejects`")
    say_next("python -m generation lm models/lm.bin --train --papers FILE", "--store", store.address)


def _require_names(paths: tuple[Path, ...]) -> None:
    """Raise InputError where two sources would have one name."""
    names = [DEFINITIONS, PAPERS, *(path.name for path in paths)]
    if twice := [name for name in names if names.count(name) > 1]:
        expected = f"files of different names, and none called {DEFINITIONS} or {PAPERS}"
        raise InputError(
            "--lines", expected=expected, found=twice[0], remedy="rename one: a source has its file's name"
        )


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source of sentences."""

    name: str
    frames: Iterator[pd.DataFrame]
    papers: Summary = field(default_factory=Summary)
    """Lines about its papers, once they are read."""


def _sources(store: Store, arguments: Arguments, language: str) -> Iterator[Source]:
    if arguments.papers:
        seen, columns = Summary(), parse_columns(arguments.columns)
        frames = read_papers(arguments.papers, columns, arguments.licence, splitter(language), seen)
        yield Source(name=PAPERS, frames=frames, papers=seen)
    for path in arguments.lines:
        yield Source(name=path.name, frames=read_lines(path, arguments.licence))
    if not arguments.papers and not arguments.lines:
        yield Source(name=DEFINITIONS, frames=read_definitions(store))


def _write(store: Store, source: Source, arguments: Arguments) -> int:
    """Write the sentences of a source, unless they are those that the table has; return how many it has then."""
    manifest = Manifest(
        stage=STAGE,
        config={
            "limits": arguments.limits,
            "limit": arguments.limit,
            "licence": arguments.licence,
            "columns": arguments.columns,
        },
        language=followed(store, Definitions).code,
        seed=arguments.seed,
        inputs=_inputs(store, source.name, arguments),
    )

    def make() -> Made:
        kept, dropped = _screened(source, arguments, tokenizer(str(manifest.language)))
        return _make(source, kept, dropped, arguments.limits)

    with store.lock(STAGE):
        run_stage(store, SentenceTable, manifest, make, noun="sentence", source=source.name)
    return len(store.read(SentenceTable, ["sentence_id"], source=source.name))


def _make(source: Source, kept: pd.DataFrame, dropped: pd.DataFrame, limits: SentenceLimits) -> Made:
    n_sentences, n_texts = len(kept) + len(dropped), len({*kept["source_id"], *dropped["source_id"]})
    ids = dropped["source_id"].astype(str) + " " + dropped["position"].astype(str)
    rejects = pd.DataFrame(
        {
            "id": [f"{id_} {n + 1}" if n else id_ for id_, n in zip(ids, ids.groupby(ids).cumcount(), strict=True)],
            "source_id": dropped["source_id"].astype(str),
            "reason": dropped["reason"],
            "detail": dropped["detail"],
        }
    )
    shown = {"shortest": limits.shortest, "longest": limits.longest}
    seen = source.papers
    rejects = pd.concat([rejects, *seen.rejects], ignore_index=True)
    said = f"{quantity(n_sentences, 'sentence')} read from {quantity(n_texts, 'text')} of `{source.name}`"
    return Made(
        rows=kept.assign(n_words=kept["text"].map(count_words)), rejects=rejects,
        counts={"read": len(kept) + len(rejects)} | ({"lost": lost} if (lost := seen.losses()) else {}),
        lines=[*(seen.lines() if source.name == PAPERS else ()), said],
        why={reason: text.format(**shown) for reason, text in LOST.items()},
    )  # fmt: skip


def _screened(
    source: Source, arguments: Arguments, tokens: Callable[[str], list[str]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences that are kept, and of the others source_id, position, reason and detail; in the files' order.

    Of the others no whole text is held longer than its block but a duplicate; memory still grows with their ids and
    reasons.
    """
    kept, dropped = list[pd.DataFrame](), list[pd.DataFrame]()
    rows_seen, texts_seen = set[int](), set[int]()
    store = Store(arguments.store)
    gone = withheld(store), withheld_sources(store)
    n_read = n_again = 0
    for frame in progress(source.frames, label=source.name, unit="blocks"):
        again = are_repeated(pd.util.hash_pandas_object(frame[IDENTITY], index=False), rows_seen)
        rows = frame.set_axis(pd.RangeIndex(n_read, n_read + len(frame)))[~again].assign(source=source.name)
        n_read, n_again = n_read + len(frame), n_again + int(again.sum())
        rows["reason"] = pd.Series(screen(list(rows["text"]), arguments.limits, tokens), rows.index, dtype=object)
        rows["reason"] = rows["reason"].mask(_taken_down(gone, source.name, rows), TAKEN_DOWN)
        rows["reason"] = mark_duplicates(rows, texts_seen)
        rows["sentence_id"] = _ids(rows)
        dropped.append(_without_text(rows[rows["reason"].notna()]))
        kept.append(rows[rows["reason"].isna()].drop(columns="reason"))
        if arguments.limit and sum(map(len, kept)) > 2 * arguments.limit:
            kept, dropped = _draw(kept, dropped, arguments)
    if n_again:
        say(f"{n_again:,} sentences are in the files twice, under one paper's id: they are read once")
    kept, dropped = _draw(kept, dropped, arguments)
    return pd.concat(kept), pd.concat(dropped).sort_index()


def _draw(
    kept: list[pd.DataFrame], dropped: list[pd.DataFrame], arguments: Arguments
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """Both, with the sentences beyond --limit among the dropped; seed and sentence alone decide their order."""
    rows = pd.concat(kept)
    lots = rows["sentence_id"].map(lambda sentence: digest(arguments.seed, sentence)).sort_values()
    beyond = rows.index.isin(lots.index[arguments.limit or len(lots) :])
    return [rows[~beyond]], [*dropped, _without_text(rows[beyond].assign(reason="not_drawn"))]


def _taken_down(gone: tuple[frozenset[str], frozenset[str]], source: str, rows: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each text, its paper or its file was taken down; `gone`: digests of texts, and names of sources."""
    names = PAPERS + ":" + rows["source_id"] if source == PAPERS else pd.Series(source, rows.index)
    return pd.Series(are_withheld(rows["text"], gone[0]), rows.index, dtype=bool) | names.isin(gone[1])


def _without_text(rows: pd.DataFrame) -> pd.DataFrame:
    """What the rejects say."""
    quotes = [quote(text, reason) for text, reason in zip(rows["text"], rows["reason"], strict=True)]
    return rows[["source_id", "position", "reason"]].assign(detail=pd.Series(quotes, rows.index, dtype=object))


def _ids(rows: pd.DataFrame) -> list[str]:
    if (rows["source"] == DEFINITIONS).all():
        return list(rows["source_id"])
    return [text_id(text) for text in rows["text"]]


def _inputs(store: Store, source: str, arguments: Arguments) -> dict[str, int | str | None]:
    if source == DEFINITIONS:
        return store.inputs(Definitions)
    lines = [path for path in arguments.lines if path.name == source]
    paths = find_papers(arguments.papers) if source == PAPERS else lines
    names = Counter(path.name for path in paths)
    return {path.name if names[path.name] == 1 else str(path): file_digest(path) for path in paths}
