"""From judged pairs to a balanced set, and to a silver one that shares nothing with it."""

import shlex

import pandas as pd
import pytest

from analysis.leakage import Arguments as LeakageArguments
from analysis.leakage import main as find_leaks
from analysis.splits import Arguments as SplitArguments
from analysis.splits import main as split
from data.console.commands import run
from data.console.errors import Findings, InputError, TableError
from data.contract.tables.campaign import Assignments
from data.contract.tables.generated import PairMeasures
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.grouping.dealing import SplitRule
from data.labelled.label_set import LabelSet
from data.storage.store import Store
from data.texts.identity import pair_id, text_id
from generation.commands.recombine import Arguments as Recombine
from generation.commands.recombine import main as recombine
from generation.commands.silver import Arguments as Silver
from generation.commands.silver import main as silver
from generation.config import BALANCES, BalanceConfig
from tests.generation.judged import BY_TEST, OTHERS, SWAPS, plan, write_generated, write_labels, write_swaps
from tests.generation.world import arpa

BACKS = {text: f"{text}, which came back" for couple in SWAPS.items() for text in couple}


@pytest.fixture
def judged(store: Store) -> Store:
    """Four swaps (labels 0, 0, 0, 1), each with two back translations (all 1 but the last)."""
    write_swaps(store)
    ids = write_generated(store, "paws-back", BACKS.items(), "back-translation")
    write_labels(store, "same-back", ids, [1] * 7 + [0])
    return store


def balance(store: Store, **more: object) -> None:
    """Make the whole set; of so few pairs hardly two look alike, so all stay unless a test says otherwise."""
    options: dict[str, object] = {"config": BalanceConfig(balance=False)} | more
    recombine(Recombine(campaign=("same", "same-back"), store=store.root, **options))  # type: ignore[arg-type]


@pytest.mark.sweep
def test_the_whole_set_has_labels_parents_and_measures(judged: Store, capsys: pytest.CaptureFixture[str]) -> None:
    balance(judged, audit=5)
    shown = capsys.readouterr().out
    made = judged.read(Pairs, generator="paws-rule").set_index("pair_id")
    labels = judged.read(Labels, campaign="paws", method="rule").set_index("pair_id")
    assert (len(made), len(labels)) == (12, 24)
    assert "4 judged swaps, 8 judged back translations" in shown
    ruled = labels.loc[made.index]
    assert set(ruled["decided_by"]) == {"rule"}
    assert ruled["n_votes"].eq(0).all()
    assert set(labels.drop(made.index)["n_votes"]) == {5}
    assert set(labels.drop(made.index)["decided_by"]) == {"judged"}
    s1, s2 = list(SWAPS.items())[3]
    ends = [(s2, BACKS[s1], 1), (s1, BACKS[s2], 0), (BACKS[s1], BACKS[s2], 0)]
    for first, second, label in ends:
        assert labels.loc[pair_id(text_id(first), text_id(second)), "binary"] == label
    parents = made.loc[pair_id(text_id(BACKS[s1]), text_id(BACKS[s2])), "parents"]
    assert set(parents) == {pair_id(text_id(a), text_id(b)) for a, b in ((s1, s2), (s1, BACKS[s1]), (s2, BACKS[s2]))}
    measures = judged.read(PairMeasures, generator="paws-rule")
    assert measures.groupby("measure")["pair_id"].nunique().to_dict() == {"bow_cosine": 24, "inversion_rate": 24}
    audited = judged.read(Pairs, generator="paws-rule-audit")
    assert len(audited) == 5
    assert set(audited["pair_id"]) <= set(made.index)
    assert "--generator paws-rule-audit --question same-meaning" in shown


@pytest.mark.sweep
def test_swaps_without_a_back_translation_are_a_set_of_their_own(
    judged: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    lonely = write_generated(judged, "more-swaps", list(OTHERS.items())[:2], "word-swap")
    write_labels(judged, "more", lonely, [0, 1])
    command = ["--campaign", "same", "same-back", "more", "--recipe", "paper", "--store", str(judged.root)]
    assert run(recombine, prog="python -m generation recombine", args=command, recipes=BALANCES) == 0
    assert "2 swaps without a back translation in campaign paws-swaps: 1 paraphrases" in capsys.readouterr().out
    apart = judged.read(Labels, campaign="paws-swaps", method="rule")
    assert set(apart["pair_id"]) == set(lonely)
    labels = judged.read(Labels, campaign="paws", method="rule")
    assert len(labels) == 24
    assert not set(labels["pair_id"]) & set(lonely)
    split(SplitArguments(store=judged.root, campaigns=("paws-swaps",), method="rule"))
    assert run(recombine, prog="recombine", args=[*command[:3], *command[4:]], recipes=BALANCES) == 0
    assert judged.read(Labels, campaign="paws-swaps").empty
    for swaps, n in (("translated", 2), ("all", 0)):
        assert run(recombine, prog="recombine", args=[*command, "--swaps", swaps], recipes=BALANCES) == 0
        assert len(judged.read(Labels, campaign="paws-swaps")) == n


@pytest.mark.sweep
def test_splits_count_the_labelled_pairs_apart_from_those_that_they_were_made_from(
    judged: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    balance(judged, config=BalanceConfig(swaps="none", balance=False))
    labels = judged.read(Labels, campaign="paws", method="rule")["pair_id"]
    split(SplitArguments(store=judged.root, campaigns=("paws",), method="rule"))
    splits = judged.read(Splits)
    others = int((~splits["pair_id"].isin(labels)).sum())
    assert others > 0
    n_groups = splits["group"].nunique()
    line = f"{len(labels):,} pairs, with {others} that they were made from, in {n_groups} groups: train "
    assert line in capsys.readouterr().out


@pytest.mark.sweep
def test_the_next_command_that_splits_print_finds_the_labels_of_the_set(
    judged: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    balance(judged)
    split(SplitArguments(store=judged.root, campaigns=("paws",), method="rule"))
    command = capsys.readouterr().out.splitlines()[-1].removeprefix("next: python -m analysis.leakage ")
    assert run(find_leaks, prog="python -m analysis.leakage", args=shlex.split(command)) == 0


@pytest.mark.sweep
def test_no_split_shares_anything_with_another_and_silver_pairs_share_nothing_with_them(
    judged: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    balance(judged)
    split(SplitArguments(store=judged.root, campaigns=("paws",), method="rule"))
    assert judged.read(Splits)["group"].nunique() == 4
    find_leaks(LeakageArguments(dataset=judged.root, label_set=LabelSet(campaigns=("paws",), method="rule")))
    mixed = {**dict(list(SWAPS.items())[:1]), **OTHERS}
    swaps = write_generated(judged, "more-swaps", mixed.items(), "word-swap")
    write_generated(judged, "more-backs", [(text, f"{text}, back") for text in OTHERS], "back-translation")
    silver(Silver(among=("more-swaps", "more-backs"), store=judged.root))
    labels = judged.read(Labels, campaign="silver", method="silver").set_index("pair_id")["binary"]
    assert labels.loc[swaps[1:]].tolist() == [0] * 4
    assert swaps[0] not in labels.index
    assert labels.value_counts().to_dict() == {0: 8, 1: 4}
    rejects = judged.read(Rejects, stage="generation.silver", part="paws-rule-silver")
    assert rejects["reason"].tolist() == ["group_of_a_labelled_pair"]
    assert "12 silver labels written" in capsys.readouterr().out


@pytest.mark.sweep
def test_a_swap_corrected_back_to_its_source_is_a_paraphrase_by_rule_and_never_held_out(judged: Store) -> None:
    swap = judged.read(Pairs, generator="paws-swap").iloc[0]
    rejects = pd.DataFrame([{"id": swap["pair_id"], "reason": "fixed_back_to_source", "detail": None}])
    judged.reject("annotation.plan", rejects, BY_TEST, part="same")
    balance(judged)
    labels = judged.read(Labels, campaign="paws", method="rule")
    same = labels[labels["decided_by"] == "fixed_back_to_source"].iloc[0]
    assert same["binary"] == 1
    pair = judged.read(Pairs, generator="paws-rule", pair_id=same["pair_id"]).iloc[0]
    assert pair["first"] == pair["second"] == swap["first"]
    assert list(pair["parents"]) == [swap["pair_id"]]
    for seed in range(6):
        rule = SplitRule(seed=seed)
        split(SplitArguments(store=judged.root, campaigns=("paws",), method="rule", rule=rule))
        splits = judged.read(Splits).set_index("pair_id")["split"]
        assert splits.get(same["pair_id"], "train") == "train"
        if same["pair_id"] not in splits:
            reasons = judged.read(Rejects, stage="analysis.splits", part="by-entity")["reason"]
            assert reasons.tolist() == ["identical_texts"]


@pytest.mark.sweep
def test_swaps_restored_in_other_campaigns_are_no_part_of_the_set(judged: Store) -> None:
    swaps = judged.read(Pairs, generator="paws-swap")["pair_id"].tolist()
    plan(judged, "same", "same-meaning", "kept-for-same", "grammar")
    plan(judged, "grammar", "sentence-correction", "kept-for-grammar", "fluency")
    for campaign, pair in (("same", swaps[0]), ("grammar", swaps[1]), ("elsewhere", swaps[2])):
        rejects = pd.DataFrame([{"id": pair, "reason": "fixed_back_to_source", "detail": None}])
        judged.reject("annotation.plan", rejects, BY_TEST, part=campaign)
    balance(judged)
    made = judged.read(Pairs, generator="paws-rule")
    restored = made.loc[made["selection"] == "fixed_back_to_source", "parents"]
    assert {pair for parents in restored for pair in parents} == set(swaps[:2])


@pytest.mark.sweep
def test_the_language_model_says_how_much_likelier_the_second_text_is(judged: Store, tmp_path, engines) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "toy.arpa").write_text(arpa())
    balance(judged, lm=tmp_path / "toy.arpa", config=BalanceConfig(swaps="none", balance=False))
    measures = judged.read(PairMeasures, generator="paws-rule", measure="lm_margin")
    assert len(measures) == 20
    assert measures["value"].notna().all()
    assert measures["model_sha256"].nunique() == 1


@pytest.mark.sweep
def test_a_balanced_set_has_as_many_pairs_of_each_label_and_a_reason_for_the_others(judged: Store) -> None:
    balance(judged, config=BalanceConfig())
    labels = judged.read(Labels, campaign="paws", method="rule")
    assert labels["binary"].value_counts().to_dict() in ({0: n, 1: n} for n in range(1, 12))
    rejects = judged.read(Rejects, stage="generation.recombine", part="paws-rule", reason="unmatched")
    assert len(labels) + len(rejects) == 24
    assert not set(labels["pair_id"]) & set(rejects["id"])
    assert set(judged.read(PairMeasures, generator="paws-rule")["pair_id"]) == set(labels["pair_id"])


def test_no_run_replaces_what_another_command_made(judged: Store) -> None:
    write_generated(judged, "own", OTHERS.items(), "word-swap")
    for call, name in ((balance, "paws-swap"), (silver_of, "own"), (balance, " ")):
        before = judged.read(Pairs)
        with pytest.raises(InputError, match=r"--generator: expected a name.*found ('own'|'paws-swap'|' ')"):
            call(judged, generator=name)
        pd.testing.assert_frame_equal(judged.read(Pairs), before)


def silver_of(store: Store, **more: object) -> None:
    silver(Silver(among=("own",), store=store.root, **more))  # type: ignore[arg-type]


@pytest.mark.sweep
def test_a_second_set_has_pairs_of_its_own(judged: Store) -> None:
    balance(judged)
    with pytest.raises(InputError, match="found 'paws-rule', the pairs of 'paws'; give another name"):
        balance(judged, labels="second")
    assert len(judged.read(Pairs, generator="paws-rule")) == 12
    with pytest.raises(InputError, match="expected a name that a file can have, found 'a/b'"):
        balance(judged, labels="second", generator="a/b")
    balance(judged, labels="second", generator="second")
    assert len(judged.read(Pairs, generator="second")) == 12


def test_labels_are_not_put_among_raters(judged: Store) -> None:
    rows = pd.DataFrame({"pair_id": judged.read(Pairs)["pair_id"].head(1), "assignment_id": "a1", "annotator": "a01"})
    at = pd.Timestamp("2026-01-01", tz="UTC")
    rows = rows.assign(campaign="main", round=1, position=0, flipped=False, kind="work", supersedes=None, at=at)
    judged.append(Assignments, rows, BY_TEST)
    with pytest.raises(InputError, match="--labels: expected a name of its own, found 'main', a campaign of raters"):
        balance(judged, labels="main")
    with pytest.raises(InputError, match="found 'main', a campaign of raters"):
        silver(Silver(among=("paws-swap",), labels="main", store=judged.root))


def test_judged_pairs_are_never_silver_even_without_a_split(judged: Store) -> None:
    with pytest.raises(Findings, match="all 24 pairs share a group with a labelled pair: nothing is silver"):
        silver(Silver(among=("paws-swap", "paws-back"), store=judged.root))


@pytest.mark.sweep
def test_silver_labels_of_one_kind_are_a_finding(judged: Store) -> None:
    write_generated(judged, "more-swaps", OTHERS.items(), "word-swap")
    with pytest.raises(Findings, match="every label is 0, which teaches no model anything: swaps are 0"):
        silver(Silver(among=("more-swaps",), store=judged.root))
    write_generated(judged, "fixes", OTHERS.items(), "correction")
    with pytest.raises(Findings, match="these generators made neither word swaps nor back translations"):
        silver(Silver(among=("fixes",), store=judged.root))


@pytest.mark.sweep
@pytest.mark.parametrize("label", [0, 1])
def test_a_set_of_one_label_is_a_finding(judged: Store, label: int) -> None:
    for campaign, generator in (("same", "paws-swap"), ("same-back", "paws-back")):
        ids = judged.read(Pairs, generator=generator)["pair_id"].tolist()
        write_labels(judged, campaign, ids, [label] * len(ids))
    with pytest.raises(Findings, match=f"nothing written: every label is {label}; --no-balance keeps all"):
        balance(judged, config=BalanceConfig())
    with pytest.raises(Findings, match=f"every label is {label}, which teaches no model anything: judge more pairs"):
        balance(judged)


def test_names_that_are_left_out_or_unknown_are_said(judged: Store) -> None:
    with pytest.raises(InputError, match="--campaign: expected one or more, found none"):
        recombine(Recombine(campaign=(), store=judged.root))
    with pytest.raises(InputError, match="--among: expected one or more, found none"):
        silver(Silver(among=(), store=judged.root))


@pytest.mark.sweep
def test_what_is_missing_is_said(judged: Store, store: Store) -> None:
    with pytest.raises(TableError, match="decided labels of campaign 'other' by majority, found none"):
        recombine(Recombine(campaign=("other",), store=judged.root))
    with pytest.raises(Findings, match="nothing written: no label follows"):
        recombine(Recombine(campaign=("same",), config=BalanceConfig(swaps="none"), labels="backs", store=judged.root))
    with pytest.raises(InputError, match="'same', a judged campaign; rename"):
        balance(judged, labels="same")
    with pytest.raises(Findings, match="no sentence has both a judged swap and a judged back translation"):
        recombine(Recombine(campaign=("same",), store=judged.root, config=BalanceConfig(balance=False)))
    with pytest.raises(TableError, match="pairs of generator 'x', found pairs of paws-back"):
        silver(Silver(among=("x",), store=judged.root))
