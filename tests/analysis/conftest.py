"""A small campaign, written stage by stage into a store: five entities, twelve pairs, three annotators."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from analysis import release, splits
from annotation.questions.declarations import shipped_question
from data.console.commands import run
from data.contract.tables.campaign import Acceptances, Annotators, Assignments, Documents, Ratings
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.labels import Labels, Quality
from data.contract.tables.pairs import Pairs
from data.measures import ballots as votes
from data.measures.quality import measure
from data.measures.rules import MeasureRule
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id
from tests.plans import AT, plan

ENTITIES = {
    "hash table": ["a map from keys to buckets", "keys are sent to buckets by a function", "stores keys in buckets"],
    "data structure": ["a way to organise data", "organises data for quick use", "how data lies in memory"],
    "file system": ["names and stores files", "keeps files on a disk", "the part that manages a disk's files"],
    "web browser": ["shows pages of the web", "a program that gets and shows pages"],
    "graph theory": ["the study of graphs", "- studies points joined by edges"],
}
PEOPLE = ("a01", "a02", "a03")
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
CAMPAIGN = "main"

DEFINITIONS = pd.DataFrame(
    [(definition_id(entity, text), entity, text) for entity, texts in ENTITIES.items() for text in texts],
    columns=["definition_id", "entity", "text"],
)


def _pairs() -> pd.DataFrame:
    rows = [
        {"entity": entity, "first_id": a.definition_id, "second_id": b.definition_id, "first": a.text, "second": b.text}
        for entity, some in DEFINITIONS.groupby("entity")
        for a, b in combinations(some.itertuples(), 2)
    ]
    frame = pd.DataFrame(rows)
    frame["pair_id"] = [pair_id(a, b) for a, b in zip(frame["first_id"], frame["second_id"], strict=True)]
    return frame.assign(
        generator="paper",
        cluster=0,
        similarity=0.5,
        overlap=0.1,
        rank=0,
        selection="every-pair",
        parents=[[]] * len(frame),
    )


PAIRS = _pairs()
ASSIGNMENTS = pd.DataFrame(
    [
        {"pair_id": pair, "annotator": person, "assignment_id": f"{person}-{pair}", "position": position}
        for position, pair in enumerate(PAIRS["pair_id"])
        for person in PEOPLE
    ]
).assign(campaign=CAMPAIGN, round=1, flipped=False, kind="work", supersedes=pd.NA, at=START)


def scores() -> list[int]:
    """A score for each assignment: every pattern of votes occurs."""
    return [(3 * place + 2 * (place // 5)) % 4 for place in range(len(ASSIGNMENTS))]


def _labels() -> pd.DataFrame:
    ratings = ASSIGNMENTS.assign(score=scores())
    votes = (ratings["score"] >= 2).groupby(ratings["pair_id"]).sum()
    counts = {pair: [int((some == n).sum()) for n in range(4)] for pair, some in ratings.groupby("pair_id")["score"]}
    return pd.DataFrame(
        {
            "campaign": CAMPAIGN,
            "method": "majority",
            "pair_id": votes.index,
            "votes": votes.to_numpy(),
            "n_votes": len(PEOPLE),
            "binary": (votes.to_numpy() >= 2).astype(int),
            "scores": [counts[pair] for pair in votes.index],
            "posterior": pd.NA,
            "stratum": ["unanimous" if n in (0, 3) else "split" for n in votes],
            "decided_by": "majority",
        }
    )


def _manifest(stage: str, part: str = "") -> Manifest:
    return Manifest(stage=stage, part=part)


def _write_terms(store: Store) -> None:
    terms = pd.DataFrame({"term": list(ENTITIES), "document_frequency": 30, "documents": 1000})
    terms = terms.assign(canonical=terms["term"], variants=[[term] for term in terms["term"]])
    terms = terms.assign(recurrence=1.5, title_share=0.1, c_value=20.0, boundary=0.5, score=0.5)
    store.replace(Terms, terms, _manifest("crawler.terminology"))


def _write_cards(store: Store) -> None:
    cards = pd.DataFrame(
        {"card_id": "c-" + DEFINITIONS["definition_id"], "front": DEFINITIONS["entity"], "back": DEFINITIONS["text"]}
    ).assign(
        fetched_at=START, source="files", url="file:deck", set_id="s1", set_title="Deck", position=0, language="en"
    )
    cards = cards.assign(term=cards["front"], media=pd.NA, body_sha256="0", copied_from=pd.NA, licence_note=pd.NA)
    store.append(Cards, cards, _manifest("crawler", part="files"))
    dropped = pd.DataFrame({"id": ["x1", "x2"], "reason": "front_is_no_term", "detail": pd.NA})
    store.reject("crawler", dropped, _manifest("crawler", part="files"), part="files")


def _write_definitions(store: Store) -> None:
    definitions = DEFINITIONS.assign(n_words=DEFINITIONS["text"].str.split().str.len(), n_cards=1, n_sources=1)
    store.replace(Definitions, definitions, _manifest("crawler.definitions"))
    sightings = DEFINITIONS[["definition_id"]].assign(card_id="c-" + DEFINITIONS["definition_id"])
    store.replace(Sightings, sightings, _manifest("crawler.definitions"))
    dropped = pd.DataFrame(
        {"id": ["y1", "y2", "y3"], "reason": ["too_long", "too_long", "not_english"], "detail": pd.NA}
    )
    store.reject("crawler.definitions", dropped, _manifest("crawler.definitions"))


def _write_pairs(store: Store) -> None:
    store.replace(Pairs, PAIRS, _manifest("clustering"), generator="paper")


def _write_assignments(store: Store) -> None:
    people = pd.DataFrame({"annotator": PEOPLE, "role": ["expert", "expert", "simulated"]}).assign(
        campaign=CAMPAIGN, at=START, level="phd", areas=pd.NA, quota=pd.NA, state="active", guide_version="1"
    )
    store.append(Annotators, people.assign(consent_version=pd.NA), _manifest("annotation.plan", part=CAMPAIGN))
    papers = pd.DataFrame({"kind": ["consent", "consent", "guide"], "version": ["1", "2", "1"]})
    papers = papers.assign(campaign=CAMPAIGN, reference="", text="What this is about.", at=START)
    store.append(Documents, papers, _manifest("annotation.consent", part=CAMPAIGN))
    ticked = pd.DataFrame({"annotator": ["a01", "a01", "a02"], "version": ["1", "2", "1"]}).assign(campaign=CAMPAIGN)
    ticked = ticked.assign(kind="consent", at=[START + timedelta(minutes=n) for n in range(3)])
    store.append(Acceptances, ticked, _manifest("annotation.collect", part=CAMPAIGN))
    plan(store, generator="paper", at=AT - timedelta(days=1))
    store.append(Assignments, ASSIGNMENTS, _manifest("annotation.plan", part=CAMPAIGN))


def _write_ratings(store: Store) -> None:
    ratings = ASSIGNMENTS[["assignment_id"]].assign(
        submitted_at=START + timedelta(minutes=5), score=scores(), comment=pd.NA, seconds=20.0, skipped=False
    )
    ratings = ratings.assign(guide_version="1", flags=[[]] * len(ratings))
    store.append(Ratings, ratings, _manifest("annotation.collect", part=CAMPAIGN))


def write_measures(store: Store) -> None:
    """The table `quality`, as the ratings give it."""
    entities = store.read(Pairs).dropna(subset="entity").set_index("pair_id")["entity"].to_dict()
    ballots = votes.of_campaign(store.read(Assignments), store.read(Ratings), entities)
    quality = measure(ballots, None, shipped_question(), MeasureRule(), gold={}).assign(campaign=CAMPAIGN)
    store.replace(Quality, quality, _manifest("annotation.quality", part=CAMPAIGN), campaign=CAMPAIGN)


def _write_labels(store: Store) -> None:
    write_measures(store)
    store.replace(
        Labels, _labels(), _manifest("annotation.adjudicate", part=CAMPAIGN), campaign=CAMPAIGN, method="majority"
    )


STAGES: dict[str, Callable[[Store], None]] = {
    "terms": _write_terms,
    "cards": _write_cards,
    "definitions": _write_definitions,
    "pairs": _write_pairs,
    "assignments": _write_assignments,
    "ratings": _write_ratings,
    "labels": _write_labels,
}


@pytest.fixture
def stages(store: Store) -> Iterator[str]:
    """Write the stages of the campaign into `store` one at a time, yielding the name of each."""

    def write() -> Iterator[str]:
        for name, write_stage in STAGES.items():
            write_stage(store)
            yield name

    return write()


@pytest.fixture(scope="session")
def whole_campaign(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The whole campaign but for its splits, to read only: every test shares it."""
    store = Store(tmp_path_factory.mktemp("campaign") / "store")
    for write_stage in STAGES.values():
        write_stage(store)
    return store


@pytest.fixture
def campaign(whole_campaign: Store, store: Store) -> Store:
    """A copy of the whole campaign, to write to."""
    shutil.copytree(whole_campaign.root, store.root)
    return store


@pytest.fixture(scope="session")
def replaced(whole_campaign: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The campaign after a fourth annotator took over what the third one said, with the first one's scores."""
    store = Store(shutil.copytree(whole_campaign.root, tmp_path_factory.mktemp("replaced") / "store"))
    theirs, said = ASSIGNMENTS["annotator"] == "a03", ASSIGNMENTS.assign(score=scores())
    first = said[said["annotator"] == "a01"].set_index("pair_id")["score"]
    new = ASSIGNMENTS[theirs].assign(annotator="a04", round=2, supersedes=ASSIGNMENTS["assignment_id"])
    new["assignment_id"] = "a04-" + new["pair_id"]
    person = {"annotator": "a04", "role": "expert", "campaign": CAMPAIGN, "at": START, "level": "phd"}
    nothing = dict.fromkeys(("areas", "quota", "consent_version"), pd.NA)
    store.append(
        Annotators, pd.DataFrame([person | nothing | {"state": "active", "guide_version": "1"}]), _manifest("test")
    )
    store.append(Assignments, new, _manifest("annotation.reassign", part=CAMPAIGN))
    ratings = new[["assignment_id"]].assign(submitted_at=START + timedelta(minutes=9), seconds=20.0, skipped=False)
    ratings = ratings.assign(score=new["pair_id"].map(first), comment=pd.NA, guide_version="1", flags=[[]] * len(new))
    store.append(Ratings, ratings, _manifest("annotation.collect", part=CAMPAIGN))
    write_measures(store)
    standing_ = said[~theirs]
    counted = pd.concat([standing_, new.assign(score=new["pair_id"].map(first))])
    votes = (counted["score"] >= 2).groupby(counted["pair_id"]).sum()
    labels = _labels().set_index("pair_id")
    labels["votes"], labels["binary"] = votes, (votes >= 2).astype(int)
    labels["scores"] = pd.Series(
        {pair: [int((some == n).sum()) for n in range(4)] for pair, some in counted.groupby("pair_id")["score"]}
    )
    labels["stratum"] = ["unanimous" if n in (0, 3) else "split" for n in labels["votes"]]
    store.replace(Labels, labels.reset_index(), _manifest("test"), campaign=CAMPAIGN, method="majority")
    splits.main(splits.Arguments(store=store.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    return store


STATEMENTS = 'title = "Small = @ set"\nauthors = ["A. Author"]\npay = "12 an hour"\ndate = "2026-11-20"\n'
PERMITTED = ["--permission", "other=asked", "--permission", "files=our own writing"]


@pytest.fixture(scope="session")
def ready(whole_campaign: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The whole campaign with splits of which none is empty, to read only."""
    store = Store(shutil.copytree(whole_campaign.root, tmp_path_factory.mktemp("ready") / "store"))
    splits.main(splits.Arguments(store=store.root, rule=splits.SplitRule(shares=(40, 30, 30), seed=3)))
    return store


@pytest.fixture(scope="session")
def released_folder(ready: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of it, to read only."""
    base = tmp_path_factory.mktemp("release")
    (base / "statements.toml").write_text(STATEMENTS, "utf-8")
    flags = ["--store", str(ready.root), "--name", "small-simulated", "--statements", str(base / "statements.toml")]
    assert run(release.main, prog="release", args=[str(base / "out"), *flags, *PERMITTED]) == 0
    return base / "out"


@pytest.fixture(scope="session")
def released_ids(ready: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of it without texts, to read only."""
    out = tmp_path_factory.mktemp("ids") / "out"
    flags = ["--store", str(ready.root), "--name", "small-simulated", "--without-text"]
    assert run(release.main, prog="release", args=[str(out), *flags]) == 0
    return out


def ask(store: Store, name: str) -> None:
    """Record a plan of the campaign `main` with the shipped question of this name."""
    plan(store, question=name, scale="", show_entity=False, at=START, allocate="fixed")
