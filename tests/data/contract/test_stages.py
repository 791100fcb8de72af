"""Every stage can be run, and every reject belongs to one stage or is shown under its own name."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from data.__main__ import main
from data.contract import register, stages
from data.contract.stages import STAGES, Stage, stage_of
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import (
    Acceptances,
    Annotators,
    Answers,
    Openings,
    Ratings,
    SimulatedTruth,
    Worked,
)
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.labels import Copying, Inconsistencies, Labels, Quality, Splits, Verdicts
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Gold
from data.contract.tables.removals import Rejects
from data.contract.tables.shown import Shown
from data.guidance import status
from data.guidance.next_steps import next_steps
from data.recorded.plans import read_plans
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.campaign import in_this_process

UNKNOWN = "identification.train"


@pytest.fixture
def with_unknown_rejects(store: Store) -> Store:
    for stage, part in (("clustering", "paper"), (UNKNOWN, "")):
        row = pd.DataFrame({"id": ["a"], "reason": f"reason_of_{stage.partition('.')[0]}", "detail": None})
        store.reject(stage, row, Manifest(stage=stage), part)
    return store


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stages_commands_exist(stage: Stage) -> None:
    for command in stage.commands:
        words = command.split()
        assert words[:2] == ["scrapy", "crawl"] or (words[:2] == ["python", "-m"] and find_spec(words[2])), command


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stages_commands_lack_no_argument(stage: Stage, store: Store) -> None:
    for command in stage.commands:
        if command.startswith("python"):
            code, _, err = in_this_process(f"{command} --store {store.root}")
            assert (code in (1, 2), "error: arguments:" in err) == (True, False), command


def test_names_are_unique() -> None:
    assert len({stage.name for stage in STAGES}) == len(STAGES)
    assert set(stages.BEFORE_RATINGS) < {stage.name for stage in STAGES}


def test_a_table_is_part_of_the_ratings_unless_the_stages_name_it() -> None:
    assert set(register.TABLES) - stages.WITHOUT_RATINGS == {
        *(Gold, Shown, Annotators, Acceptances, Ratings, Answers, Quality, Verdicts, Labels, Splits, Inconsistencies),
        *(Copying, Openings),
        *(Runs, Predictions, Worked, SimulatedTruth, Prompts, Attempts, Sentences, GeneratedTexts, PairMeasures),
        Attacks,
    }


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("crawler.terminology", "terms"),
        ("crawler", "cards"),
        ("crawler.definitions", "accepted"),
        ("clustering", "pairs"),
        ("annotation.plan", "assigned"),
        ("annotation.review-blind", "assigned"),
        ("annotation.collect", "rated"),
        ("annotation.adjudicate", "labelled"),
        ("analysis.splits", "split"),
        ("annotation.planning", None),
        (UNKNOWN, None),
    ],
)
def test_rejects_belong_to_the_stage_that_names_theirs(name: str, stage: str | None) -> None:
    found = stage_of(name)
    assert (found.name if found else None) == stage


def steps(store: Store) -> tuple[str, ...]:
    """The next steps without their store."""
    return tuple(step.partition(" --store ")[0] for step in next_steps(store))


def test_sentences_need_no_cards_and_swaps_of_others_than_today_are_made_again(store: Store) -> None:
    rows = pd.DataFrame({"sentence_id": ["s"], "source_id": ["1"], "text": ["a b"]})
    rows = rows.assign(source="notes.txt", position=0, entity=None, n_words=2, licence=None)
    store.replace(Sentences, rows, Manifest(stage="test"), source="notes.txt")
    assert steps(store) == ("python -m generation swap --lm FILE",)
    made = pd.DataFrame({"text_id": ["t"], "text": ["b a"], "source_id": ["s"], "steps": [[]]}).assign(
        generator="g", entity=None, n_words=2, method="word-swap", model=None, log_score=None
    )
    inputs = store.inputs(Sentences)
    store.replace(GeneratedTexts, made, Manifest(stage="test", inputs=inputs), generator="g")
    pair = {"generator": "g", "pair_id": "p", "first_id": "s", "second_id": "t", "first": "a b", "second": "b a"}
    pairs = pd.DataFrame([pair]).assign(
        entity=None, cluster=None, similarity=None, overlap=1.0, rank=0, selection="word-swap", parents=[[]]
    )
    store.replace(Pairs, pairs, Manifest(stage="test", inputs=inputs), generator="g")
    assert steps(store) == (
        "python -m annotation plan --annotators N --question same-meaning",
        "python -m annotation pilot plan --annotators N --question same-meaning",
    )
    store.replace(Sentences, rows.assign(text="a c"), Manifest(stage="generation.sentences"), source="notes.txt")
    assert "python -m generation swap --lm FILE" in steps(store)


def test_a_recombined_set_is_current_and_made_again_by_its_own_command(store: Store) -> None:
    texts = pd.DataFrame({"sentence_id": ["s"], "source_id": ["1"], "text": ["a b"]})
    texts = texts.assign(source="notes.txt", position=0, entity=None, n_words=2, licence=None)
    store.replace(Sentences, texts, Manifest(stage="test"), source="notes.txt")
    label = {"pair_id": "p", "campaign": "same", "method": "majority", "binary": 1, "votes": 5, "n_votes": 5}
    labels = pd.DataFrame([label]).assign(
        control=None, value=None, posterior=None, stratum="unanimous", decided_by="majority", scores=[[0, 5]]
    )
    by_people = Manifest(stage="annotation.adjudicate", part="same")
    store.replace(Labels, labels, by_people, campaign="same", method="majority")
    pair = {"generator": "paws-rule", "pair_id": "p", "first_id": "s", "second_id": "t", "first": "a", "second": "b"}
    pairs = pd.DataFrame([pair]).assign(
        entity=None, cluster=None, similarity=None, overlap=1.0, rank=0, selection="rule", parents=[["q"]]
    )
    by_rule = Manifest(stage="generation.recombine", config={"campaigns": ["same"]}, inputs=store.inputs(Labels))
    store.replace(Pairs, pairs, by_rule, generator="paws-rule")
    store.replace(Labels, labels.assign(campaign="paws", method="rule"), by_rule, campaign="paws", method="rule")
    assert status.behind(store, Pairs, read_plans(store)) == status.behind(store, Labels, read_plans(store)) == []
    assert steps(store) == ("python -m analysis.splits --campaign paws --method rule",)
    audit = labels.assign(campaign="audit")
    store.replace(
        Labels, audit, Manifest(stage="annotation.adjudicate", part="audit"), campaign="audit", method="majority"
    )
    assert status.behind(store, Pairs, read_plans(store)) == []
    store.replace(Labels, labels.assign(votes=4), by_people, campaign="same", method="majority")
    assert status.behind(store, Pairs, read_plans(store)) == ["labels"]
    assert steps(store) == ("python -m generation recombine --campaign same",)


@pytest.mark.parametrize(("frozen", "scheme", "behind"), [
    (False, "by-entity", ["splits"]), (True, "by-entity", []), (False, "other", []),
])  # fmt: skip
def test_what_a_frozen_split_or_another_one_adds_makes_no_scores_old(
    store: Store, frozen: bool, scheme: str, behind: list[str]
) -> None:
    dealt = pd.DataFrame({"pair_id": ["p"], "scheme": "by-entity", "split": "test", "group": 0})
    once = Manifest(stage="analysis.splits", config={"frozen": frozen})
    store.replace(Splits, dealt, once, scheme="by-entity")
    scored = Manifest(stage="identification.train", config={"scheme": "by-entity"}, inputs=store.inputs(Splits))
    store.replace(Predictions, pd.DataFrame({"run_id": ["r"], "pair_id": "p", "score": 0.5}), scored, run_id="r")
    again = replace(once, config={"frozen": frozen, "method": "inherited"})
    store.replace(Splits, dealt.assign(scheme=scheme), again, scheme=scheme)
    assert status.behind(store, Predictions, read_plans(store)) == behind


@pytest.mark.parametrize(("stage", "again"), [
    ("generation.swap", ("python -m generation swap --lm FILE",)),
    ("generation.translate", ("python -m generation translate",)),
    ("annotation.plan", ()),
])  # fmt: skip
def test_texts_are_made_again_by_the_command_that_made_them(store: Store, stage: str, again: tuple[str, ...]) -> None:
    _make_texts_before_sentences(store, stage, -1)
    assert steps(store) == (*dict.fromkeys(("python -m generation swap --lm FILE", *again)),)
    assert status.behind(store, GeneratedTexts, read_plans(store)) == (["sentences"] if again else [])


@pytest.mark.parametrize(("read", "behind"), [(None, ["sentences"]), ("the digest of some rows", [])])
def test_a_table_read_before_it_was_written_has_moved_and_chosen_rows_have_not(
    store: Store, read: str | None, behind: list[str]
) -> None:
    _make_texts_before_sentences(store, "generation.swap", read)
    assert status.behind(store, GeneratedTexts, read_plans(store)) == behind


def _make_texts_before_sentences(store: Store, stage: str, read: int | str | None) -> None:
    """Texts whose stage says that it read this of the sentences, which are written later."""
    made = pd.DataFrame({"text_id": ["t"], "text": ["b a"], "source_id": ["s"], "steps": [[]]}).assign(
        generator="g", entity=None, n_words=2, method="x", model=None, log_score=None
    )
    store.replace(GeneratedTexts, made, Manifest(stage=stage, inputs={"sentences": read}), generator="g")
    texts = pd.DataFrame({"sentence_id": ["s"], "source_id": ["1"], "text": ["a b"]})
    texts = texts.assign(source="notes.txt", position=0, entity=None, n_words=2, licence=None)
    store.replace(Sentences, texts, Manifest(stage="test"), source="notes.txt")


def test_every_step_names_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "my store")
    assert {step.partition(" --store ")[2] for step in next_steps(store)} == {f"'{store.root}'"}


def test_the_status_shows_rejects_of_an_unknown_stage(
    with_unknown_rejects: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    rejects = status.rejects(with_unknown_rejects)
    assert list(rejects["stage"]) == ["clustering.paper", UNKNOWN]
    main(["status", "--store", str(with_unknown_rejects.root)])
    assert f"{UNKNOWN} reason_of_identification" in capsys.readouterr().out


def test_a_pack_without_ratings_leaves_out_rejects_of_an_unknown_stage(
    with_unknown_rejects: Store, tmp_path: Path
) -> None:
    pack.pack(with_unknown_rejects, tmp_path / "store.tar.gz", ratings=False)
    pack.unpack(tmp_path / "store.tar.gz", tmp_path / "unpacked")
    assert list(Store(tmp_path / "unpacked").read(Rejects)["stage"]) == ["clustering"]


@pytest.mark.parametrize(
    ("filled", "first"),
    [
        ("", "terms"),
        ("terms", "cards"),
        ("cards", "accepted"),
        ("pairs", "assigned"),
        ("pairs assigned rated quality labelled", "split"),
        ("terms pairs", "assigned"),
    ],
)
def test_what_leads_to_a_stage_that_is_there_is_not_missing(filled: str, first: str) -> None:
    assert stages.missing(filled.split())[0] == first
