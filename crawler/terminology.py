"""`python -m crawler.terminology`: papers, or a plain list, -> terms."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import pandas as pd
import pyarrow as pa
import tyro

from crawler.cards.detection import say_languages
from crawler.config import TermConfig
from crawler.ledger.harvest import front_names
from crawler.ledger.ledger import Ledger
from crawler.papers.boilerplate import Boilerplate
from crawler.papers.files import Columns
from crawler.papers.reader import Summary, distinct, find_papers, read_papers
from crawler.terms.extraction import (
    FEW_TERMS,
    drop_terms,
    find_terms,
    keep_top,
    list_terms,
    suggest_threshold,
)
from crawler.terms.fronts import follow, front_terms, fronts_input
from crawler.terms.headwords import read_headwords
from crawler.terms.kept_words import PaperWords, forget, keep
from crawler.terms.limits import LONGEST, SHORTEST, Limits, limits
from crawler.terms.lists import read_list
from crawler.terms.tokens import Tokens, tokenise
from data.console import existing_file, run, say, say_next
from data.errors import Findings, InputError
from data.identity import file_digest
from data.languages.base import Language
from data.languages.recorded import followed
from data.manifest import Manifest
from data.store import Store
from data.tables.definitions import Cards, Terms

STAGE = "crawler.terminology"
WORDS = "words-"
"""Prefix of the folder in the store that holds the words of the papers while they are counted."""
RECIPES: Mapping[str, TermConfig] = {"recommended": TermConfig.recommended(), "paper": TermConfig.paper()}
NO_REJECTS = pd.DataFrame({"id": [], "reason": [], "detail": []}, dtype=object)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Find the terms of a speciality: the phrases that occur in more than a number of its papers."""

    recipe: str
    config: TermConfig
    papers: tyro.conf.Positional[tuple[Path, ...]] = ()
    """Files of papers, and folders with all below them, plain or gzip: JSON lines, CSV or Parquet with id, title,
    abstract, year, venue; OpenAlex works, arXiv metadata, BibTeX, RIS, PubMed XML, NBIB, Zotero CSV."""
    columns: Annotated[tuple[str, ...], tyro.conf.arg(metavar="FIELD=COLUMN")] = ()
    """What tables and JSON call these fields, for example `title=Title abstract=Abs`; bibliographies need none."""
    lemmas: Path | None = None
    """Words whose dictionary form is another than the language knows, one per line: `shingles shingles`, `foci
    focus`."""
    terms: Path | None = None
    """A plain list of terms, one per line, instead of papers."""
    add: Path | None = None
    """A list of terms to keep regardless of their document frequency."""
    drop: Path | None = None
    """A list of terms to leave out."""
    store: Path = field(default_factory=Store.default_path)
    """Folder of the tables."""


def main(arguments: Arguments) -> None:
    """Read everything, then write the terms and the rejects. Raises Findings where there is no term."""
    store = Store(arguments.store)
    _check(arguments)
    language = followed(store, Cards, chosen=arguments.config.language)
    arguments = replace(arguments, config=replace(arguments.config, language=language.code))
    manifest = _manifest(arguments)
    with store.lock("terminology"):
        if store.is_current(Terms, manifest):
            say("the terms are up to date with these files: nothing to do")
        else:
            _write(store, arguments, manifest)
    if store.read(Terms, columns=["term"]).empty:
        raise Findings("no phrase is frequent enough to be a term")
    say_next("scrapy crawl quizlet", "--store", arguments.store)


def _check(arguments: Arguments) -> None:
    """Raise InputError where the arguments contradict each other or a file is missing."""
    config = arguments.config
    if bool(arguments.papers) == (arguments.terms is not None):
        given = "both" if arguments.papers else "neither"
        raise InputError(
            "arguments", expected="files of papers or --terms FILE", found=given, remedy="give one of them"
        )
    used = limits(config, 0)
    if not SHORTEST <= used.min_words <= used.max_words <= LONGEST or used.above < 0:
        raise InputError(
            "arguments",
            expected=f"{SHORTEST} <= --min-words <= --max-words <= {LONGEST} and --above >= 0",
            found=f"{used.min_words}, {used.max_words} and {used.above}",
            remedy="change them",
        )
    if config.top is not None and config.top < 1:
        raise InputError("--top", expected="at least 1, or none", found=str(config.top), remedy="change it")
    for path in _files(arguments):
        existing_file(path, "a file")


def _files(arguments: Arguments) -> list[Path]:
    lists = (arguments.terms, arguments.add, arguments.drop, arguments.lemmas)
    return [*find_papers(arguments.papers), *(path for path in lists if path)]


def _manifest(arguments: Arguments) -> Manifest:
    """The files from which the terms are made, with their roles."""
    named = [("papers", path) for path in find_papers(arguments.papers)]
    named += [(role, path) for role in ("terms", "add", "drop", "lemmas") if (path := getattr(arguments, role))]
    names, usual = _fronts(arguments), limits(arguments.config, 0)
    widened = arguments.papers and follow(usual, names, arguments.config) != usual
    return Manifest(
        stage=STAGE,
        config={"terms": arguments.config, "columns": arguments.columns},
        recipe=arguments.recipe,
        language=arguments.config.language,
        inputs={f"{role} {number} {path.name}": file_digest(path) for number, (role, path) in enumerate(named, 1)}
        | (fronts_input(names) if widened else {}),
    )


def _fronts(arguments: Arguments) -> list[str]:
    """What the fronts of the store's decks name."""
    path = arguments.store / "ledgers" / "files.sqlite"
    if not path.exists():
        return []
    with Ledger(path) as ledger:
        return front_names(ledger, arguments.config.known_language)


def _write(store: Store, arguments: Arguments, manifest: Manifest) -> None:
    headwords = read_headwords(arguments.lemmas) if arguments.lemmas else {}
    added = read_list(arguments.add) if arguments.add else []
    dropped = read_list(arguments.drop) if arguments.drop else []
    if both := sorted(set(added) & set(dropped)):
        raise InputError(
            "--add and --drop", expected="different terms", found=repr(both[0]), remedy="remove it from one"
        )
    if arguments.papers:
        candidates, rejects, used, language = _from_papers(arguments, added, dropped, headwords)
    else:
        forget(arguments.store)
        names = read_list(arguments.terms) if arguments.terms else []
        language = arguments.config.known_language.with_headwords(headwords)
        candidates = list_terms([*names, *added], arguments.config, language)
        rejects, used = NO_REJECTS, None
    wanted, unwanted = drop_terms(candidates, dropped, arguments.config, language)
    kept, below = keep_top(wanted, added, arguments.config, language)
    more = pd.DataFrame({"id": unwanted, "reason": "dropped_by_list", "detail": arguments.drop and arguments.drop.name})
    places = [f"place {rank + 1} by {arguments.config.rank_by}" for rank in below["rank"]]
    late = pd.DataFrame({"id": below["term"], "reason": "below_top", "detail": places})
    _store(store, kept, pd.concat([rejects, more, late]), replace(manifest, counts={"limits": used}))
    if dropped:
        say(f"{len(unwanted):,} terms dropped by the {len(dropped):,} in {arguments.drop}")


def _from_papers(
    arguments: Arguments, added: list[str], dropped: list[str], headwords: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, Limits, Language]:
    """The terms of the papers, the papers that were not counted, the limits in use, and the papers' language."""
    config, names = arguments.config, _fronts(arguments)
    for leftover in arguments.store.glob(f"{WORDS}*"):
        shutil.rmtree(leftover)  # of a run that was killed
    with tempfile.TemporaryDirectory(prefix=WORDS, dir=arguments.store) as folder:
        tokens, n_papers, rejects = _read(arguments, Path(folder))
        words = PaperWords(tokens=tokens, n_papers=n_papers, config=config, dropped=tuple(dropped), headwords=headwords)
        used = follow(words.limits, names, config)
        found = find_terms(tokens, n_papers, config, words.language)
        say(f"terms have {used}")
        if len(found) < FEW_TERMS:
            _say_few(len(found), used, *suggest_threshold(tokens, config, words.language))
        for more in (words.measure(added), front_terms(words, names, used)):
            found = pd.concat([found, more[~more["term"].isin(found["term"])]], ignore_index=True)
        keep(words, arguments.store)
    return found, rejects, used, words.language


def _read(arguments: Arguments, folder: Path) -> tuple[Tokens, int, pd.DataFrame]:
    """The words of the papers, the number of papers that count, and the others. Holds one batch of texts at a time."""
    seen, boilerplate = Summary(), Boilerplate()
    screened = distinct(read_papers(arguments.papers, Columns.parse(arguments.columns), seen.dropped))
    papers = seen.watch(screened)
    tokens = tokenise(boilerplate.strip(papers) if arguments.config.drop_boilerplate else papers, folder)
    pa.default_memory_pool().release_unused()
    language = arguments.config.known_language
    for line in [*seen.lines(), *say_languages(seen.texts, language, "papers")]:
        say(line)
    if boilerplate.n_abstracts:
        say(f"headings and notices were left out of {boilerplate.n_abstracts:,} abstracts")
    return tokens, seen.n_kept, pd.concat([NO_REJECTS, *seen.rejects], ignore_index=True)


def _say_few(n_terms: int, used: Limits, numbers: pd.Series, threshold: int | None) -> None:
    """Report how often the phrases occur, and a threshold that gives some terms."""
    say(f"only {n_terms} phrases occur in more than {used.above} papers; phrases in more than")
    say("  " + "   ".join(f"{above} papers: {n:,}" for above, n in numbers.items()))
    say(f"suggestion: --above {threshold}" if threshold else "suggestion: more papers, or a plain list with --terms")


def _store(store: Store, kept: pd.DataFrame, rejects: pd.DataFrame, manifest: Manifest) -> None:
    reasons = {str(reason): int(n) for reason, n in rejects["reason"].value_counts().items()}
    counted = replace(manifest, counts={**manifest.counts, "rows_out": len(kept), "rejects": reasons})
    store.reject(STAGE, rejects, counted)
    version = store.replace(Terms, kept, counted)
    say(f"{len(kept):,} terms written to {store.path(Terms)} (version {version})")


if __name__ == "__main__":
    run(main, prog="python -m crawler.terminology", recipes=RECIPES)
