"""From sentences to labels that rest on several campaigns: what came out of each step, and what was dropped there.

Nothing is estimated: every number is a count of rows in the tables. Source of the steps: Zhang et al. 2019 (PAWS),
section 3.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from analysis.datasets.ratings import read_ballots
from data.contract.stages import GENERATION
from data.contract.tables.campaign import Assignments
from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CORRECTED, JUDGED, RESTORED, RULE, SILVER, UNMATCHED, VOTING
from data.labelled.label_set import LabelSet, concerns
from data.recorded.plans import trace_back
from data.storage.store import Store

Step = dict[str, Any]
LEFT_OUT = "not_in_the_set"
"""Judged pairs that are in the set under no rule: the swaps themselves with `recombine --swaps none`, or pairs of
texts of which none was made from the other."""

DECIDED = {RULE: "by rule", RESTORED: "fixed back to the source", SILVER: "by how they were made"}


class DerivedFlow:
    """The steps of one set, in the form of `funnel.trace`."""

    def __init__(self, store: Store, label_set: LabelSet, config: Mapping[str, Any]) -> None:
        """Read all that the steps are counted from; `config`: what the set was made with."""
        self.config, self.scheme = config, label_set.store_scheme
        labels = store.read(Labels, further=False)
        own = (labels["campaign"] == label_set.campaign) & (labels["method"] == label_set.method)
        self.labels, self.judged = labels[own], labels[labels["method"] == config.get("method")]
        self.pairs = store.read(Pairs, ["generator", "pair_id", "selection"])
        rejects = store.read(Rejects)
        self.rejects = rejects[concerns(rejects, config.get("method"))]
        plans = store.read(Campaigns, ["campaign", "at", "generator", "items_from"]).sort_values("at")
        self.plans = plans.drop_duplicates("campaign", keep="last").astype(object).set_index("campaign")
        self.sentences = store.read(Sentences, ["source"])["source"]
        self.assigned = store.read(Assignments, ["campaign", "pair_id", "kind"])
        self.splits = store.read(Splits, scheme=self.scheme)
        self.states = {name: read_ballots(store, name)["state"] for name in config.get("campaigns", [])}

    def steps(self) -> Iterator[Step]:
        """The sentences, for each chain of campaigns its candidates, corrections and judgements, then the set."""
        if len(self.sentences):
            details = {f"from {source}": int(n) for source, n in self.sentences.value_counts().items()}
            rejects = self._rejected("generation.sentences")
            yield _step("sentences", Sentences, (len(self.sentences), "source sentences"), details, rejects)
        offered = set[str]()
        taken = self.plans["items_from"].dropna()
        earlier = dict(zip(taken.index, taken, strict=True))
        for chain in (trace_back(earlier, str(campaign)) for campaign in self.config.get("campaigns", [])):
            generator = str(self.plans.at[chain[0], "generator"]) if chain[0] in self.plans.index else ""
            if generator and generator not in offered:
                yield self._offered(generator)
            offered |= {generator}
            yield from (self._corrected(*links) for links in pairwise(chain))
            yield self._judged(chain[-1])
        yield from map(self._offered, self.config.get("generators", []))
        yield from self._derived()

    def _rejected(self, stage: str, part: str | None = None) -> "pd.Series[str]":
        """The reasons of the rejects of the stage, of all parts or of this one."""
        own = self.rejects[self.rejects["stage"] == stage]
        return own["reason"] if part is None else own.loc[own["part"] == part, "reason"]

    def _generated(self, generator: str) -> pd.DataFrame:
        """What the command dropped that made the generator's pairs."""
        return self.rejects[self.rejects["stage"].isin(GENERATION) & (self.rejects["part"] == generator)]

    def _offered(self, generator: str) -> Step:
        """The pairs of a generator, and what its command dropped."""
        n_pairs = int((self.pairs["generator"] == generator).sum())
        rejects = self._generated(generator)["reason"]
        return _step(f"candidates of {generator}", Pairs, (n_pairs, "candidate pairs"), rejects=rejects)

    def _corrected(self, campaign: str, following: str) -> Step:
        """What correctors were given and kept, as the campaign that takes its items from them has it."""
        chosen = self.pairs.loc[self.pairs["generator"] == self.plans.at[following, "generator"], "selection"]
        fixed = int((chosen == CORRECTED).sum())
        details = {"given to correctors": self._given(campaign), "as they were": len(chosen) - fixed, "fixed": fixed}
        rejects = self._rejected("annotation.plan", following)
        return _step(f"corrected in {campaign}", Pairs, (len(chosen), "pairs go on"), details, rejects)

    def _judged(self, campaign: str) -> Step:
        """What raters were given, and the labels that enough of them agree on."""
        labels = self.judged[self.judged["campaign"] == campaign]
        kept = labels.dropna(subset="binary")
        yes = int((kept["binary"] == 1).sum())
        ratings = int((self.states[campaign] == "scored").sum())
        details = {"given to raters": self._given(campaign), "ratings": ratings, "paraphrases": yes,
                   "other pairs": len(kept) - yes}  # fmt: skip
        undecided = labels.loc[labels["binary"].isna(), "decided_by"]
        rejects = pd.concat([undecided, self._rejected("annotation.adjudicate", campaign)])
        return _step(f"judged in {campaign}", Labels, (len(kept), "pairs with a label"), details, rejects)

    def _given(self, campaign: str) -> int:
        rows = self.assigned[self.assigned["campaign"] == campaign]
        return int(rows.loc[rows["kind"].isin(VOTING), "pair_id"].nunique())

    def _derived(self) -> Iterator[Step]:
        """The pairs that were made by rule, and the set."""
        own = self._generated(self.config.get("name", ""))
        unmatched = own[own["reason"] == UNMATCHED]
        decided = pd.concat([self.labels["decided_by"], unmatched["detail"]]).value_counts()
        made = {DECIDED.get(str(name), str(name)): int(n) for name, n in decided.items() if name != JUDGED}
        others = own.loc[own["reason"] != UNMATCHED, "reason"]
        unit = "pairs made from judged ones" if self.config.get("campaigns") else "pairs without a judgement"
        yield _step("made by rule", Pairs, (sum(made.values()), unit), made, others)
        yes = int((self.labels["binary"] == 1).sum())
        details = {"paraphrases": yes, "other pairs": int((self.labels["binary"] == 0).sum())}
        left_out = pd.Series([LEFT_OUT] * self._count_left_out(unmatched), dtype="str")
        rejects = pd.concat([unmatched["reason"], left_out])
        yield _step("labelled", Labels, (len(self.labels), "labelled pairs"), details, rejects)
        splits = self.splits[self.splits["pair_id"].isin(self.labels["pair_id"])]
        parts = {str(split): int(n) for split, n in splits["split"].value_counts().items()}
        groups = {"groups": int(splits["group"].nunique())}
        yield _step("split", Splits, (len(splits), "pairs in a split"), groups | parts,
                    self._rejected(f"analysis.splits.{self.scheme}"))  # fmt: skip

    def _count_left_out(self, unmatched: pd.DataFrame) -> int:
        judged = self.judged[self.judged["campaign"].isin(self.config.get("campaigns", []))].dropna(subset="binary")
        return len({*judged["pair_id"]} - {*self.labels["pair_id"], *unmatched["id"]})


def _step(
    name: str,
    table: type[Any],
    count: tuple[int, str],
    details: dict[str, int] | None = None,
    rejects: "pd.Series[str] | None" = None,
) -> Step:
    counts = {} if rejects is None else rejects.value_counts().to_dict()
    return {
        "step": name,
        "table": table.table_name(),
        "rows": count[0],
        "unit": count[1],
        "details": details or {},
        "rejects": {str(reason): int(n) for reason, n in counts.items()},
    }
