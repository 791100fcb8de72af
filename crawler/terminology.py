"""`python -m crawler.terminology`: papers, or a plain list, -> terms."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import pandas as pd

from crawler.cards.survey import Survey, remedy, survey
from crawler.config import TermConfig
from crawler.ledger.harvest import front_names
from crawler.ledger.ledger import Ledger
from crawler.terms.boilerplate import Boilerplate
from crawler.terms.extraction import (
    FEW_TERMS,
    drop_terms,
    find_terms,
    keep_top,
    list_terms,
    suggest_threshold,
)
from crawler.terms.fronts import store_terms, widen_limits, with_fronts
from crawler.terms.headwords import adapt, read_headwords
from crawler.terms.limits import MAX_TERM_WORDS, MIN_TERM_WORDS, TermLimits, limits
from crawler.terms.lists import read_list
from crawler.terms.marked import MarkedNames
from crawler.terms.tokens import Tokens, tokenise
from crawler.terms.word_store import PaperWords, forget, keep, open_kept, read_kept_terms
from data.console.errors import Findings, InputError
from data.console.marks import Metavar, Positional
from data.console.memory import return_memory
from data.console.messages import quantity, say
from data.console.paths import Address, existing_file
from data.contract.tables.definitions import Cards, Terms
from data.contract.tables.removals import Rejects
from data.files.papers.files import Columns
from data.files.papers.reader import Summary, distinct, find_papers, name_losses, read_papers
from data.guidance.next_steps import say_steps
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import file_digest
from data.texts.languages.base import Language

STAGE = "crawler.terminology"
WORDS = "words-"
"""Prefix of the folder in the store that holds the words of the papers while they are counted."""
RECIPES: Mapping[str, TermConfig] = {"recommended": TermConfig.recommended(), "paper": TermConfig.paper()}
DROPPED = "dropped_by_list"
NO_REJECTS = pd.DataFrame({"id": [], "reason": [], "detail": []}, dtype=object)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Find the terms of a speciality: the phrases that occur in enough of its papers."""

    recipe: str
    """Whose settings hold where a flag gives no other."""
    config: TermConfig
    papers: Positional[tuple[Path, ...]] = ()
    """Files of papers, and folders with all below them, plain or gzip: exports of databases and reference managers
    (BibTeX, RIS, PubMed, Web of Science, EndNote, CSV, JSON), or tables with id, title, abstract, year, venue."""
    columns: Annotated[tuple[str, ...], Metavar("FIELD=COLUMN")] = ()
    """What tables and JSON call these fields where the exporter is not known, for example `title=Titel`."""
    lemmas: Path | None = None
    """Words whose dictionary form is another than the language knows, one per line: `shingles shingles`, `foci
    focus`."""
    terms: Path | None = None
    """A plain list of terms, one per line, instead of papers."""
    add: Path | None = None
    """A list of terms to keep regardless of their document frequency."""
    drop: Path | None = None
    """A list of terms to leave out."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


@dataclass(frozen=True, kw_only=True)
class Lists:
    """What the files of --add, --drop and --lemmas say."""

    added: list[str]
    dropped: list[str]
    headwords: Mapping[str, str]


def main(arguments: Arguments) -> None:
    """Read everything, then write the terms and the rejects.

    Raises Findings where many records of a file are lost, where there is no term, or where no language was chosen and
    most papers are in another.
    """
    store, chosen = Store(arguments.store), arguments.config.language
    _require_valid(arguments)
    language = followed(store, Cards, chosen=chosen)
    arguments = replace(arguments, config=replace(arguments.config, language=language.code))
    manifest, fronts = _manifest(arguments), _fronts(arguments)
    with store.lock("terminology"):
        _bring_up_to_date(store, arguments, manifest, fronts)
    counts = (store.manifest(Terms) or {})["counts"]
    if lost := counts.get("lost"):
        raise Findings(f"{name_losses(lost)}; the rejects name them")
    if store.read(Terms, columns=["term"]).empty:
        raise Findings("no phrase is frequent enough to be a term")
    if chosen is None:
        _require_language(store, language)
    say_steps(store)


def _require_language(store: Store, language: Language) -> None:
    """Raise Findings where most papers are in another language than the terms."""
    other = (store.manifest(Terms) or {})["counts"].get("mostly_in")
    if other:
        way = remedy(language, other, "run it again", "--language ")
        raise Findings(f"most papers are not in {language.name}: {way}")


def _require_valid(arguments: Arguments) -> None:
    """Raise InputError where the arguments contradict each other or a file is missing."""
    config = arguments.config
    if bool(arguments.papers) == (arguments.terms is not None):
        given = "both" if arguments.papers else "neither"
        raise InputError(
            "arguments", expected="files of papers or --terms FILE", found=given, remedy="give one of them"
        )
    used = limits(config, 0)
    if not MIN_TERM_WORDS <= used.min_words <= used.max_words <= MAX_TERM_WORDS or used.above < 0:
        raise InputError(
            "arguments",
            expected=f"{MIN_TERM_WORDS} <= --min-words <= --max-words <= {MAX_TERM_WORDS} and --above >= 0",
            found=f"{used.min_words}, {used.max_words} and {used.above}",
            remedy="change them",
        )
    if config.limit is not None and config.limit < 1:
        raise InputError("--limit", expected="at least 1, or none", found=str(config.limit), remedy="change it")
    for path in _files(arguments):
        existing_file(path, "a file")


def _files(arguments: Arguments) -> list[Path]:
    lists = (arguments.terms, arguments.add, arguments.drop, arguments.lemmas)
    return [*find_papers(arguments.papers), *(path for path in lists if path)]


def _manifest(arguments: Arguments) -> Manifest:
    """The files from which the terms are made, with their roles."""
    named = [("papers", path) for path in find_papers(arguments.papers)]
    named += [(role, path) for role in ("terms", "add", "drop", "lemmas") if (path := getattr(arguments, role))]
    return Manifest(
        stage=STAGE,
        config={"terms": arguments.config, "columns": arguments.columns},
        recipe=arguments.recipe,
        language=arguments.config.language,
        inputs={f"{role} {number} {path.name}": file_digest(path) for number, (role, path) in enumerate(named, 1)},
    )


def _fronts(arguments: Arguments) -> list[str]:
    """What the fronts of the store's decks name, where terms follow them."""
    path = Store(arguments.store).root / "ledgers" / "files.sqlite"
    if not arguments.papers or not path.exists():
        return []
    with Ledger(path) as ledger:
        return front_names(ledger, arguments.config.known_language)


def _bring_up_to_date(store: Store, arguments: Arguments, manifest: Manifest, fronts: list[str]) -> None:
    """Write the terms, unless the table has those that the same papers, lists and fronts of decks give."""
    words = open_kept(store.root, manifest.fingerprint())
    known = store.is_current(Rejects, manifest, stage=STAGE, part="") and (words is not None or not arguments.papers)
    if known and store.is_current(Terms, with_fronts(manifest, arguments.config, fronts)):
        say("the terms are up to date with these files: nothing to do")
    elif known and words:
        record = store.manifest(Rejects, stage=STAGE, part="") or {}
        counted = replace(manifest, counts=record["counts"])
        say(store_terms(store, read_kept_terms(store.root), words, fronts, counted))
    else:
        _write(store, arguments, manifest, fronts)


def _write(store: Store, arguments: Arguments, manifest: Manifest, fronts: list[str]) -> None:
    lists = _read_lists(arguments)
    if arguments.papers:
        rejects = _write_from_papers(store, arguments, lists, manifest, fronts)
    else:
        rejects = _write_from_list(store, arguments, lists, manifest)
    if lists.dropped:
        n_dropped = (rejects["reason"] == DROPPED).sum()
        say(f"{quantity(n_dropped, 'term')} dropped by the {len(lists.dropped):,} in {arguments.drop}")


def _read_lists(arguments: Arguments) -> Lists:
    added = read_list(arguments.add) if arguments.add else []
    dropped = read_list(arguments.drop) if arguments.drop else []
    if both := sorted(set(added) & set(dropped)):
        raise InputError(
            "--add and --drop", expected="different terms", found=repr(both[0]), remedy="remove it from one"
        )
    headwords = read_headwords(arguments.lemmas) if arguments.lemmas else {}
    return Lists(added=added, dropped=dropped, headwords=headwords)


def _write_from_papers(
    store: Store, arguments: Arguments, lists: Lists, manifest: Manifest, fronts: list[str]
) -> pd.DataFrame:
    """Write rejects, terms and the papers' words, in this order; return the rejects.

    A run that is killed leaves words of another manifest than the rejects have, and so is done again.
    """
    config = arguments.config
    for leftover in store.root.glob(f"{WORDS}*"):
        shutil.rmtree(leftover)  # of a run that was killed
    with tempfile.TemporaryDirectory(prefix=WORDS, dir=store.root) as folder:
        marked = MarkedNames(lists.added)
        tokens, seen, languages = _read(arguments, Path(folder), marked)
        n_papers = seen.n_kept
        language = adapt(config.known_language, tokens, lists.headwords)
        words = PaperWords(
            tokens=tokens, n_papers=n_papers, config=config, language=language, dropped=tuple(lists.dropped)
        )
        found = find_terms(tokens, n_papers, config, language)
        used = widen_limits(words.limits, fronts, config)
        say(f"terms have {used}")
        if len(found) < FEW_TERMS:
            _say_few(len(found), used, *suggest_threshold(tokens, config, language))
        more = words.measure(lists.added)
        more["document_frequency"] = more["document_frequency"].fillna(more["term"].map(marked.papers))
        candidates = pd.concat([found, more[~more["term"].isin(found["term"])]], ignore_index=True)
        kept, others = _choose(candidates, lists, arguments, language)
        rejects = pd.concat([*seen.rejects, others])
        del found, more, candidates
        return_memory()
        notes = {"mostly_in": languages.mostly_in(), "lost": seen.losses()}
        counted = _reject(
            store, rejects, replace(manifest, counts={name: note for name, note in notes.items() if note})
        )
        say(store_terms(store, kept, words, fronts, counted))
        return_memory()
        keep(words, kept, store.root, manifest.fingerprint())
    return rejects


def _write_from_list(store: Store, arguments: Arguments, lists: Lists, manifest: Manifest) -> pd.DataFrame:
    """Write rejects and terms, and remove the words of earlier papers; return the rejects."""
    names = read_list(arguments.terms) if arguments.terms else []
    language = arguments.config.known_language.with_headwords(lists.headwords)
    candidates = list_terms([*names, *lists.added], arguments.config, language)
    kept, rejects = _choose(candidates, lists, arguments, language)
    counted = _reject(store, rejects, manifest)
    version = store.replace(Terms, kept, replace(counted, counts={**counted.counts, "rows_out": len(kept)}))
    say(f"{quantity(len(kept), 'term')} written to {store.path(Terms)} (version {version})")
    forget(store.root)
    return rejects


def _read(arguments: Arguments, folder: Path, marked: MarkedNames) -> tuple[Tokens, Summary, Survey]:
    """The words of the papers that count, figures about all, and their languages. Holds one batch at a time."""
    seen, boilerplate = Summary(), Boilerplate()
    screened = distinct(read_papers(arguments.papers, Columns.parse(arguments.columns), seen.dropped))
    papers = seen.watch(screened)
    stripped = boilerplate.strip(papers) if arguments.config.drop_boilerplate else papers
    tokens = tokenise(marked.watch(stripped), folder)
    return_memory()
    languages = survey(seen.texts, arguments.config.known_language)
    for line in [*seen.lines(), *languages.describe("papers")]:
        say(line)
    if boilerplate.n_abstracts:
        say(f"headings and notices were left out of {quantity(boilerplate.n_abstracts, 'abstract')}")
    return tokens, seen, languages


def _say_few(n_terms: int, used: TermLimits, numbers: pd.Series, threshold: int | None) -> None:
    """Report how often the phrases occur, and a threshold that gives some terms."""
    few = quantity(n_terms, "phrase occurs", "phrases occur")
    say(f"only {few} in more than {used.above} papers; phrases in more than")
    say("  " + "   ".join(f"{above} papers: {n:,}" for above, n in numbers.items()))
    say(f"suggestion: --above {threshold}" if threshold else "suggestion: more papers, or a plain list with --terms")


def _choose(
    candidates: pd.DataFrame, lists: Lists, arguments: Arguments, language: Language
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The terms without the dropped ones and those below the top, and these as rejects."""
    config = arguments.config
    wanted, unwanted = drop_terms(candidates, lists.dropped, config, language)
    kept, below = keep_top(wanted, lists.added, config, language)
    listed = pd.DataFrame({"id": unwanted, "reason": DROPPED, "detail": arguments.drop and arguments.drop.name})
    places = [f"place {rank + 1} by {config.rank_by}" for rank in below["rank"]]
    late = pd.DataFrame({"id": below["term"], "reason": "below_top", "detail": places})
    return kept, pd.concat([NO_REJECTS, listed, late])


def _reject(store: Store, rejects: pd.DataFrame, manifest: Manifest) -> Manifest:
    """Write the rejects; return the manifest with their numbers."""
    reasons = {str(reason): int(n) for reason, n in rejects["reason"].value_counts().items()}
    counted = replace(manifest, counts={**manifest.counts, "rejects": reasons})
    store.reject(STAGE, rejects, counted)
    return counted


if __name__ == "__main__":
    run(main, prog="python -m crawler.terminology", recipes=RECIPES)
