"""A set in the files of PAWS, and read again."""

import shutil
from pathlib import Path

import nltk
import pandas as pd
import pytest

from analysis.splits import Arguments as SplitArguments
from analysis.splits import main as split
from data.console.errors import InputError, TableError
from data.labelled import corpora
from data.labelled.forms import paws
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from data.storage.store import Store
from data.texts.identity import pair_id, text_id
from generation.commands.export import Arguments as Export
from generation.commands.export import main as export
from generation.commands.recombine import Arguments as Recombine
from generation.commands.recombine import main as recombine
from generation.config import BalanceConfig
from tests.generation.judged import OTHERS, SWAPS, write_generated, write_labels, write_swaps

BACKS = {text: f"{text}, which came back" for couple in SWAPS.items() for text in couple}


@pytest.fixture(scope="module")
def balanced(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Four swaps, eight back translations, and what follows from both, in splits."""
    store = Store(tmp_path_factory.mktemp("balanced"))
    write_swaps(store)
    ids = write_generated(store, "paws-back", BACKS.items(), "back-translation")
    write_labels(store, "same-back", ids, [1] * 8)
    recombine(Recombine(campaign=("same", "same-back"), store=store.root, audit=0, config=BalanceConfig(balance=False)))
    split(SplitArguments(store=store.root, campaigns=("paws",), method="rule"))
    return store


def rows_of(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    """Each pair once, whichever of its texts comes first."""
    rows = frame[["first", "second", "binary", "split"]].itertuples(index=False, name=None)
    return sorted((*sorted((first, second)), *rest) for first, second, *rest in rows)


@pytest.mark.sweep
def test_what_is_exported_is_read_again_with_what_it_was_made_from(balanced: Store, tmp_path: Path, capsys) -> None:
    export(Export(out=tmp_path / "paws", store=balanced.root))
    shown = capsys.readouterr().out
    assert "4 raw pairs in input_swap.tsv" in shown
    assert "8 raw pairs in input_backtransl_with_swap_id.tsv" in shown
    read, _ = corpora.load(tmp_path / "paws")
    ours = open_dataset(balanced.root, LabelSet(campaigns=("paws",), method="rule")).frame
    assert rows_of(read) == rows_of(ours)
    for source, swap in SWAPS.items():
        raw = pair_id(text_id(source), text_id(swap))
        tied = read[read["parents"].map(lambda parents, raw=raw: raw in parents)]
        assert {text.removesuffix(", which came back") for text in [*tied["first"], *tied["second"]]} == {source, swap}


def test_the_text_that_was_made_is_on_either_side(balanced: Store, tmp_path: Path) -> None:
    export(Export(out=tmp_path / "paws", store=balanced.root))
    read, _ = corpora.load(tmp_path / "paws")
    backs = read[read["first"].str.endswith("came back") ^ read["second"].str.endswith("came back")]
    n_first = int(backs["first"].str.endswith("came back").sum())
    assert 0 < n_first < len(backs)
    export(Export(out=tmp_path / "again", store=balanced.root))
    assert (tmp_path / "again" / "train.tsv").read_bytes() == (tmp_path / "paws" / "train.tsv").read_bytes()


@pytest.mark.sweep
def test_noisy_labels_are_in_a_file_of_their_own(balanced: Store, tmp_path: Path) -> None:
    from generation.commands.silver import Arguments as Silver
    from generation.commands.silver import main as silver

    store = Store(shutil.copytree(balanced.root, tmp_path / "store"))
    write_generated(store, "more-swaps", OTHERS.items(), "word-swap")
    write_generated(store, "more-backs", [(text, f"{text}, back") for text in OTHERS], "back-translation")
    silver(Silver(among=("more-swaps", "more-backs"), store=store.root))
    export(Export(out=tmp_path / "paws", labels="silver", method="silver", store=store.root))
    assert (tmp_path / "paws" / "train.tsv").read_text().startswith("id\tsentence1\tsentence2\tnoisy_label\n1\t")
    assert len(corpora.load(tmp_path / "paws")[0]) == 4 + 4 + 4, "swaps, back translations, and what follows"


def test_an_index_and_the_questions_give_the_tokens_of_the_texts(
    balanced: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    english = tmp_path / "nltk" / "tokenizers" / "punkt_tab" / "english"
    english.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab"):
        (english / name).touch()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])
    lines = [f"{n}\t{2 * n}\t{2 * n + 1}\t{source}\twhich came , back\t0" for n, source in enumerate(SWAPS, start=1)]
    questions = tmp_path / "quora.tsv"
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
    questions.write_text("\n".join([header, *lines, "9\t90\t91\twhich came back, too\tso\t0\n"]), encoding="utf-8")
    export(Export(out=tmp_path / "index", qqp=questions, store=balanced.root))
    assert "pairs left out: Quora's questions lack its sentence, or a word of it" in capsys.readouterr().out
    assert not list((tmp_path / "index").glob("input_*"))
    (tmp_path / "index" / questions.name).write_text(questions.read_text())
    read, _ = corpora.load(tmp_path / "index")
    ours = open_dataset(balanced.root, LabelSet(campaigns=("paws",), method="rule")).frame
    swaps = ours[~ours["first"].str.contains("came back") & ~ours["second"].str.contains("came back")]
    for side in ("first", "second"):
        swaps = swaps.assign(**{side: swaps[side].map(lambda text: " ".join(paws.tokenize(text)))})
    assert rows_of(read) == rows_of(swaps)


def test_what_is_missing_is_said(balanced: Store, store: Store, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="by the method 'rule', found none; run `python -m generation recombine`"):
        export(Export(out=tmp_path / "paws", labels="other", store=balanced.root))
    with pytest.raises(InputError, match="expected a new or empty folder"):
        export(Export(out=balanced.root, store=balanced.root))
    with pytest.raises(TableError, match=r"python -m analysis\.splits"):
        export(Export(out=tmp_path / "paws", scheme="other", store=balanced.root))
    with pytest.raises(InputError, match="expected Quora's question pairs, found nothing there"):
        export(Export(out=tmp_path / "paws", qqp=tmp_path / "none.tsv", store=balanced.root))
