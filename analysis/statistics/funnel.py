"""From papers to splits, or from sentences to labels that rest on several campaigns: what came out of each stage.

And what was dropped there, and why. Nothing is estimated: every number is a count of rows in the tables. Source of the
steps of several campaigns: Zhang et al. 2019 (PAWS), section 3.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import pandas as pd

from analysis.datasets.ratings import Rated
from analysis.statistics.wording import name_sides
from data.console.messages import quantity
from data.contract.stages import GENERATION, STAGES, UNREAD, concerns, name_stage, stage_of
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.contract.vocabulary import CORRECTED, JUDGED, RESTORED, RULE, SILVER, UNANIMOUS, UNMATCHED, VOTING
from data.grouping import entities
from data.labelled.dataset import Dataset
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import columns
from data.recorded.cards import latest_cards
from data.storage.store import Store

Step = dict[str, Any]
Counts = dict[str, int]
_SHOWN = 20
"""Files without a card that are named."""


def trace(
    store: Store, label_set: LabelSet, dataset: Dataset, base: Mapping[str, Any], rated: Mapping[str, Rated]
) -> list[Step]:
    """One entry per stage, in order: step, table, rows, unit, details, rejects.

    `rows`: how many go on to the next stage; `details` and `rejects` (by reason): numbers by name. Rejects of no known
    stage come last, one entry per name under which they are stored. The steps of a set whose labels rest on other
    campaigns (`base`, see `ratings.base_config`) are theirs. `rated`: what was asked and answered in the campaign, or
    in those.
    """
    if base:
        return [*DerivedFlow(store, label_set, dataset, base, rated).steps()]
    every = rated[label_set.campaign].every
    rejects = store.read(Rejects, columns=["stage", "part", "id", "reason", "method", "control"])
    unread = rejects["stage"] == UNREAD
    dropped = rejects[~unread & concerns(rejects, label_set.method)]
    names = [_step_of(*named, label_set) for named in zip(dropped["stage"], dropped["part"], strict=True)]
    reasons = dropped["reason"].groupby(pd.Series(names, dropped.index, dtype="str"))
    by_step = {str(name): some for name, some in reasons}
    steps = list[Step]()
    for stage in STAGES:
        if stage.in_flow:
            rows, details = COUNTERS[stage.name](store, dataset, every)
            step = _step(stage.name, stage.table, (rows, stage.unit), details, by_step.pop(stage.name, None))
            if stage.table is Cards and unread.any():
                steps.append(_decks(rejects[unread], details["sets"]))
            steps.append(step)
    others = sorted(by_step.keys() - {stage.name for stage in STAGES} - {""})
    return steps + [_step(name, Rejects, (0, "rows known to have come out"), {}, by_step[name]) for name in others]


def _decks(pages: pd.DataFrame, n_sets: int) -> Step:
    """The step before the cards, where pages or files gave none: these are no cards that were dropped."""
    unread = pages.loc[~pages["id"].str.contains("#", regex=False), "id"]
    files = sorted(unquote(address.removeprefix("file:")) for address in unread if address.startswith("file:"))
    more = {"further files not read": len(files) - _SHOWN} if len(files) > _SHOWN else {}
    details = {"not read": len(unread)} | {f"not read: {name}": 1 for name in files[:_SHOWN]} | more
    return _step("decks", Cards, (n_sets, "decks with a card that was kept"), details, pages["reason"])


def _step_of(rejected_by: str, part: str, label_set: LabelSet) -> str:
    """The stage of these rejects, or their name if it is unknown; empty for another campaign's."""
    stage = stage_of(rejected_by)
    if stage is None:
        return name_stage(rejected_by, part)
    parts = {"campaign": label_set.campaign, "scheme": label_set.store_scheme}
    return stage.name if stage.part is None or part in ("", parts[stage.part]) else ""


def _terms(store: Store, *_: Any) -> tuple[int, Counts]:
    terms = store.read(Terms, columns=["term", "canonical", "documents"])
    papers = terms["documents"].max()
    return len(terms), {"entities": terms["canonical"].nunique()} | ({} if pd.isna(papers) else {"papers": int(papers)})


def _cards(store: Store, *_: Any) -> tuple[int, Counts]:
    cards = store.read(Cards, columns=["card_id", "source", "set_id", "url", "body_sha256", "fetched_at"])
    distinct = latest_cards(cards)
    sources = {f"from {source}": int(n) for source, n in distinct["source"].value_counts().items()}
    sets = len(distinct[["source", "set_id"]].drop_duplicates())
    return len(distinct), {"sets": sets, "fetches": len(cards)} | sources


def _accepted(store: Store, *_: Any) -> tuple[int, Counts]:
    return len(store.distinct(Sightings, "card_id")), {}


def _definitions(store: Store, *_: Any) -> tuple[int, Counts]:
    definitions = store.read(Definitions, columns=["definition_id", "entity", "n_cards"])
    return len(definitions), {
        "entities": definitions["entity"].nunique(),
        "found on several cards": int((definitions["n_cards"] > 1).sum()),
    }


def _pairs(_: Store, dataset: Dataset, __: pd.DataFrame) -> tuple[int, Counts]:
    pairs = dataset.tables["pairs"]
    generators = {f"by {generator}": int(n) for generator, n in pairs["generator"].value_counts().items()}
    used = pd.concat([pairs["first_id"], pairs["second_id"]]).nunique()
    return pairs["pair_id"].nunique(), {
        "entities": entities.each(pairs).nunique(),
        "definitions used": used,
    } | generators


def _assigned(_: Store, __: Dataset, every: pd.DataFrame) -> tuple[int, Counts]:
    rounds = {f"in round {number}": int(n) for number, n in every["round"].value_counts().sort_index().items()}
    people = {"pairs": every["pair_id"].nunique(), "annotators": every["annotator"].nunique()}
    return len(every), people | rounds


def _rated(_: Store, __: Dataset, every: pd.DataFrame) -> tuple[int, Counts]:
    states = every["state"].value_counts()
    scored = every["state"] == "scored"
    return int(scored.sum()), {
        "replaced later": int((scored & every["replaced_in"].notna()).sum()),
        "flag in place of a score": int(states.get("flagged", 0)),
        "skipped": int(states.get("skipped", 0)),
    }


def _labelled(_: Store, dataset: Dataset, __: pd.DataFrame) -> tuple[int, Counts]:
    labels = dataset.tables["labels"]
    labels = labels[~labels["further"]]
    agreed = labels.loc[labels["stratum"] == UNANIMOUS, "n_votes"].value_counts().sort_index()
    called = name_sides(dataset.question)
    return len(labels), {
        called.are_yes: int((labels["binary"] == 1).sum()),
        called.are_no: int((labels["binary"] == 0).sum()),
    } | {
        f"unanimous in {quantity(n_votes, 'vote')}": n
        for n_votes, n in zip(agreed.index.tolist(), agreed.tolist(), strict=True)
    }


def _split(_: Store, dataset: Dataset, __: pd.DataFrame) -> tuple[int, Counts]:
    splits = dataset.tables["splits"]
    parts = {str(split): int(n) for split, n in splits["split"].value_counts().items()}
    return len(splits), {"groups": splits["group"].nunique()} | parts


COUNTERS: dict[str, Callable[[Store, Dataset, pd.DataFrame], tuple[int, Counts]]] = {
    "terms": _terms,
    "cards": _cards,
    "accepted": _accepted,
    "definitions": _definitions,
    "pairs": _pairs,
    "assigned": _assigned,
    "rated": _rated,
    "labelled": _labelled,
    "split": _split,
}
"""How the rows of each stage in the flow are counted: of a store, its data set, and the campaign's ballots."""


LEFT_OUT = "not_in_the_set"
"""Judged pairs that are in the set under no rule: the swaps themselves with `recombine --swaps none`, or pairs of
texts of which none was made from the other."""

DECIDED = {RULE: "by rule", RESTORED: "fixed back to the source", SILVER: "by how they were made"}


class DerivedFlow:
    """The steps of one set, in the form of `trace`."""

    def __init__(
        self,
        store: Store,
        label_set: LabelSet,
        dataset: Dataset,
        config: Mapping[str, Any],
        rated: Mapping[str, Rated],
    ) -> None:
        """Read all that the steps are counted from; `config`: what the set was made with."""
        self.config, self.scheme, self.plans = config, label_set.store_scheme, dataset.plans
        self.campaigns = [str(name) for name in config.get("campaigns", [])]
        own, self.pairs, self.splits = (dataset.tables[name] for name in ("labels", "pairs", "splits"))
        self.labels = own[~own["further"]]
        self.judged = store.read(Labels, method=config.get("method", ""), further=False)
        rejects = store.read(Rejects)
        self.rejects = rejects[concerns(rejects, config.get("method"))]
        self.sentences = store.read(Sentences, ["source"])["source"]
        self.rated = rated

    def steps(self) -> Iterator[Step]:
        """The sentences, for each chain of campaigns its candidates, corrections and judgements, then the set."""
        if len(self.sentences):
            details = {f"from {source}": int(n) for source, n in self.sentences.value_counts().items()}
            rejects = self._rejected("generation.sentences")
            yield _step("sentences", Sentences, (len(self.sentences), "source sentences"), details, rejects)
        offered = set[str]()
        for chain in map(self.plans.chain, self.campaigns):
            generator = self._generator_of(chain[0])
            if generator and generator not in offered:
                yield self._offered(generator)
            offered |= {generator}
            yield from (self._corrected(*links) for links in pairwise(chain))
            yield self._judged(chain[-1])
        yield from map(self._offered, self.config.get("generators", []))
        yield from self._derived()

    def _generator_of(self, campaign: str) -> str:
        return str(self.plans.latest.get(campaign, {}).get("generator", ""))

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
        chosen = self.pairs.loc[self.pairs["generator"] == self._generator_of(following), "selection"]
        fixed = int((chosen == CORRECTED).sum())
        details = {"given to correctors": self._given(campaign), "as they were": len(chosen) - fixed, "fixed": fixed}
        rejects = self._rejected("annotation.plan", following)
        return _step(f"corrected in {campaign}", Pairs, (len(chosen), "pairs go on"), details, rejects)

    def _judged(self, campaign: str) -> Step:
        """What raters were given, and the labels that enough of them agree on."""
        labels = self.judged[self.judged["campaign"] == campaign]
        kept = labels.dropna(subset="binary")
        yes = int((kept["binary"] == 1).sum())
        ratings = int((self.rated[campaign].every["state"] == "scored").sum())
        details = {"given to raters": self._given(campaign), "ratings": ratings, "paraphrases": yes,
                   "other pairs": len(kept) - yes}  # fmt: skip
        undecided = labels.loc[labels["binary"].isna(), "decided_by"]
        rejects = pd.concat([undecided, self._rejected("annotation.adjudicate", campaign)])
        return _step(f"judged in {campaign}", Labels, (len(kept), "pairs with a label"), details, rejects)

    def _given(self, campaign: str) -> int:
        rows = self.rated[campaign].assigned
        return int(rows.loc[rows["kind"].isin(VOTING), "pair_id"].nunique())

    def _derived(self) -> Iterator[Step]:
        """The pairs that were made by rule, and the set."""
        own = self._generated(self.config.get("name", ""))
        unmatched = own[own["reason"] == UNMATCHED]
        decided = pd.concat([self.labels["decided_by"], unmatched["detail"]]).value_counts()
        made = {DECIDED.get(str(name), str(name)): int(n) for name, n in decided.items() if name != JUDGED}
        others = own.loc[own["reason"] != UNMATCHED, "reason"]
        unit = "pairs made from judged ones" if self.campaigns else "pairs without a judgement"
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
        judged = self.judged[self.judged["campaign"].isin(self.campaigns)].dropna(subset="binary")
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


def tabulate(steps: list[dict[str, Any]]) -> pd.DataFrame:
    """The stages as a release's table `flow`: one row per number."""
    rows = [
        (step["step"], step["unit"], what, name, n)
        for step in steps
        for what, numbers in (("rows", {"": step["rows"]}), ("detail", step["details"]), ("reject", step["rejects"]))
        for name, n in numbers.items()
    ]
    return pd.DataFrame(rows, columns=columns("flow"))


def list_flow(flow: pd.DataFrame) -> list[dict[str, Any]]:
    """The stages of a release's table `flow` in order: step, unit, rows, details, rejects (see `trace`)."""
    return [
        {
            "step": str(step),
            "unit": str(some["unit"].iloc[0]),
            "rows": int(some.loc[some["what"] == "rows", "n"].iloc[0]),
            **{
                f"{what}s": {str(name): int(n) for name, n in some.loc[some["what"] == what, ["name", "n"]].to_numpy()}
                for what in ("detail", "reject")
            },
        }
        for step, some in flow.groupby("step", sort=False)
    ]
