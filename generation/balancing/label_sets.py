"""Sets of labels that are partly or wholly derived: what is read for them, and how they are written."""

from collections.abc import Mapping

import pandas as pd

from data.console.errors import TableError
from data.contract.rows import label_rows, measure_rows, pair_rows
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.grouping.entities import ENTITIES
from data.measures.raters import certainty
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.languages.base import Language
from data.texts.similarity import jaccard
from generation.back_translation.measures import bow_cosine, inversion_rate
from generation.balancing.recombination import trace_methods

TEXTS = ["pair_id", *ENTITIES, "first_id", "second_id", "first", "second"]


def with_ways(store: Store, pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs, once each, with `made`: how the second text was made from the first (`trace_methods`)."""
    once = pairs.drop_duplicates("pair_id", ignore_index=True)
    return once.assign(made=trace_methods(once, store.read(GeneratedTexts, ["text_id", "source_id", "method"])))


def read_judged(store: Store, campaigns: tuple[str, ...], method: str) -> pd.DataFrame:
    """The decided labels of the campaigns with their pairs' texts and `made`. Raises TableError where one has none."""
    frames = []
    for campaign in campaigns:
        labels = store.read(Labels, campaign=campaign, method=method, further=False).dropna(subset="binary")
        if labels.empty:
            raise TableError(
                f"{store.address}, table labels",
                expected=f"decided labels of campaign {campaign!r} by {method}",
                found="none",
                remedy=f"run `python -m annotation adjudicate --campaign {campaign} --store {store.address}` first",
            )
        frames.append(labels)
    unsaid = dict.fromkeys(("posterior", *certainty.COLUMNS))  # the votes are not the set's own
    labels = pd.concat(frames).drop_duplicates("pair_id").assign(**unsaid)
    pairs = with_ways(store, store.read(Pairs, [*TEXTS, "parents"]))
    return labels.merge(pairs, on="pair_id")


def derived_labels(pairs: pd.DataFrame, method: str) -> pd.DataFrame:
    """Rows of the table `labels`, without campaign, for pairs without votes: pair_id, binary, decided_by."""
    scores = pd.Series([[0, 0] for _ in range(len(pairs))], index=pairs.index, dtype="object")
    return label_rows(pairs[["pair_id", "binary", "decided_by"]], method=method, scores=scores)


def write_pairs(
    store: Store, made: pd.DataFrame, generator: str, manifest: Manifest, sample_of: str | None = None
) -> None:
    """Replace the generator's pairs; `made`: TEXTS, parents, `decided_by` and `ends`."""
    overlap = jaccard(made["first"].tolist(), made["second"].tolist(), followed(store, Pairs)).to_numpy()
    rows = pair_rows(
        made[[*TEXTS, "parents"]], generator=generator, overlap=overlap, selection=made["decided_by"],
        detail=made["ends"], sample_of=sample_of,
    )  # fmt: skip
    store.replace(Pairs, rows, manifest, generator=generator)


def write_labels(store: Store, labels: pd.DataFrame, campaign: str, manifest: Manifest) -> None:
    """Replace the labels of one method in the set's own campaign."""
    method = str(labels["method"].iloc[0])
    rows = labels[[name for name in Labels.arrow_schema().names if name != "campaign"]]
    store.replace(Labels, rows.assign(campaign=campaign), manifest, campaign=campaign, method=method)


def measure(pairs: pd.DataFrame, language: Language) -> pd.DataFrame:
    """How far the words of each pair and their order moved: one column per measure, by pair_id."""
    first, second = pairs["first"].tolist(), pairs["second"].tolist()
    cosines, rates = bow_cosine(first, second, language), inversion_rate(first, second, language)
    return pd.DataFrame({"bow_cosine": cosines, "inversion_rate": rates}).set_axis(pd.Index(pairs["pair_id"]))


def write_measures(
    store: Store, measures: pd.DataFrame, generator: str, manifest: Manifest, models: Mapping[str, str]
) -> None:
    """Replace the measures of all pairs of the set, by pair_id; `models`: measure -> digest of the model."""
    for name in measures.columns.astype(str):
        rows = pd.DataFrame({"pair_id": measures.index.to_numpy(object), "value": measures[name].to_list()})
        rows = measure_rows(rows, generator=generator, measure=name, model_sha256=models.get(name))
        store.replace(PairMeasures, rows, manifest, generator=generator, measure=name)
