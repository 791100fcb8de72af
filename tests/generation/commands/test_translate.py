"""From judged pairs to pairs of a sentence and its back translation."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from data.console.errors import Findings, InputError, TableError
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.storage.store import Store
from generation.commands import translate
from generation.commands.translate import Arguments as Translate
from generation.commands.translate import main
from generation.config import TranslateConfig
from generation.engines.protocols import Translation
from tests.generation.judged import BY_TEST, SWAPS, write_labels, write_swaps


class Turns:
    """Puts a text's last two words first, and has a worse result, too."""

    name, k = "turns", 2

    def there_and_back(self, texts: Sequence[str]) -> list[list[Translation]]:
        return [
            [
                Translation(text=" ".join(words[-2:] + words[:-2]), via="x", score=-1.0, rank_there=0, rank_back=0),
                Translation(text="something else", via="x", score=-2.0, rank_there=0, rank_back=1),
            ]
            for words in map(str.split, texts)
        ]


@pytest.fixture
def judged(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(translate, "_open_translators", lambda *_: iter([Turns()]))
    write_swaps(store)
    return store


def test_both_sentences_of_each_judged_pair_are_translated(judged: Store, capsys: pytest.CaptureFixture[str]) -> None:
    main(Translate(campaign="same", store=judged.root))
    pairs = judged.read(Pairs, generator="paws-back")
    assert set(pairs["first"]) == {text for couple in SWAPS.items() for text in couple}
    assert pairs["parents"].map(len).eq(0).all()
    texts = judged.read(GeneratedTexts, generator="paws-back")
    assert dict(zip(texts["text_id"], texts["source_id"], strict=True)) == dict(
        zip(pairs["second_id"], pairs["first_id"], strict=True)
    )
    assert texts["steps"].map(list).tolist() == [["via x"]] * 8
    measures = judged.read(PairMeasures, generator="paws-back")
    by_measure = measures.set_index(["measure", "pair_id"])["value"]
    assert by_measure["bow_cosine"].min() > 0.999
    assert by_measure["inversion_rate"].between(0.02, 1, inclusive="neither").all()
    rejects = judged.read(Rejects, stage="generation.translate", part="paws-back")
    assert len(rejects) + len(pairs) == 16
    assert list(rejects["source_id"]) == [one.partition(" ")[0] for one in rejects["id"]]
    shown = capsys.readouterr().out
    assert "16 results for 8 sentences" in shown
    assert "8 dropped: low_cosine" in shown
    assert "--min-cosine keeps more" in shown


@pytest.mark.sweep
def test_processes_write_what_this_one_writes(judged: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(translate, "BATCH_TEXTS", 3)
    apart = Store(tmp_path / "apart")
    shutil.copytree(judged.root, apart.root)
    main(Translate(campaign="same", store=judged.root))
    main(Translate(campaign="same", engine="processes:2", store=apart.root))
    for table in (Pairs, GeneratedTexts, PairMeasures):
        rows = judged.read(table, generator="paws-back")
        assert len(rows)
        pd.testing.assert_frame_equal(rows, apart.read(table, generator="paws-back"))


def test_an_engine_that_cannot_be_used_is_said(store: Store) -> None:
    with pytest.raises(InputError, match=r"--engine: expected here, processes, .* found 'nowhere'"):
        main(Translate(pivots=("es",), engine="nowhere", store=store.root))
    with pytest.raises(InputError, match="--engine: expected here with --marian, found processes; leave --engine out"):
        main(Translate(marian=(Path("a"), Path("b")), engine="processes", store=store.root))


@pytest.mark.sweep
def test_a_pair_without_a_label_is_not_translated(judged: Store) -> None:
    ids = judged.read(Pairs, generator="paws-swap")["pair_id"].tolist()
    write_labels(judged, "same", ids, (None, None, None, 1))
    main(Translate(campaign="same", store=judged.root))
    assert len(judged.read(Pairs, generator="paws-back")) == 2
    main(Translate(among="paws-swap", generator="paws-back-silver", store=judged.root))
    assert len(judged.read(Pairs, generator="paws-back-silver")) == 6


@pytest.mark.sweep
def test_a_pair_that_another_generator_proposed_is_left_out(judged: Store) -> None:
    main(Translate(campaign="same", store=judged.root))
    with pytest.raises(Findings, match="no back translation is left"):
        main(Translate(campaign="same", generator="another", store=judged.root))
    rejects = judged.read(Rejects, stage="generation.translate", part="another")
    assert rejects["reason"].value_counts().to_dict() == {"low_cosine": 8, "already_a_pair": 8}


def test_what_cannot_be_translated_is_said(store: Store) -> None:
    with pytest.raises(TableError, match=r"labels of campaign 'main' by majority, found none \(generators: no pairs"):
        main(Translate(store=store.root, pivots=("es",)))
    write_swaps(store)
    with pytest.raises(InputError, match="found neither; give one of them"):
        main(Translate(campaign="same", store=store.root))
    with pytest.raises(InputError, match="found both; leave one out"):
        main(Translate(campaign="same", among="paws-swap", pivots=("es",), store=store.root))


def test_swaps_are_not_replaced_by_their_back_translations(judged: Store) -> None:
    with pytest.raises(InputError, match=r"--generator: expected a name of its own.*found 'paws-swap', pairs made"):
        main(Translate(campaign="same", generator="paws-swap", store=judged.root))
    assert len(judged.read(Pairs, generator="paws-swap")) == len(SWAPS)


@pytest.mark.sweep
def test_a_run_again_keeps_what_a_campaign_has_copied(judged: Store) -> None:
    main(Translate(campaign="same", store=judged.root))
    pairs = judged.read(Pairs, generator="paws-back")
    copied = pairs.assign(generator="kept-for-judgement")
    judged.replace(Pairs, copied, BY_TEST, generator="kept-for-judgement")
    main(Translate(campaign="same", store=judged.root, config=TranslateConfig(seed=2)))
    assert judged.read(Pairs, generator="paws-back")["pair_id"].tolist() == pairs["pair_id"].tolist()


def test_each_sentence_of_two_entities_has_its_own(judged: Store) -> None:
    pairs = judged.read(Pairs)
    for name, rows in pairs.groupby("generator"):
        joined = rows.assign(entity="merge sort", second_entity="heap sort")
        judged.replace(Pairs, joined, BY_TEST, generator=str(name))
    main(Translate(campaign="same", store=judged.root))
    texts = judged.read(GeneratedTexts).query("generator == 'paws-back'")
    assert set(texts["entity"]) == {"merge sort", "heap sort"}


@pytest.mark.sweep
def test_a_run_again_translates_nothing(
    judged: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(Translate(campaign="same", store=judged.root))
    version = judged.manifest(Pairs, generator="paws-back")
    monkeypatch.setattr(Turns, "there_and_back", None)
    main(Translate(campaign="same", store=judged.root))
    assert "the pairs of `paws-back` are up to date: nothing to do" in capsys.readouterr().out
    assert judged.manifest(Pairs, generator="paws-back") == version
