"""An attack in a store: attempts, texts, pairs, measures, inherited labels, and the model's scores before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from data.contract.rows import label_rows, measure_rows, pair_rows, text_rows
from data.contract.tables.attacks import Attacks
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Runs
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FOOLED, INHERITED, OF_ATTACKS, ORIGINAL, RESISTED, SHARED_WORDS
from data.grouping.entities import ENTITIES, of_side
from data.grouping.groups import group
from data.labelled.dataset import no_parents
from data.labelled.label_set import LabelSet
from data.models.runs import add_scores, record
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import pair_id, text_id
from data.texts.languages.base import Language
from data.texts.similarity import jaccard

DROP = "score_drop"
"""The measure: by how much P(right label) fell."""


def complete(attempts: pd.DataFrame, originals: pd.DataFrame, facts: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the table `attacks`: attempts beside their originals; `facts`: columns that all rows share."""
    rows = originals.rename(columns={"pair_id": "original_id"}).merge(attempts, on="original_id", validate="one_to_one")
    rows["parents"] = [
        list(parents) or [original] for parents, original in zip(rows["parents"], rows["original_id"], strict=True)
    ]
    for side in ("first", "second"):
        entities = [None if pd.isna(entity) else entity for entity in of_side(rows, side)]
        rows[f"new_{side}_id"] = [
            text_id(text, entity) for text, entity in zip(rows[f"new_{side}"], entities, strict=True)
        ]
    ids = [pair_id(*sides) for sides in zip(rows["new_first_id"], rows["new_second_id"], strict=True)]
    rows["pair_id"] = pd.Series(ids, dtype="object").where(rows["n_steps"] > 0, None)
    return rows.assign(**facts)


def list_pairs(attempts: pd.DataFrame, language: Language) -> pd.DataFrame:
    """The rows of the table `pairs` of an attack (rows of `complete`): originals, then modified pairs, each once."""
    originals = attempts.assign(
        pair_id=attempts["original_id"],
        selection=ORIGINAL,
        parents=attempts["parents"].where(attempts["label"] == 0, no_parents(len(attempts)).set_axis(attempts.index)),
    )
    modified = attempts[attempts["pair_id"].notna()]
    modified = modified.assign(
        selection=modified["outcome"].where(modified["outcome"] == FOOLED, RESISTED),
        detail=modified["outcome"].where(modified["outcome"] != FOOLED, None),
        **{name: modified[f"new_{name}"] for name in ("first", "second", "first_id", "second_id")},
    )
    rows = pd.concat([originals, modified]).drop_duplicates("pair_id", ignore_index=True)
    swapped = rows["first_id"] > rows["second_id"]
    for one, other in (("first", "second"), ("first_id", "second_id")):
        rows[one], rows[other] = rows[one].where(~swapped, rows[other]), rows[other].where(~swapped, rows[one])
    two = swapped & rows["second_entity"].notna()
    entities = {one: rows[one].where(~two, rows[other]) for one, other in (ENTITIES, ENTITIES[::-1])}
    overlap = jaccard(rows["first"].tolist(), rows["second"].tolist(), language)
    return pair_rows(rows, generator=rows["attack"], overlap=overlap, **entities)


def choose_review(pairs: pd.DataFrame, labels: "pd.Series[int]", n: int, seed: int) -> pd.DataFrame:
    """At most n pairs that misled the model and n originals, drawn at random: rows of `list_pairs`.

    Both labels in turn as long as there are pairs of both (Shi and Huang 2020, section 4.4: balanced labels);
    `labels`: by pair_id. They have a generator of their own, so that a campaign can ask about them alone.
    """
    shuffled = pairs.sample(frac=1, random_state=seed)
    turn = shuffled.groupby(["selection", shuffled["pair_id"].map(labels)]).cumcount()
    shuffled = shuffled.iloc[turn.to_numpy().argsort(kind="stable")]
    drawn = [shuffled[shuffled["selection"] == kind].head(n) for kind in (FOOLED, ORIGINAL)]
    rows = pd.concat(drawn, ignore_index=True)
    return rows.assign(generator=rows["generator"].map(name_review), sample_of=rows["generator"], rank=range(len(rows)))


def name_review(attack: str) -> str:
    """The generator of the sample of an attack's pairs that people are asked about."""
    return f"{attack}-review"


def list_texts(attempts: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `generated_texts`: the new texts, each once."""
    modified = attempts[attempts["pair_id"].notna()]
    sides = [
        text_rows(
            modified[[]],
            generator=modified["attack"],
            text_id=modified[f"new_{side}_id"],
            text=modified[f"new_{side}"],
            entity=of_side(modified, side),
            source_id=modified[f"{side}_id"],
            method=SHARED_WORDS,
            model=modified["mlm"] + " " + modified["mlm_sha256"],
            steps=pd.Series([list(map(_tell, edits)) for edits in modified["edits"]], modified.index, dtype="object"),
        )
        for side in ("first", "second")
    ]
    return pd.concat(sides).drop_duplicates("text_id", ignore_index=True)


def _tell(edit: Mapping[str, Any]) -> str:
    """An entry of `attacks.edits` for readers."""
    old = " | ".join(dict.fromkeys((edit["old_first"], edit["old_second"])))
    return f"{old} > {edit['word']}"


def list_labels(pairs: pd.DataFrame, attempts: pd.DataFrame, campaign: str) -> pd.DataFrame:
    """The labels that the pairs inherit: rows of the table `labels`, with no votes."""
    before = attempts[["original_id", "label"]].set_axis(["pair_id", "label"], axis="columns")
    ids = pd.concat([before, attempts[["pair_id", "label"]]])
    rows = pairs[["pair_id"]].merge(ids.drop_duplicates("pair_id"), on="pair_id")
    labels = rows.rename(columns={"label": "binary"})
    return label_rows(labels, campaign=campaign, method=INHERITED, decided_by=SHARED_WORDS)


def list_scores(attempts: pd.DataFrame) -> "pd.Series[float]":
    """The model's scores by pair_id: of the originals and of the modified pairs."""
    before = attempts.set_index("original_id")["score_before"]
    modified = attempts[attempts["pair_id"].notna()]
    scores: pd.Series[float] = pd.concat([before, modified.set_index("pair_id")["score_after"]]).astype("float64")
    return scores[~scores.index.duplicated()].dropna()


def list_drops(attempts: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `pair_measures`: by how much P(right label) fell."""
    modified = attempts[attempts["pair_id"].notna()].drop_duplicates("pair_id")
    sign = modified["label"].map({1: 1.0, 0: -1.0})
    drops = sign * (modified["score_before"].astype("float64") - modified["score_after"].astype("float64"))
    return measure_rows(
        modified[["pair_id"]],
        generator=modified["attack"],
        measure=DROP,
        value=drops,
        model_sha256=modified["target_sha256"],
    )


@dataclass(frozen=True, kw_only=True)
class Record:
    """An attack to be written to a store."""

    attack: str
    attempts: pd.DataFrame
    """Rows of `complete`."""
    label_set: LabelSet
    language: Language
    manifest: Manifest
    model: Mapping[str, Any]
    """What `data.models.runs.record` asks of a run that is in no table yet."""
    split: str
    """The split of all originals, and so of all pairs."""
    n_review: int
    """Modified pairs, and originals, that a campaign asks about; 0: none."""

    def write(self, store: Store) -> None:
        """Replace what an earlier attack of this name wrote."""
        pairs = list_pairs(self.attempts, self.language)
        campaign = self.label_set.campaigns[-1]
        labels = list_labels(pairs, self.attempts, campaign)
        others = store.read(Labels, campaign=campaign, method=INHERITED, further=False)
        others = others[~others["pair_id"].isin([*self._list_former(store), *pairs["pair_id"]])]
        scope = {"campaign": campaign, "method": INHERITED}
        attempts = self.attempts[list(Attacks.columns())]
        store.replace(Attacks, attempts, self.manifest, attack=self.attack)
        store.replace(GeneratedTexts, list_texts(self.attempts), self.manifest, generator=self.attack)
        store.replace(Pairs, pairs, self.manifest, generator=self.attack)
        if self.n_review:
            review = choose_review(pairs, labels.set_index("pair_id")["binary"], self.n_review, self.manifest.seed or 0)
            store.replace(Pairs, review, self.manifest, generator=name_review(self.attack))
        store.replace(PairMeasures, list_drops(self.attempts), self.manifest, generator=self.attack, measure=DROP)
        store.replace(Labels, pd.concat([others, labels], ignore_index=True), self.manifest, **scope)
        self._write_splits(store, pairs["pair_id"])
        self._write_scores(store)

    def _list_former(self, store: Store) -> set[str]:
        """The pairs of an earlier attack of this name that belong to no other attack and to no review that stays."""
        pairs = store.read(Pairs, ["pair_id", "generator", "selection", "sample_of"])
        pairs = pairs[pairs["selection"].isin(OF_ATTACKS)]
        own = pairs["generator"] == self.attack
        if self.n_review:
            own |= (pairs["sample_of"] == self.attack).fillna(False)
        return set(pairs.loc[own, "pair_id"]) - set(pairs.loc[~own, "pair_id"])

    def _write_splits(self, store: Store, own: "pd.Series[str]") -> None:
        """Write the split of this attack's pairs beside other attacks', where no other stage has dealt one."""
        scheme = self.label_set.store_scheme
        last = store.manifest(Splits, scheme=scheme)
        if last is not None and last["stage"] != self.manifest.stage:
            return
        known = store.read(Splits, scheme=scheme).set_index("pair_id")["split"]
        pairs = store.read(Pairs).drop_duplicates("pair_id", ignore_index=True)
        splits = pairs["pair_id"].map(known).astype("object").mask(pairs["pair_id"].isin(own), self.split)
        groups = group(pairs, language=self.language)
        rows = pairs[["pair_id"]].assign(scheme=scheme, split=splits, group=groups)[splits.notna()]
        store.replace(Splits, rows.reset_index(drop=True), self.manifest, scheme=scheme)

    def _write_scores(self, store: Store) -> None:
        """Add the scores to the model's latest run; a model without one gets a run."""
        scores = list_scores(self.attempts)
        runs = store.read(Runs)
        digests = runs["artefact_sha256"]
        named = digests.isna() & (runs["model"] == self.model["model"])  # a function, or a model behind an address
        runs = runs[(digests == self.model["artefact_sha256"]) | named]
        if runs.empty:
            record(store, self.model, scores, self.manifest.stage)
            return
        add_scores(store, str(runs.sort_values(["at", "run_id"])["run_id"].iloc[-1]), scores, self.manifest)
