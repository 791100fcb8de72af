"""A set made from several campaigns: its release carries what its labels rest on, and each falsified one is found."""

import json
import shutil
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis import release, report, restore, splits, verify
from analysis.datasets.ratings import base_config, find_roles, read_rated
from analysis.statistics import funnel
from analysis.statistics.derivation import list_mismatches
from data.console.commands import run
from data.contract.tables.campaign import Annotators, Answers, Assignments, Ratings
from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.labelled import releases
from data.labelled.label_set import LabelSet
from data.labelled.sources import read_store
from data.provenance.descent import ways_back
from data.storage.store import Store
from data.texts.identity import text_id
from generation.commands.recombine import Arguments as Recombine
from generation.commands.recombine import main as recombine
from generation.commands.silver import Arguments as Silver
from generation.commands.silver import main as label_silver
from generation.config import BalanceConfig
from tests.analysis.publishing.test_altered_releases import seal
from tests.generation.judged import (
    BY_TEST,
    OTHERS,
    START,
    SWAPS,
    plan,
    write_generated,
    write_labels,
    write_swaps,
)

pytestmark = pytest.mark.sweep

PAWS = LabelSet(campaigns=("paws",), method="rule")
RATERS = ("a01", "a02", "a03", "a04", "a05")
BACKS = {text: f"{text}, which came back" for couple in SWAPS.items() for text in couple}


def rate(store: Store, campaign: str, answers: Iterable[tuple[str, str, str, str | None]], control: str) -> None:
    """Write assignments, ratings and answers: pair, annotator, chosen answer, corrected text."""
    rows = pd.DataFrame(answers, columns=["pair_id", "annotator", "chosen", "text"])
    rows["assignment_id"] = campaign + "-" + rows["annotator"] + "-" + rows["pair_id"]
    rows = rows.assign(
        campaign=campaign, submitted_at=START + timedelta(minutes=5), at=START, position=range(len(rows))
    )
    given = rows.assign(round=1, flipped=False, kind="work", supersedes=None, random=True)
    store.append(Assignments, given[[*Assignments.arrow_schema().names]], BY_TEST)
    rated = rows.assign(score=None, comment=None, seconds=9.0, skipped=False, guide_version="1")
    rated["flags"] = [[] for _ in range(len(rows))]
    store.append(Ratings, rated[[*Ratings.arrow_schema().names]], BY_TEST)
    chosen = rows.assign(control=control, chosen=[[value] for value in rows["chosen"]], text=None)
    wrote = rows.dropna(subset="text").assign(control="corrected")
    wrote["chosen"] = [[] for _ in range(len(wrote))]
    both = pd.concat([chosen, wrote])[[*Answers.arrow_schema().names]]
    store.append(Answers, both, BY_TEST)
    people = pd.DataFrame({"annotator": RATERS, "role": "expert"})
    people = people.assign(campaign=campaign, at=START, level=None, areas=None, quota=None, state="active")
    store.append(Annotators, people.assign(guide_version="1", consent_version=None), BY_TEST)


def judge(store: Store, campaign: str, pairs: list[str], binary: Iterable[int]) -> None:
    """Five raters per pair, of whom all agree; their labels."""
    labels = dict(zip(pairs, binary, strict=True))
    answers = [(pair, name, ("no", "yes")[label], None) for pair, label in labels.items() for name in RATERS]
    rate(store, campaign, answers, "same_meaning")
    write_labels(store, campaign, pairs, labels.values())


@pytest.fixture(scope="session")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Four swaps, one corrected back to its source, their back translations and the pairs of both; to read only."""
    store = Store(tmp_path_factory.mktemp("derived") / "store")
    swaps = write_swaps(store)
    plan(store, "fluency", "sentence-correction", "paws-swap")
    source = store.read(Pairs, generator="paws-swap").set_index("pair_id").loc[swaps[0], "first"]
    fixes = [(swaps[0], "a01", "fix", source), *((pair, "a02", "accept", None) for pair in swaps[1:])]
    rate(store, "fluency", fixes, "decision")
    rejects = pd.DataFrame([{"id": swaps[0], "reason": "fixed_back_to_source", "detail": None}])
    store.reject("annotation.plan", rejects, BY_TEST, part="same")
    kept = store.read(Pairs, generator="paws-swap").query("pair_id != @swaps[0]").assign(generator="kept-for-same")
    store.replace(Pairs, kept, BY_TEST, generator="kept-for-same")
    plan(store, "same", "same-meaning", "kept-for-same", "fluency")
    judge(store, "same", swaps[1:], [0, 0, 1])
    backs = write_generated(store, "paws-back", BACKS.items(), "back-translation")
    plan(store, "same-back", "same-meaning", "paws-back")
    judge(store, "same-back", backs, [1] * 7 + [0])
    recombine(Recombine(campaign=("same", "same-back"), store=store.root, audit=6, config=BalanceConfig(balance=False)))
    splits.main(splits.Arguments(store=store.root, campaigns=("paws",), method="rule",
                                 rule=splits.SplitRule(shares=(40, 30, 30), seed=4)))  # fmt: skip
    return store


def publish(store: Store, out: Path, *more: str, campaign: str = "paws", method: str = "rule") -> int:
    flags = ["--store", str(store.root), "--campaign", campaign, "--method", method, "--permission", "unknown=ours"]
    return run(release.main, prog="release", args=[str(out), *flags, "--name", "paws", *more])


@pytest.fixture(scope="session")
def published(derived: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of it, to read only."""
    out = tmp_path_factory.mktemp("derived") / "out"
    assert publish(derived, out) == 0
    return out


def test_what_was_corrected_twice_is_followed_to_the_first_correction(derived: Store, tmp_path: Path) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    plan(store, "again", "sentence-correction", "kept-for-again", "fluency")
    plan(store, "same", "same-meaning", "kept-for-same", "again", at=START + timedelta(hours=1))
    rejects = store.read(Rejects, stage="annotation.plan", part="same")[["id", "reason", "detail"]]
    store.reject("annotation.plan", rejects, BY_TEST, part="again")
    store.reject("annotation.plan", rejects[:0], BY_TEST, part="same")
    recombine(Recombine(campaign=("same", "same-back"), store=store.root, audit=6, config=BalanceConfig(balance=False)))
    assert publish(store, tmp_path / "out") == 0
    named = pq.read_table(tmp_path / "out" / "data" / "campaigns.parquet").to_pandas()
    assert named.set_index("campaign").loc[["fluency", "again"], "role"].tolist() == ["correction"] * 2


@pytest.mark.parametrize(("licence", "name"), [("CC BY-NC-ND 4.0", "CC BY-NC-ND 4.0"), ("cc-by-4.0", "unknown")])
def test_the_licence_stated_of_sentences_holds_for_all_that_was_made_from_them(
    derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], licence: str, name: str
) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    sentences = store.read(Sentences)
    store.replace(Sentences, sentences.assign(licence=licence), BY_TEST, source="lines")
    assert publish(store, tmp_path / "out") == int(name != "unknown")
    shown = capsys.readouterr().out
    if name != "unknown":
        assert f"are under {name}, which forbids commercial use and forbids changes (decks: 1 lines)" in shown
        assert f"give --permission '{name}=REASON'" in shown
        assert publish(store, tmp_path / "out", "--permission", f"{name}=granted") == 0


def test_sentences_that_the_store_has_lost_are_named(
    derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    store.replace(Sentences, store.read(Sentences)[:1], BY_TEST, source="lines")
    assert publish(store, tmp_path / "out") == 0
    assert "note: texts were made from 3 whose place and licence are not known" in capsys.readouterr().out
    assert "Of 3 more texts that others were made from" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert check(tmp_path / "out") == 0


def check(folder: Path) -> int:
    return run(verify.main, prog="verify", args=[str(folder)])


@pytest.fixture(scope="session")
def tables(published: Path) -> dict[str, pd.DataFrame]:
    """The release's tables, as anybody reads them."""
    return releases.read(published).tables


def changed(tables: dict[str, pd.DataFrame], name: str, row: int, **values: object) -> dict[str, pd.DataFrame]:
    """The tables with other values in one row of one of them."""
    table = tables[name].astype(object).copy()
    for column, value in values.items():
        table.loc[row, column] = value
    return tables | {name: table}


def test_an_untouched_release_names_its_campaigns_and_verifies(
    published: Path, tables: dict[str, pd.DataFrame]
) -> None:
    assert check(published) == 0
    roles = tables["campaigns"].set_index("campaign")["role"].to_dict()
    assert roles == {"same": "judgement", "same-back": "judgement", "fluency": "correction"}
    assert tables["campaign_ratings"]["campaign"].value_counts().to_dict() == {
        "same-back": 40,
        "same": 15,
        "fluency": 4,
    }
    assert len(tables["corrections"]) == 1
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "| fluency | correction | 4 | 4 | 3 accept, 1 fix |" in card
    assert "| same | judgement | 3 | 15 | 3 kept, 1 of them paraphrases | 5.00 | 100 % |" in card
    assert "labels by rule were not rated again.**" in card
    assert "kappa" not in card


def value(report: Path, name: str) -> Any:
    return json.loads(report.read_text(encoding="utf-8"))["figures"][name]["value"]


def trace(store: Store) -> list[dict[str, Any]]:
    pairs, base = read_store(store, PAWS), base_config(store, PAWS)
    rated = {name: read_rated(store, name, pairs.plans.question(name)) for name in find_roles(store, base, pairs.plans)}
    return funnel.trace(store, PAWS, pairs, base, rated)


def check_flow(flow: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The steps by name, if what goes into a step of people or rules comes out of it or is a reject."""
    steps = {step["step"]: step for step in flow}
    for name, step in steps.items():
        given = [n for detail, n in step["details"].items() if detail.startswith("given to")]
        assert not given or given == [step["rows"] + sum(step["rejects"].values())], name
    judged = sum(step["rows"] for name, step in steps.items() if name.startswith("judged in"))
    into = judged + steps["made by rule"]["rows"]
    assert into == steps["labelled"]["rows"] + sum(steps["labelled"]["rejects"].values())
    return steps


def test_the_flow_of_a_derived_set_matches_its_campaigns(derived: Store, published: Path, tmp_path: Path) -> None:
    steps = check_flow(trace(derived))
    assert [*steps] == [
        "sentences", "candidates of paws-swap", "corrected in fluency", "judged in same", "candidates of paws-back",
        "judged in same-back", "made by rule", "labelled", "split",
    ]  # fmt: skip
    assert steps["corrected in fluency"]["rejects"] == {"fixed_back_to_source": 1}
    card = (published / "README.md").read_text(encoding="utf-8")
    judged = "3 given to raters, 15 ratings, 1 paraphrases, 2 other pairs"
    assert f"| judged in same | 3 pairs with a label | {judged} |" in card
    assert "assigned" not in card
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    recombine(
        Recombine(campaign=("same", "same-back"), store=store.root, config=BalanceConfig(swaps="none", balance=False))
    )
    steps = check_flow(trace(store))
    assert steps["labelled"]["rejects"] == {"not_in_the_set": 3}
    write_labels(store, "same", store.read(Pairs, generator="kept-for-same")["pair_id"].tolist(), [0, None, 1])
    recombine(Recombine(campaign=("same", "same-back"), store=store.root))
    steps = check_flow(trace(store))
    assert steps["judged in same"]["rejects"] == {"too_few_agree": 1}
    assert steps["labelled"]["rejects"]["unmatched"] > 0


def test_a_derived_set_has_a_report(derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["--store", str(derived.root), "--campaign", "paws", "--out", str(tmp_path)]
    assert run(report.main, prog="report", args=args) == 0
    assert "The labels rest on the campaigns fluency, same, same-back." in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "were not rated again: how often they are wrong is not known" in page
    assert "agreement of raters in same-back is not measured yet" in page
    assert "<dt>Texts</dt>" in page
    assert "Words per text" in page
    assert page.count("efinition") == 1  # the table, in the list of those that the flow comes from
    found = tmp_path / "report.json"
    check_flow(value(found, "flow"))
    assert [row["campaign"] for row in value(found, "basis")["campaigns"]] == ["fluency", "same", "same-back"]
    assert value(found, "agreement") is None
    assert value(found, "sides")["straight"]["n"] == 55
    assert value(found, "likeness")[-1]["pairs"] == value(found, "labels")["pairs"]
    assert {row["name"] for row in value(found, "shortcuts")} >= {"bow_cosine", "lexical_baseline"}
    figures = json.loads(found.read_text(encoding="utf-8"))["figures"]
    assert figures["labels"]["again"] == "python -m generation recombine"


def test_silver_labels_have_a_report(derived: Store, tmp_path: Path) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    write_generated(store, "more-swaps", OTHERS.items(), "word-swap")
    write_generated(store, "more-backs", [(text, f"{text}, back") for text in OTHERS], "back-translation")
    label_silver(Silver(among=("more-swaps", "more-backs"), store=store.root))
    args = ["--store", str(store.root), "--campaign", "silver", "--out", str(tmp_path / "out")]
    assert run(report.main, prog="report", args=args) == 0
    found = tmp_path / "out" / "report.json"
    assert value(found, "basis")["campaigns"] == []
    assert set(value(found, "basis")["labels"]) == {"silver"}
    steps = {step["step"]: step["rows"] for step in value(found, "flow")}
    assert (steps["candidates of more-swaps"], steps["candidates of more-backs"]) == (4, 4)
    row = {"id": "x", "reason": "group_of_a_labelled_pair", "detail": None}
    store.reject("generation.silver", pd.DataFrame([row]), BY_TEST, part="paws-rule-silver")
    rule = splits.SplitRule(shares=(40, 30, 30), seed=4)
    splits.main(splits.Arguments(store=store.root, campaigns=("silver",), method="silver", rule=rule))
    assert publish(store, tmp_path / "set", campaign="silver", method="silver") == 0
    assert without_rows(tmp_path / "set") == ["sentences"]  # it says that nothing is known of them
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "**These pairs were not judged.**" in card
    assert "expert-generated" not in card
    assert "kappa is" not in card
    assert "pairs without a judgement | 12 by how they were made | 1 group of a labelled pair |" in card
    assert check(tmp_path / "set") == 0


def without_rows(folder: Path) -> list[str]:
    """The tables of a release that hold nothing."""
    return [path.stem for path in sorted((folder / "data").iterdir()) if not len(pd.read_parquet(path))]


def test_no_table_of_a_derived_set_is_empty(published: Path, tables: dict[str, pd.DataFrame]) -> None:
    assert without_rows(published) == []
    assert not {"ratings", "annotators", "quality", "provenance", "sources"} & tables.keys()
    assert {"campaign_ratings", "generated_texts", "sentences", "flow"} < tables.keys()


def test_a_release_of_a_derived_set_has_a_report(published: Path, tmp_path: Path) -> None:
    assert run(report.main, prog="report", args=["--dataset", str(published), "--out", str(tmp_path)]) == 0
    assert value(tmp_path / "report.json", "basis")["ruled"] > 0
    check_flow(value(tmp_path / "report.json", "flow"))


def test_each_made_text_is_followed_to_its_sentence(
    published: Path, tables: dict[str, pd.DataFrame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {*tables["pairs"]["first_id"], *tables["pairs"]["second_id"]}
    ways = ways_back(ends, tables["generated_texts"])
    sentences = tables["sentences"]
    assert set(ways.loc[ways["origin"].isin(sentences["sentence_id"]), "text_id"]) == ends
    assert sentences[["source", "source_id"]].drop_duplicates().to_numpy().tolist() == [["lines", "1"]]
    back = text_id("Flights from Florida to New York, which came back")
    assert set(ways.loc[ways["text_id"] == back, "origin"]) == {
        back, text_id("Flights from Florida to New York"), text_id("Flights from New York to Florida")
    }  # fmt: skip
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "| back-translation | paws-back | – | 8 |" in card
    assert "| lines | none stated | 4 | 1 |" in card
    assert "0 annotators" not in card
    assert "In the table:" not in card
    assert "Pairs of texts, labelled for whether they mean the same." in card
    assert "efinition has between" not in card
    assert "names the entity" not in card
    assert "No card holds these texts: see “What the texts were made from”. Basis for publishing: ours." in card
    copy = shutil.copytree(published, tmp_path / "copy")
    for name, column in (("sentences", "sentence_id"), ("generated_texts", "text_id")):
        path = copy / "data" / f"{name}.parquet"
        table = pd.read_parquet(path, dtype_backend="pyarrow")
        more = pd.concat([table, table.iloc[:1].assign(**{column: "another"})], ignore_index=True)
        pq.write_table(pa.Table.from_pandas(more, pq.read_schema(path), preserve_index=False), path)
    seal(copy)
    assert check(copy) == 1
    shown = capsys.readouterr().out
    assert "sentences: no text of a pair was made from another" in shown
    assert "generated_texts: no text of a pair was made from another" in shown


def test_made_texts_are_put_back_from_the_store_that_made_them(
    derived: Store, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare, whole = tmp_path / "bare", tmp_path / "whole"
    assert publish(derived, bare, "--without-text") == 0
    assert "restore THIS_FOLDER --store STORE --out" in (bare / "README.md").read_text(encoding="utf-8")
    args = [str(bare), "--out", str(whole), "--store"]
    assert run(restore.main, prog="restore", args=[*args, str(tmp_path / "none")]) == 2
    assert "made texts are in the store" in capsys.readouterr().err
    assert run(restore.main, prog="restore", args=[*args, str(derived.root)]) == 0
    assert check(whole) == 0
    assert (whole / "data" / "train.parquet").read_bytes() == (published / "data" / "train.parquet").read_bytes()


def test_each_falsified_label_is_one_line(tables: dict[str, pd.DataFrame]) -> None:
    pairs = tables["pairs"]
    assert {"rule", "judged", "fixed_back_to_source"} == set(pairs["decided_by"])
    assert list(list_mismatches(tables)) == []
    for row, pair, label in zip(pairs.index, pairs["pair_id"], pairs["binary"], strict=True):
        found = list(list_mismatches(changed(tables, "pairs", row, binary=1 - label)))
        assert len(found) == 1
        assert f"pair {pair}: label {1 - label} by " in found[0]


def test_each_changed_rating_is_found(tables: dict[str, pd.DataFrame]) -> None:
    ratings = tables["campaign_ratings"]
    for row, campaign, pair, score in ratings.loc[::7, ["campaign", "pair_id", "score"]].itertuples():
        found = list(list_mismatches(changed(tables, "campaign_ratings", row, score=1 - score)))
        assert (campaign == "fluency") or found[0].startswith(f"judgements, {campaign}, pair {pair}: votes, n_votes")


def test_what_a_label_is_said_to_follow_from_must_lead_to_its_texts(tables: dict[str, pd.DataFrame]) -> None:
    pairs = tables["pairs"]
    ruled = pairs[pairs["decided_by"] == "rule"]
    other = next(list(parents) for parents in ruled["parents"] if set(parents) != set(ruled["parents"].iloc[0]))
    parents = pairs["parents"].astype(object)
    parents.at[ruled.index[0]] = other
    assert "lead to other texts" in next(list_mismatches(tables | {"pairs": pairs.assign(parents=parents)}))
    judged = tables["judgements"]
    some = judged[judged["pair_id"] != ruled["parents"].iloc[0][0]].reset_index(drop=True)
    assert any("no one judged" in line for line in list_mismatches(tables | {"judgements": some}))
    rewritten = tables["corrections"].assign(text="another")
    assert "its corrector wrote another text" in next(list_mismatches(tables | {"corrections": rewritten}))


def test_a_forged_release_with_new_checksums_is_named(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(published, tmp_path / "copy")
    path = copy / "data" / "campaign_ratings.parquet"
    table = pq.read_table(path)
    scores = pa.array([1 - table["score"][0].as_py(), *table["score"].to_pylist()[1:]])
    place = table.schema.get_field_index("score")
    pq.write_table(table.set_column(place, table.schema.field(place), scores), path)
    seal(copy)
    assert check(copy) == 1
    assert "  judgements, " in capsys.readouterr().out


def test_ids_alone_verify_and_the_names_of_simulated_sets_say_so(
    derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish(derived, tmp_path / "ids", "--without-text") == 0
    assert check(tmp_path / "ids") == 0
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    people = store.read(Annotators, campaign="same-back").assign(role="simulated", at=START + timedelta(days=1))
    store.append(Annotators, people, BY_TEST)
    assert publish(store, tmp_path / "other") == 1
    assert "refused: 40 ratings are simulated" in capsys.readouterr().out


def test_labels_that_no_longer_follow_are_refused(
    derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    labels = store.read(Labels, campaign="paws", method="rule")
    row = labels.index[labels["decided_by"] == "rule"][0]
    labels.loc[row, "binary"] = 1 - labels.loc[row, "binary"]
    store.replace(Labels, labels, store_manifest(store), campaign="paws", method="rule")
    assert publish(store, tmp_path / "out") == 1
    shown = capsys.readouterr().out
    assert "refused: labels or measures do not follow from the ratings (pair " in shown
    assert "run `quality`, `adjudicate` and `recombine` again" in shown
    assert store.read(Rejects, reason="fixed_back_to_source")["id"].nunique() == 1


def store_manifest(store: Store):  # type: ignore[no-untyped-def]
    last = store.manifest(Labels, campaign="paws", method="rule")
    return type(BY_TEST)(stage=last["stage"], config=last["config"])


def test_the_audit_is_on_the_card_by_label(derived: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(shutil.copytree(derived.root, tmp_path / "store"))
    labels = store.read(Labels, campaign="paws", method="rule").set_index("pair_id")["binary"]
    drawn = store.read(Pairs, generator="paws-rule-audit")["pair_id"].tolist()
    raters = [int(labels[pair]) for pair in drawn]
    raters[0] = 1 - raters[0]
    plan(store, "check", "same-meaning", "paws-rule-audit")
    judge(store, "check", drawn, raters)
    assert publish(store, tmp_path / "out") == 0
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| both | 6 | 6 | 1 | 17 % | 3 % to 56 % |" in card
    wrong = int(labels[drawn[0]])
    n = sum(int(labels[pair]) == wrong for pair in drawn)
    assert f"| {wrong} | {n} | {n} | 1 |" in card
    assert "not rated again" not in card
