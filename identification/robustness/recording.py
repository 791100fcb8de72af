"""An attack in a store: attempts, texts, pairs, measures, inherited labels, and the model's scores before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from data.contract.tables.attacks import Attacks
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FOOLED, INHERITED, ORIGINAL, REVIEW, UNANIMOUS
from data.grouping.groups import group
from data.labelled.frame import no_parents
from data.labelled.label_set import LabelSet
from data.models.runs import record
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import entities_of, entity_of, join_entities, pair_id, text_id
from data.texts.languages.base import Language
from data.texts.similarity import jaccard
from data.texts.words import count_words

SHARED_WORDS = "shared-words"
"""The method of the texts, what decided their labels, and how `chosen_by` begins."""
DROP = "score_drop"
"""The measure: by how much P(right label) fell."""


def complete(attempts: pd.DataFrame, originals: pd.DataFrame, facts: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the table `attacks`: attempts beside their originals; `facts`: columns that all rows share."""
    rows = originals.rename(columns={"pair_id": "original_id"}).merge(attempts, on="original_id", validate="one_to_one")
    rows["parents"] = [
        list(parents) or [original] for parents, original in zip(rows["parents"], rows["original_id"], strict=True)
    ]
    for side in ("first", "second"):
        entities = [None if pd.isna(entity) else entity_of(entity, side) for entity in rows["entity"]]
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
        chosen_by=f"{SHARED_WORDS}:{ORIGINAL}",
        parents=attempts["parents"].where(attempts["label"] == 0, no_parents(len(attempts)).set_axis(attempts.index)),
    )
    modified = attempts[attempts["pair_id"].notna()]
    modified = modified.assign(
        chosen_by=f"{SHARED_WORDS}:" + modified["outcome"],
        **{name: modified[f"new_{name}"] for name in ("first", "second", "first_id", "second_id")},
    )
    rows = pd.concat([originals, modified]).drop_duplicates("pair_id", ignore_index=True)
    swapped = rows["first_id"] > rows["second_id"]
    for one, other in (("first", "second"), ("first_id", "second_id")):
        rows[one], rows[other] = rows[one].where(~swapped, rows[other]), rows[other].where(~swapped, rows[one])
    entities = rows["entity"].where(~swapped, rows["entity"].map(_swap_entities, na_action="ignore"))
    overlap = jaccard(rows["first"].tolist(), rows["second"].tolist(), language)
    return rows.assign(
        generator=rows["attack"],
        entity=entities,
        cluster=None,
        similarity=None,
        overlap=overlap,
        rank=range(len(rows)),
    )[list(Pairs.to_schema().columns)]


def choose_review(pairs: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n pairs that misled the model and n originals, drawn at random: rows of `list_pairs`.

    Their generator is the attack's name and `-review`, so that a campaign can ask about them alone.
    """
    kinds = (f"{SHARED_WORDS}:{FOOLED}", f"{SHARED_WORDS}:{ORIGINAL}")
    drawn = [pairs[pairs["chosen_by"] == kind].sample(frac=1, random_state=seed).head(n) for kind in kinds]
    rows = pd.concat(drawn, ignore_index=True)
    return rows.assign(generator=rows["generator"] + REVIEW, rank=range(len(rows)))


def _swap_entities(entity: str) -> str:
    names = entities_of(entity)
    return join_entities(names[-1], names[0])


def list_texts(attempts: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `generated_texts`: the new texts, each once."""
    modified = attempts[attempts["pair_id"].notna()]
    sides = [
        pd.DataFrame(
            {
                "generator": modified["attack"],
                "text_id": modified[f"new_{side}_id"],
                "text": modified[f"new_{side}"],
                "entity": [None if pd.isna(entity) else entity_of(entity, side) for entity in modified["entity"]],
                "n_words": [count_words(text) for text in modified[f"new_{side}"]],
                "source_id": modified[f"{side}_id"],
                "method": SHARED_WORDS,
                "model": modified["mlm"] + " " + modified["mlm_sha256"],
                "steps": modified["edits"],
                "log_score": pd.NA,
            }
        )
        for side in ("first", "second")
    ]
    return pd.concat(sides).drop_duplicates("text_id", ignore_index=True)


def list_labels(pairs: pd.DataFrame, attempts: pd.DataFrame, campaign: str) -> pd.DataFrame:
    """The labels that the pairs inherit: rows of the table `labels`, with no votes."""
    before = attempts[["original_id", "label"]].set_axis(["pair_id", "label"], axis="columns")
    ids = pd.concat([before, attempts[["pair_id", "label"]]])
    rows = pairs[["pair_id"]].merge(ids.drop_duplicates("pair_id"), on="pair_id")
    return pd.DataFrame(
        {
            "campaign": campaign,
            "method": INHERITED,
            "pair_id": rows["pair_id"],
            "control": None,
            "value": None,
            "votes": 0,
            "n_votes": 0,
            "binary": rows["label"],
            "scores": [[]] * len(rows),
            "posterior": pd.NA,
            "stratum": UNANIMOUS,
            "decided_by": SHARED_WORDS,
        }
    )


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
    return pd.DataFrame(
        {
            "generator": modified["attack"],
            "measure": DROP,
            "pair_id": modified["pair_id"],
            "value": sign * (modified["score_before"].astype("float64") - modified["score_after"].astype("float64")),
            "model_sha256": modified["target_sha256"],
        }
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
        others = store.read(Labels, campaign=campaign, method=INHERITED)
        others = others[~others["pair_id"].isin([*self._list_former(store), *pairs["pair_id"]])]
        scope = {"campaign": campaign, "method": INHERITED}
        attempts = self.attempts[list(Attacks.to_schema().columns)]
        store.replace(Attacks, attempts, self.manifest, attack=self.attack)
        store.replace(GeneratedTexts, list_texts(self.attempts), self.manifest, generator=self.attack)
        store.replace(Pairs, pairs, self.manifest, generator=self.attack)
        if self.n_review:
            review = choose_review(pairs, self.n_review, self.manifest.seed or 0)
            store.replace(Pairs, review, self.manifest, generator=self.attack + REVIEW)
        store.replace(PairMeasures, list_drops(self.attempts), self.manifest, generator=self.attack, measure=DROP)
        store.replace(Labels, pd.concat([others, labels], ignore_index=True), self.manifest, **scope)
        self._write_splits(store, pairs["pair_id"])
        self._write_scores(store)

    def _list_former(self, store: Store) -> set[str]:
        """The pairs of an earlier attack of this name that stand under no other attack, nor in a review that stays."""
        pairs = store.read(Pairs, ["pair_id", "generator"])
        own = {self.attack, *([self.attack + REVIEW] if self.n_review else [])}
        attacks = store.read(Attacks, ["attack"])["attack"].unique()
        others = {f"{name}{end}" for name in attacks for end in ("", REVIEW)} - own
        former, staying = (pairs.loc[pairs["generator"].isin(names), "pair_id"] for names in (own, others))
        return set(former) - set(staying)

    def _write_splits(self, store: Store, own: "pd.Series[str]") -> None:
        """Write the split of this attack's pairs beside those of others, where no other stage has dealt one."""
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
        """Add the scores to those of the model's latest run; a model without one gets a run."""
        scores = list_scores(self.attempts)
        runs = store.read(Runs)
        digests = runs["artefact_sha256"]
        named = digests.isna() & (runs["model"] == self.model["model"])  # a function, or a model behind an address
        runs = runs[(digests == self.model["artefact_sha256"]) | named]
        if runs.empty:
            record(store, self.model, scores, self.manifest.stage)
            return
        run_id = str(runs.sort_values(["at", "run_id"])["run_id"].iloc[-1])
        known = store.read(Predictions, run_id=run_id)
        new = scores.rename_axis("pair_id").rename("score").reset_index().assign(run_id=run_id)
        rows = pd.concat([known[~known["pair_id"].isin(new["pair_id"])], new], ignore_index=True)
        store.replace(Predictions, rows, self.manifest, run_id=run_id)
