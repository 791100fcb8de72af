"""A text that is taken down is nowhere any more, and does not come back."""

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import pytest

from crawler.cards.outcome import Card, Deck, Outcome
from crawler.definitions import Arguments as DefinitionArguments
from crawler.definitions import main as define
from crawler.ledger.harvest import harvest
from crawler.ledger.ledger import Ledger, PageReply, SourcePage
from crawler.terms.lists import TermList
from data.console.errors import InputError, TableError
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Assignments, Documents, Ratings, SimulatedTruth, Worked
from data.contract.tables.definitions import Cards, Definitions, Sightings
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Gold
from data.contract.tables.removals import Rejects, Tombstones
from data.guidance.commands.lineage import Arguments as Trace
from data.guidance.commands.lineage import main as show_origin
from data.guidance.commands.takedown import Arguments as Takedown
from data.guidance.commands.takedown import main as take_down
from data.guidance.status import behind
from data.provenance import takedown
from data.provenance.tombstones import are_withheld, text_digest, withheld, withheld_sources
from data.recorded.plans import read_plans
from data.storage import kept_overlap
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id, text_id
from data.texts.languages.en import ENGLISH

pytestmark = pytest.mark.sweep

ANY = TermList(name="any", terms=None, language=ENGLISH, inputs={})
SECRET = "a private wording that its author wants gone"
BACKS = [SECRET, *(f"a mapping of keys to values, wording {number}" for number in range(6))]
AT = pd.Timestamp("2020-01-01", tz="UTC")
MADE_BY_TEST = Manifest(stage="test")


def crawl(store: Store, *sets: str, backs: list[str] = BACKS) -> None:
    """Reads the same cards in each of the sets, as a crawl does."""
    with Ledger(store.root / "ledgers" / "quizlet.sqlite", withheld(store)) as ledger:
        for set_id in sets:
            cards = tuple(Card(front="hash table", back=back, position=at) for at, back in enumerate(backs))
            outcome = Outcome(decks=(Deck(set_id=set_id, title="T", cards=cards),))
            ledger.record(
                PageReply(page=SourcePage(kind="set", key=f"/{set_id}/"), url=f"http://x/{set_id}", outcome=outcome)
            )
        harvest(store, ledger, "quizlet", ANY)


@pytest.fixture
def campaign(store: Store) -> Store:
    """Cards of two sets, definitions, all pairs of them, and one pair's label with its assignment and rating."""
    crawl(store, "1", "2")
    define(DefinitionArguments(store=store.root))
    ids = store.read(Definitions).sort_values("text")["definition_id"].tolist()
    texts = store.read(Definitions).set_index("definition_id")["text"]
    rows = [
        {"generator": "g", "pair_id": pair_id(one, other), "entity": "hash table", "first_id": min(one, other),
         "second_id": max(one, other), "first": texts[min(one, other)], "second": texts[max(one, other)],
         "cluster": 0, "similarity": 0.5, "overlap": 0.1, "rank": at, "selection": "every-pair", "parents": []}
        for at, (one, other) in enumerate((one, other) for one in ids for other in ids if one < other)
    ]  # fmt: skip
    store.replace(Pairs, pd.DataFrame(rows), Manifest(stage="clustering"), generator="g")
    falling, staying = (
        next(row["pair_id"] for row in rows if (SECRET in (row["first"], row["second"])) is falls)
        for falls in (True, False)
    )
    pairs = [falling, staying]
    assignments = pd.DataFrame({"assignment_id": [f"s{n}" for n in range(len(pairs))], "pair_id": pairs}).assign(
        campaign="c",
        round=1,
        annotator="a01",
        position=range(len(pairs)),
        flipped=False,
        kind="work",
        supersedes=None,
        at=AT,
    )
    store.append(Assignments, assignments, Manifest(stage="annotation"))
    ratings = assignments[["assignment_id"]].assign(
        submitted_at=AT,
        score=1,
        flags=[[] for _ in pairs],
        comment=None,
        seconds=1.0,
        skipped=False,
        guide_version=None,
    )
    store.append(Ratings, ratings, Manifest(stage="annotation"))
    labels = pd.DataFrame({"pair_id": pairs}).assign(
        campaign="c", method="m", votes=0, n_votes=3, binary=0, scores=[[3, 0, 0, 0] for _ in pairs],
        posterior=None, stratum="unanimous", decided_by="majority",
    )  # fmt: skip
    store.replace(Labels, labels, Manifest(stage="annotation"), campaign="c", method="m")
    return store


def secret_card(store: Store) -> str:
    cards = store.read(Cards)
    return str(cards.loc[cards["back"] == SECRET, "card_id"].iloc[0])


def places(root: Path, text: str) -> list[str]:
    """The files under a folder that hold the text: in a Parquet file's values, or as bytes."""
    found = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        if path.suffix == ".parquet":
            table = pyarrow.parquet.read_table(path)
            held = any(text in str(value) for column in table.columns for value in column.to_pylist())
        else:
            held = text.encode() in path.read_bytes()
        found += [path.relative_to(root).as_posix()] * held
    return found


def test_the_text_is_gone_from_tables_history_and_ledgers(campaign: Store, capsys: pytest.CaptureFixture[str]) -> None:
    (campaign.shards / "of a run that was stopped").mkdir(parents=True)
    pd.DataFrame({"text": [SECRET]}).to_parquet(campaign.shards / "of a run that was stopped" / "texts.parquet")
    assert len(places(campaign.root, SECRET)) >= 5
    n_pairs = len(campaign.read(Pairs))
    take_down(Takedown(cards=(secret_card(campaign)[:12],), store=campaign.root, reason="asked for by its author"))
    assert places(campaign.root, SECRET) == []
    out = capsys.readouterr().out
    assert "2 cards hold the texts; 6 pairs are removed with them" in out
    assert out.count("  pair ") == 6
    assert "2 rows removed from ledgers/quizlet.sqlite" in out
    assert len(campaign.read(Pairs)) == n_pairs - 6 == 15
    assert len(campaign.read(Definitions)) == 6
    assert len(campaign.read(Cards)) == 12
    fallen = set(campaign.read(Tombstones)["kind"])
    assert fallen == {"text", "card"}
    left = set(campaign.read(Pairs)["pair_id"])
    for table in (Labels, Assignments):
        assert set(campaign.read(table)["pair_id"]) <= left
        assert len(campaign.read(table)) == 1
    assert campaign.read(Ratings)["assignment_id"].tolist() == ["s1"]


def test_the_past_of_a_table_is_gone_and_says_so(campaign: Store) -> None:
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    with pytest.raises(TableError, match="something has been taken down since; read a later version"):
        campaign.read(Cards, version=0)


def test_what_is_computed_from_the_rest_is_current(campaign: Store) -> None:
    (campaign.root / kept_overlap.FILE).touch()
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    assert not (campaign.root / kept_overlap.FILE).exists()
    define(DefinitionArguments(store=campaign.root))
    assert behind(campaign, Definitions, read_plans(campaign)) == []


def test_a_later_crawl_passes_the_text_by(campaign: Store) -> None:
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    crawl(campaign, "1", "3", backs=[SECRET.upper() + "  ", *BACKS])
    assert places(campaign.root, SECRET) == places(campaign.root, SECRET.upper()) == []
    rejects = campaign.read(Rejects, stage="crawler", part="quizlet")
    assert set(rejects["reason"]) == {"taken_down"}
    assert len(rejects) == 4
    define(DefinitionArguments(store=campaign.root))
    assert len(campaign.read(Definitions)) == 6


def test_a_ledger_from_a_backup_does_not_bring_it_back(campaign: Store) -> None:
    path = campaign.root / "ledgers" / "quizlet.sqlite"
    with sqlite3.connect(path) as ledger:
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ledger.close()
    backup = path.read_bytes()
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    path.write_bytes(backup)
    with Ledger(path) as restored:
        harvest(campaign, restored, "quizlet", ANY)
    assert SECRET not in set(campaign.read(Cards)["back"])
    assert set(campaign.read(Rejects, stage="crawler", part="quizlet")["reason"]) == {"taken_down"}


def test_a_card_without_text_takes_nothing_with_it(campaign: Store) -> None:
    crawl(campaign, "4", backs=[" "])
    empty = campaign.read(Cards, set_id="4")["card_id"].iloc[0]
    with pytest.raises(InputError, match="expected a card whose back is a text, found an empty one"):
        take_down(Takedown(cards=(empty,), store=campaign.root))
    assert not campaign.exists(Tombstones)


def test_taken_down_twice_is_done_once_and_an_unknown_card_is_named(campaign: Store) -> None:
    card = secret_card(campaign)
    for _ in range(2):
        take_down(Takedown(cards=(card,), store=campaign.root))
    assert len(campaign.read(Tombstones)) == 3
    with pytest.raises(InputError, match="expected the beginning of exactly one card_id, found 0 such cards"):
        take_down(Takedown(cards=("nothing",), store=campaign.root))


def test_a_guide_that_quotes_the_text_is_named_and_loses_it_once_another_one_holds(
    campaign: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = {"campaign": "c", "kind": "guide", "reference": ""}
    text = f"# Guide\n\nVersion 1.examples\n\n- 1: hash table: “{SECRET.upper()}” and “another one”. It is vague.\n"
    row = pd.DataFrame([fields | {"version": "1.examples", "text": text, "at": AT}])
    campaign.append(Documents, row, Manifest(stage="annotation.documents", part="c"))
    card = campaign.read(Cards).query("back == @SECRET")["card_id"].iloc[0]
    take_down(Takedown(cards=(card,), store=campaign.root))
    assert "guide version 1.examples of campaign c is in force and quotes it" in capsys.readouterr().out
    assert campaign.read(Documents)["text"].to_list() == [text]

    later = row.assign(version="2", text="# Guide\n\nVersion 2\n", at=AT + pd.Timedelta(days=1))
    campaign.append(Documents, later, Manifest(stage="annotation.documents", part="c"))
    take_down(Takedown(cards=(card,), store=campaign.root))
    assert "quotes it" not in capsys.readouterr().out
    found = campaign.read(Documents).sort_values("at")["text"].to_list()
    assert "“(taken down)” and “another one”. It is vague." in found[0]
    files = [pyarrow.parquet.read_table(path) for path in campaign.path(Documents).rglob("*.parquet")]
    assert not any(SECRET.upper() in str(file.to_pylist()) for file in files)


MADE = "a wording made from the private one"


def derive(store: Store, name: str, parents: list[str], texts: tuple[str, str]) -> str:
    """Add a pair that was made from others, with everything that the store may hold about a pair; return its id."""
    sides = sorted((definition_id("hash table", text), text) for text in texts)
    (first_id, first), (second_id, second) = sides
    pair = pair_id(first_id, second_id)
    row = store.read(Pairs).iloc[:1].assign(
        generator=name, pair_id=pair, first_id=first_id, second_id=second_id, first=first, second=second,
        parents=[parents],
    )  # fmt: skip
    store.replace(Pairs, row, MADE_BY_TEST, generator=name)
    given = store.read(Assignments).iloc[:1].assign(assignment_id=f"of {name}", pair_id=pair)
    store.append(Assignments, given, MADE_BY_TEST)
    store.append(Ratings, store.read(Ratings).iloc[:1].assign(assignment_id=f"of {name}"), MADE_BY_TEST)
    labels = store.read(Labels).iloc[:1].assign(campaign=name, pair_id=pair)
    store.replace(Labels, labels, MADE_BY_TEST, campaign=name, method="m")
    for table, columns in (
        (Splits, {"scheme": name, "split": "train", "group": "g"}),
        (Predictions, {"run_id": name, "score": 0.5}),
        (SimulatedTruth, {"campaign": name, "score": 0}),
        (Gold, {"campaign": name, "score": 0, "source": "file"}),
    ):
        rows = pd.DataFrame([columns | {"pair_id": pair}])
        store.replace(table, rows, MADE_BY_TEST, **dict.fromkeys(table.scope_columns(), name))
    return pair


OF_PAIRS = (Pairs, Assignments, Labels, Splits, Predictions, SimulatedTruth, Gold)


def test_what_was_made_from_the_text_falls_with_it_and_with_what_was_made_from_that(
    campaign: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    mined = campaign.read(Pairs)
    holds = (mined["first"] == SECRET) | (mined["second"] == SECRET)
    falling, staying = str(mined.loc[holds, "pair_id"].iloc[0]), str(mined.loc[~holds, "pair_id"].iloc[0])
    child = derive(campaign, "child", [falling], (BACKS[1], MADE))
    grandchild = derive(campaign, "grandchild", [staying, child], (BACKS[1], f"{MADE}, again"))
    shares = derive(campaign, "shares", [staying], (BACKS[2], MADE))
    other = derive(campaign, "other", [staying], (BACKS[1], "a wording made from the others"))
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    assert "2 cards hold the texts; 9 pairs are removed with them" in capsys.readouterr().out
    for table in OF_PAIRS:
        left = set(campaign.read(table)["pair_id"])
        assert left.isdisjoint({child, grandchild, shares}), table
        assert other in left, table
    assert set(campaign.read(Ratings)["assignment_id"]) == {"s1", "of other"}
    assert places(campaign.root, MADE) == places(campaign.root, SECRET) == []
    assert len(campaign.read(Definitions)) == len(BACKS) - 1
    tombstones = set(campaign.read(Tombstones, kind="text")["id"])
    assert {text_digest(text) for text in (SECRET, MADE, f"{MADE}, again")} == tombstones


def test_what_was_made_from_a_pair_that_is_no_longer_proposed_falls_too(campaign: Store) -> None:
    mined = campaign.read(Pairs)
    holds = (mined["first"] == SECRET) | (mined["second"] == SECRET)
    falling = str(mined.loc[holds, "pair_id"].iloc[0])
    child = derive(campaign, "child", [falling], (BACKS[1], MADE))
    campaign.replace(Pairs, mined[~holds], MADE_BY_TEST, generator="g")
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    for table in OF_PAIRS:
        assert set(campaign.read(table)["pair_id"]).isdisjoint({child, falling}), table


def test_a_pair_that_holds_the_text_of_a_definition_dropped_since_falls_too(campaign: Store) -> None:
    card = secret_card(campaign)
    sightings = campaign.read(Sightings)
    cards = campaign.read(Cards)
    gone = sightings["card_id"].isin(cards.loc[cards["back"] == SECRET, "card_id"])
    definitions = campaign.read(Definitions)
    campaign.replace(Sightings, sightings[~gone], MADE_BY_TEST)
    campaign.replace(Definitions, definitions[definitions["text"] != SECRET], MADE_BY_TEST)
    take_down(Takedown(cards=(card,), store=campaign.root))
    assert places(campaign.root, SECRET) == []
    assert len(campaign.read(Labels)) == len(campaign.read(Assignments)) == 1


@pytest.mark.parametrize("step", ["_erase", "_blank"])
def test_a_run_interrupted_after_the_pairs_is_completed_by_the_next(
    campaign: Store, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    mined = campaign.read(Pairs)
    holds = (mined["first"] == SECRET) | (mined["second"] == SECRET)
    derive(campaign, "child", [str(mined.loc[holds, "pair_id"].iloc[0])], (BACKS[1], MADE))
    guide = pd.DataFrame({"version": ["1", "2"], "at": [AT, AT + pd.Timedelta(days=1)]})
    guide["text"] = [f"# Guide\n\n- 1: hash table: “{MADE}” and “another one”. It is vague.\n", "# Guide\n"]
    campaign.append(Documents, guide.assign(campaign="c", kind="guide", reference=""), MADE_BY_TEST)
    card, real = secret_card(campaign), getattr(takedown, step)

    def interrupt(*arguments: Any) -> Any:
        if step == "_blank" or Definitions in arguments:
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as during:
        during.setattr(takedown, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            take_down(Takedown(cards=(card,), store=campaign.root))
    assert places(campaign.root, MADE)
    take_down(Takedown(cards=(card,), store=campaign.root))
    assert places(campaign.root, MADE) == places(campaign.root, SECRET) == []


def test_a_clock_that_was_set_back_puts_no_tombstone_before_an_earlier_one(campaign: Store) -> None:
    later = pd.Timestamp.now(tz="UTC").floor("us") + pd.Timedelta(days=2)
    earlier = pd.DataFrame([{"kind": "annotator", "study": "c", "id": "a09", "reason": "asked for", "at": later}])
    campaign.append(Tombstones, earlier, MADE_BY_TEST)
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    assert (campaign.read(Tombstones).query("kind != 'annotator'")["at"] == later + pd.Timedelta("1us")).all()


def generate(store: Store, generator: str, source: tuple[str, str], text: str) -> str:
    """Write a text made from the source (id, text), with its pair and a measure of it, and return its id."""
    made = text_id(text)
    row = {"generator": generator, "text_id": made, "text": text, "entity": None, "n_words": 5, "source_id": source[0]}
    rows = pd.DataFrame([row]).assign(method="word-swap", model=None, steps=[["0 > 1"]], log_score=None)
    store.replace(GeneratedTexts, rows, MADE_BY_TEST, generator=generator)
    pair = {"generator": generator, "pair_id": pair_id(source[0], made), "entity": None, "first_id": source[0],
            "second_id": made, "first": source[1], "second": text, "cluster": None, "similarity": None,
            "overlap": None, "rank": 0, "selection": "every-pair", "parents": []}  # fmt: skip
    store.replace(Pairs, pd.DataFrame([pair]), MADE_BY_TEST, generator=generator)
    measure = {"generator": generator, "measure": "m", "pair_id": pair["pair_id"], "value": 1.0, "model_sha256": None}
    store.replace(PairMeasures, pd.DataFrame([measure]), MADE_BY_TEST, generator=generator, measure="m")
    return made


def test_swaps_of_the_text_their_back_translations_and_recombined_pairs_fall_with_it(
    campaign: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = campaign.read(Definitions).set_index("text")["definition_id"]
    secret, other = (str(texts[text]) for text in (SECRET, BACKS[1]))
    rows = pd.DataFrame({"sentence_id": [secret, other], "source_id": [secret, other], "text": [SECRET, BACKS[1]]})
    rows = rows.assign(source="definitions", position=0, entity=None, n_words=5, licence=None)
    campaign.replace(Sentences, rows, MADE_BY_TEST, source="definitions")
    swap = generate(campaign, "paws-swap", (secret, SECRET), f"{MADE} swapped")
    back = generate(campaign, "paws-back", (swap, f"{MADE} swapped"), f"{MADE} and back")
    parents = [pair_id(secret, swap), pair_id(swap, back)]
    generate(campaign, "attack", (back, f"{MADE} and back"), f"{MADE} attacked")
    ruled = campaign.read(Pairs, generator="paws-back").assign(generator="paws-rule", parents=[parents])
    ruled = ruled.assign(pair_id=pair_id(secret, back), first_id=secret, first=SECRET).astype(object)
    campaign.replace(Pairs, ruled, MADE_BY_TEST, generator="paws-rule")
    stays = generate(campaign, "stays", (other, BACKS[1]), "a wording made from the other")
    show_origin(Trace(pair_id=ruled["pair_id"].iloc[0], store=campaign.root))
    shown = capsys.readouterr().out
    assert all(f"{MADE} {how}" in shown for how in ("swapped", "and back"))
    assert ", proposed by paws-rule\n" in shown
    assert "nan" not in shown
    assert "card 1 of «T» (set 1)" in shown
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    assert places(campaign.root, MADE) == places(campaign.root, SECRET) == []
    assert campaign.read(GeneratedTexts)["text_id"].to_list() == [stays]
    assert campaign.read(Sentences)["sentence_id"].to_list() == [other]
    assert campaign.read(PairMeasures)["pair_id"].to_list() == [pair_id(other, stays)]
    assert set(campaign.read(Pairs)["generator"]) == {"g", "stays"}


def test_attempts_on_pairs_of_the_text_fall_with_it(campaign: Store) -> None:
    pairs = campaign.read(Pairs)
    is_secret = (pairs[["first", "second"]] == SECRET).any(axis="columns")
    falling, staying = pairs[is_secret].iloc[0], pairs[~is_secret].iloc[0]
    rows = pd.DataFrame([
        {"original_id": "p", "parents": [staying["pair_id"], falling["pair_id"]], "first": "x", "second": SECRET},
        {"original_id": falling["pair_id"], "parents": [falling["pair_id"]], "first": SECRET, "second": "x"},
        {"original_id": staying["pair_id"], "parents": [staying["pair_id"]], "first": "x", "second": "y"},
    ]).assign(
        attack="a", label=1, outcome="limit", n_steps=0, pair_id=None, new_first="x", new_second="y",
        score_before=0.9, score_after=0.9, threshold=0.5, edits=[[]] * 3, queries=1, seconds=0.0, target="t",
        target_sha256="1", mlm="m", mlm_sha256="2",
    )  # fmt: skip
    campaign.replace(Attacks, rows, MADE_BY_TEST, attack="a")
    take_down(Takedown(cards=(secret_card(campaign),), store=campaign.root))
    assert campaign.read(Attacks)["original_id"].to_list() == [staying["pair_id"]]
    assert places(campaign.root, SECRET) == []


def test_ratings_that_fall_are_still_paid(campaign: Store) -> None:
    given = campaign.read(Assignments).iloc[:1].assign(assignment_id="s2", annotator="a02")
    campaign.append(Assignments, given, MADE_BY_TEST)
    rating = campaign.read(Ratings).iloc[:1]
    for at, skipped in ((AT, False), (AT + pd.Timedelta(hours=1), True)):
        again = rating.assign(assignment_id="s2", submitted_at=at, skipped=skipped)
        campaign.append(Ratings, again, MADE_BY_TEST)
    slow = rating.assign(submitted_at=AT + pd.Timedelta(hours=1), seconds=1000.0)
    campaign.append(Ratings, slow, MADE_BY_TEST)
    card = secret_card(campaign)
    for _ in range(2):
        take_down(Takedown(cards=(card,), store=campaign.root))
    paid = campaign.read(Worked)
    assert paid[["campaign", "annotator", "ratings", "seconds"]].to_numpy().tolist() == [["c", "a01", 1, 300.0]]
    assert campaign.read(Ratings)["assignment_id"].tolist() == ["s1"]


@pytest.fixture
def swapped(store: Store) -> Store:
    """Sentences of two papers and of a file, with a swap of each, a back translation of a swap, and rejects of both."""
    sources = {"papers": [("p1", SECRET), ("p1", BACKS[1]), ("p2", BACKS[2])], "notes.txt": [("4", BACKS[3])]}
    for source, rows in sources.items():
        frame = pd.DataFrame(rows, columns=["source_id", "text"]).assign(source=source, entity=None, n_words=5)
        frame = frame.assign(sentence_id=frame["text"].map(text_id), position=0, licence=None)
        store.replace(Sentences, frame, MADE_BY_TEST, source=source)
        of = {"id": f"{rows[0][0]} 7", "source_id": rows[0][0]}
        rejects = pd.DataFrame([of | {"reason": "latex", "detail": f"{SECRET} of $x$"}])
        store.reject("generation.sentences", rejects, MADE_BY_TEST, part=source)
    for number, text in enumerate([SECRET, *BACKS[2:4]]):
        generate(
            store, f"swap-{number}", (text_id(text), text), f"{MADE} swapped" if text == SECRET else f"{text} swapped"
        )
    swap = f"{MADE} swapped"
    back = generate(store, "back", (text_id(swap), swap), f"{MADE} and back")
    of = {"id": f"{text_id(swap)} 0.0.1", "source_id": text_id(swap)}
    dropped = [of | {"reason": "too_far", "detail": f"{MADE} and further back"}]
    store.reject("generation.translate", pd.DataFrame(dropped), MADE_BY_TEST, part="back")
    row = {"assignment_id": "g", "pair_id": pair_id(text_id(swap), back), "campaign": "same", "round": 1, "at": AT}
    given = pd.DataFrame([row]).assign(annotator="a01", position=0, flipped=False, kind="work", supersedes=None)
    store.append(Assignments, given, MADE_BY_TEST)
    return store


def test_a_paper_falls_with_all_that_was_made_from_its_sentences(
    swapped: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    take_down(Takedown(sources=("papers:p1",), store=swapped.root))
    assert "2 pairs are removed" in capsys.readouterr().out
    assert places(swapped.root, MADE) == []
    assert set(swapped.read(Sentences)["source_id"]) == {"p2", "4"}
    assert swapped.read(GeneratedTexts)["text"].tolist() == [f"{text} swapped" for text in BACKS[2:4]]
    assert swapped.read(Rejects)["part"].tolist() == ["notes.txt"]
    assert swapped.read(Assignments).empty
    assert withheld_sources(swapped) == {"papers:p1"}
    take_down(Takedown(sources=("papers:p1", "notes.txt"), store=swapped.root))
    assert places(swapped.root, SECRET) == []
    assert swapped.read(Sentences)["source_id"].tolist() == ["p2"]


def test_a_deck_falls_with_all_that_was_made_from_it_and_later_cards_of_it_are_passed_by(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl(store, "1", backs=[SECRET, " "])
    crawl(store, "2", backs=[*BACKS[1:], " "])
    generate(store, "swap", (text_id(SECRET), SECRET), f"{MADE} swapped")
    for _ in range(2):
        take_down(Takedown(sources=("1",), store=store.root))
    assert "1 card holds the texts" in capsys.readouterr().out
    assert sorted(store.read(Cards)["back"]) == sorted([" ", " ", *BACKS[1:]])
    assert store.read(GeneratedTexts).empty
    assert places(store.root, SECRET) == []
    assert places(store.root, MADE) == []
    crawl(store, "1", backs=["a wording that is new in this deck"])
    assert len(store.read(Cards)) == len(BACKS) + 1
    assert store.read(Rejects, stage="crawler", part="quizlet")["reason"].tolist() == ["taken_down"]


def test_a_generated_text_falls_with_what_was_made_from_it_and_its_source_stays(swapped: Store) -> None:
    swap = text_id(f"{MADE} swapped")
    for _ in range(2):
        take_down(Takedown(texts=(swap[:12],), store=swapped.root))
    assert places(swapped.root, MADE) == []
    assert text_id(SECRET) in set(swapped.read(Sentences)["sentence_id"])
    assert len(swapped.read(Sentences)) == 4
    assert are_withheld([f"{MADE} swapped", SECRET], withheld(swapped)) == [True, False]


def test_what_names_no_text_is_said(swapped: Store) -> None:
    with pytest.raises(InputError, match=r"source papers:p9: expected notes\.txt, papers:ID, found no text of it"):
        take_down(Takedown(sources=("papers:p9",), store=swapped.root))
    with pytest.raises(InputError, match="expected the beginning of exactly one definition_id, sentence_id or text_id"):
        take_down(Takedown(texts=("nothing",), store=swapped.root))
    with pytest.raises(InputError, match="expected ids of cards, --texts or --sources, found none"):
        take_down(Takedown(store=swapped.root))
    assert not swapped.exists(Tombstones)
