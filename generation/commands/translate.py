"""The command `translate`: the sentences of judged pairs -> their back translations, and pairs of both."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import Findings, InputError, TableError
from data.console.marks import Advanced
from data.console.messages import progress, quantity, say_next
from data.console.paths import Address
from data.contract.rows import measure_rows, pair_rows, text_rows
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import BACK_TRANSLATION, CAMPAIGN, MAJORITY, TAKEN_DOWN
from data.grouping.entities import ENTITIES, of_side
from data.provenance.tombstones import are_withheld, withheld
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator
from data.storage.engine import HERE, check, run_each
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import digest, pair_id, text_id
from data.texts.languages.base import Language
from data.texts.similarity import jaccard
from generation.back_translation.measures import bow_cosine, inversion_rate
from generation.back_translation.sampling import REASONS, choose
from generation.config import TRANSLATIONS, TranslateConfig
from generation.engines.protocols import Translation, Translator

STAGE = "generation.translate"
MEASURES = {"bow_cosine": bow_cosine, "inversion_rate": inversion_rate}
BATCH_TEXTS = 500
RECIPES = TRANSLATIONS


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Translate both sentences of judged pairs there and back; pair each with what came back and shares its words."""

    recipe: str = "recommended"
    """Whose settings hold where a flag gives no other."""
    config: TranslateConfig = field(default_factory=TranslateConfig)
    campaign: str | None = None
    """The campaign whose decided pairs are translated (by default main; the paper's come after their judgement)."""
    method: str = MAJORITY
    """The method by which its labels were made."""
    among: str | None = None
    """Instead, all pairs of this generator, judged or not: for a silver set."""
    pivots: tuple[str, ...] = ()
    """Languages by way of which Apertium translates, such as `es ca eo`: one result each."""
    marian: tuple[Path, Path] | None = None
    """Folders of two Marian models in the form of CTranslate2: there, and back."""
    k: int = 5
    """Results of a Marian model each way (section 3.2: 5)."""
    engine: Advanced[str] = HERE
    """Where Apertium translates: `here`, `processes`, `processes:N`, or `dask:ADDRESS`, whose machines need the same
    Apertium. A Marian model uses all cores of this machine."""
    generator: str = "paws-back"
    """The name of the new pairs."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the texts, their pairs and measures, and what was left out with its reason."""
    _require_engine(arguments)
    store = Store(arguments.store)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    sentences, language = _sentences(_read_pairs(store, arguments)), followed(store, Pairs)
    translators = list(_open_translators(arguments, language))
    manifest = Manifest(
        stage=STAGE,
        config={"config": arguments.config, "campaign": arguments.campaign, "method": arguments.method,
                "generator": arguments.among, "models": [translator.name for translator in translators]},
        recipe=arguments.recipe,
        language=language.code,
        seed=arguments.config.seed,
        inputs=({} if arguments.among else store.inputs(Labels)) | {"sentences": digest(*sentences["source_id"])},
    )  # fmt: skip
    name = arguments.generator
    with store.lock(f"{STAGE}.{name}"):

        def make() -> Made:
            results = _translate(sentences, translators, arguments.engine)
            _measure(results, language)
            results["reason"] = _reasons(store, results, arguments)
            return _made(results, sentences, arguments, language)

        run_stage(store, Pairs, manifest, make, noun="pair", generator=name)
    if store.read(Pairs, ["pair_id"], generator=name).empty:
        raise Findings("no back translation is left; see the table `rejects` for the reasons, or add --pivots")
    flags = ("--store", store.address, "--generator", name)
    say_next("python -m annotation plan", *flags, "--question", "sentence-correction", "--annotators", "N")


def _read_pairs(store: Store, arguments: Arguments) -> pd.DataFrame:
    """The pairs whose sentences are translated. Raises TableError where there is none."""
    pairs = store.read(Pairs, ["generator", "pair_id", *ENTITIES, "first_id", "second_id", "first", "second"])
    if arguments.among and arguments.campaign:
        raise InputError("translate", expected="--campaign or --among", found="both", remedy="leave one out")
    if arguments.among:
        chosen, what = (
            pairs.loc[pairs["generator"] == arguments.among],
            f"pairs of generator {arguments.among!r}",
        )
    else:
        campaign = arguments.campaign or CAMPAIGN
        labels = store.read(Labels, ["pair_id", "binary"], campaign=campaign, method=arguments.method, further=False)
        decided = labels.dropna(subset="binary")["pair_id"]
        chosen = pairs.loc[pairs["pair_id"].isin(decided)].drop_duplicates("pair_id")
        what = f"labels of campaign {campaign!r} by {arguments.method}"
    if chosen.empty:
        known = ", ".join(sorted(pairs["generator"].unique())) or "no pairs at all"
        remedy = "adjudicate the campaign first, or name a generator: --among"
        raise TableError(store.address, expected=what, found=f"none (generators: {known})", remedy=remedy)
    return chosen


def _sentences(pairs: pd.DataFrame) -> pd.DataFrame:
    """Both sentences of each pair, once: source_id, source, entity; a pair of two entities has one per side."""
    sides = [
        pd.DataFrame({
            "source_id": pairs[f"{side}_id"],
            "source": pairs[side],
            "entity": of_side(pairs, side),
        })
        for side in ("first", "second")
    ]  # fmt: skip
    return pd.concat(sides).drop_duplicates("source_id").sort_values("source_id", ignore_index=True)


def _open_translators(arguments: Arguments, language: Language) -> Iterator[Translator]:
    require_at_least("--k", arguments.k, 1)
    if bool(arguments.pivots) == bool(arguments.marian):
        found = "both" if arguments.marian else "neither"
        expected = "--pivots LANGUAGES, for Apertium, or --marian THERE BACK"
        raise InputError("translate", expected=expected, found=found, remedy="give one of them, such as --pivots es")
    if arguments.marian:
        from generation.engines.marian import Marian

        yield Marian(*arguments.marian, k=arguments.k)
    else:
        from generation.engines.apertium import Apertium

        yield from (Apertium(pivot, language.code) for pivot in dict.fromkeys(arguments.pivots))


def _require_engine(arguments: Arguments) -> None:
    """Raise InputError for an engine that there is not, and for any but `here` with Marian models."""
    if check(arguments.engine) != HERE and arguments.marian:
        remedy = "leave --engine out: a Marian model uses all cores"
        raise InputError("--engine", expected="here with --marian", found=arguments.engine, remedy=remedy)


def _translate(sentences: pd.DataFrame, translators: list[Translator], engine: str) -> pd.DataFrame:
    """One row per result: source_id, source, entity, text, via, score, model, place (pivot and ranks), untranslated."""
    blocks = [sentences[start : start + BATCH_TEXTS] for start in range(0, len(sentences), BATCH_TEXTS)]
    jobs = [(number, translator, block) for number, translator in enumerate(translators) for block in blocks]
    given = [(translator, block["source"].tolist()) for _, translator, block in jobs]
    rows = []
    translated = run_each(_there_and_back, given, engine, progress, "blocks")
    for (number, translator, block), found in zip(jobs, translated, strict=True):
        for sentence, results in zip(block.to_dict("records"), found, strict=True):
            for result in results:
                place = f"{number}.{result.rank_there}.{result.rank_back}"
                made = {"text": result.text, "via": result.via, "score": result.score, "model": translator.name}
                rows.append(sentence | made | {"place": place, "untranslated": result.untranslated})
    columns = ["source_id", "source", "entity", "text", "via", "score", "model", "place", "untranslated"]
    return pd.DataFrame(rows, columns=columns).astype({"score": "Float64"})


def _there_and_back(given: tuple[Translator, list[str]]) -> list[list[Translation]]:
    """The results for a block of texts."""
    translator, texts = given
    return translator.there_and_back(texts)


def _measure(results: pd.DataFrame, language: Language) -> None:
    """Add the ids of texts and pairs, and the measures."""
    entities = results["entity"].astype(object).where(results["entity"].notna(), None)
    results["text_id"] = [text_id(text, entity) for text, entity in zip(results["text"], entities, strict=True)]
    ids = zip(results["source_id"], results["text_id"], strict=True)
    results["pair_id"] = [pair_id(source, text) for source, text in ids]
    for name, measure in MEASURES.items():
        results[name] = measure(results["source"].tolist(), results["text"].tolist(), language)


def _reasons(store: Store, results: pd.DataFrame, arguments: Arguments) -> "pd.Series[Any]":
    """Why each result is not kept; null for those that are."""
    others = store.read(Pairs, ["pair_id", "generator"])
    own = others["generator"] == arguments.generator
    known = set(others.loc[~own, "pair_id"]) - set(others.loc[own, "pair_id"])  # a campaign copies those it keeps
    reasons = choose(results.assign(is_known=results["pair_id"].isin(known)), arguments.config)
    gone = are_withheld(results["text"], withheld(store))
    return reasons.mask(pd.Series(gone, results.index, dtype=bool), TAKEN_DOWN)


def _made(results: pd.DataFrame, sentences: pd.DataFrame, arguments: Arguments, language: Language) -> Made:
    """Texts, pairs, measures and rejects."""
    kept, dropped, part = results[results["reason"].isna()], results[results["reason"].notna()], arguments.generator
    texts = text_rows(
        kept[["text_id", "text", "entity", "source_id", "model"]], generator=part, method=BACK_TRANSLATION,
        log_score=kept["score"], steps=pd.Series([[f"via {via}"] for via in kept["via"]], kept.index, dtype="object"),
    )  # fmt: skip
    pairs = pair_rows(
        kept[["pair_id", "entity"]], generator=part, first_id=kept["source_id"], second_id=kept["text_id"],
        first=kept["source"], second=kept["text"], selection=BACK_TRANSLATION,
        overlap=jaccard(kept["source"].tolist(), kept["text"].tolist(), language).to_numpy(),
    )  # fmt: skip
    measures = (
        (PairMeasures, measure_rows(kept[["pair_id"]], generator=part, measure=name, value=kept[name]),
         {"generator": part, "measure": name})
        for name in MEASURES
    )  # fmt: skip
    rejects = dropped[["reason"]].assign(
        id=dropped["source_id"] + " " + dropped["place"],
        source_id=dropped["source_id"],
        detail=dropped["text"].mask(dropped["reason"] == TAKEN_DOWN),
    )
    inverted, least = (
        int((kept["inversion_rate"] > arguments.config.min_inversion).sum()),
        arguments.config.min_inversion,
    )
    return Made(
        rows=pairs,
        lines=[f"{quantity(len(results), 'result')} for {quantity(len(sentences), 'sentence')}",
               f"{quantity(inverted, 'pair')} with an inversion rate above {least}"],
        rejects=rejects, why=REASONS, beside=[(GeneratedTexts, texts, {"generator": part}), *measures],
    )  # fmt: skip
