"""The data sets and weights of the four papers: where each is from, and which of them are here."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pandas as pd

from data.console.errors import InputError, ParadeError
from data.console.messages import quantity
from data.contract.vocabulary import SPLITS
from data.labelled import corpora
from data.models.pretrained import CONFIG, locate
from paraphrase_game.judges.released import read_attempts
from studies.papers.tables import PaperTable, Place, Row

WHOLE = 0.95
"""The share of a split's printed pairs from which on it counts as whole: readers leave out repeated pairs."""
FEW = 100
"""Pairs of a training or test split below which a data set is a sample of it."""


@dataclass(frozen=True, kw_only=True)
class Set:
    """A data set as its paper has it."""

    title: str
    origin: str
    """Where it is published."""
    pairs: Mapping[str, int] = field(default_factory=dict)
    """The pairs of each split; nothing where the folder holds no pairs in splits."""
    one_split: str = ""
    """The split of all pairs where the files' names say none."""
    folder: str = ""
    """What names its folder after `--data`, if that is not its own name."""
    part: str = ""
    """Of the machine's attempts: the folder inside."""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """A pretrained model; its sizes tell it from another one."""

    title: str
    kind: str
    """`model_type` in its configuration."""
    layers: int = 0
    width: int = 0
    words: int = 0
    """Pieces of its vocabulary."""


SETS: Mapping[str, Set] = {
    "parade": Set(
        title="PARADE",
        origin="github.com/heyunh2015/PARADE_dataset",
        pairs={"train": 7550, "validation": 1275, "test": 1357},  # He et al. 2020, section 5.1
    ),
    "mrpc": Set(
        title="MRPC (MSRP)",
        origin="Microsoft Research",
        pairs={"train": 4076, "test": 1725},  # Nighojkar and Licato 2021, Table 4
    ),
    "qqp": Set(title="QQP of GLUE", origin="gluebenchmark.com"),
    "qqp-wang": Set(
        title="QQP in the split of Wang et al. 2017",
        origin="github.com/zhiguowang/BiMPM",
        pairs={"train": 384348, "validation": 10000, "test": 10000},  # Shi and Huang 2020, section 4.1
    ),
    "paws-qqp": Set(
        title="PAWS-QQP, built from QQP",
        origin="github.com/google-research-datasets/paws",
        pairs={"train": 11988, "validation": 677},  # Zhang et al. 2019, Table 5, as the next two
    ),
    "paws-wiki": Set(
        title="PAWS-Wiki",
        origin="github.com/google-research-datasets/paws",
        pairs={"train": 49401, "validation": 8000, "test": 8000},
    ),
    "paws-swap": Set(
        title="PAWS-Wiki-Swap",
        origin="github.com/google-research-datasets/paws",
        pairs={"train": 30397},
        one_split="train",
    ),
    "paws-silver": Set(
        title="PAWS-Wiki without judgements",
        origin="github.com/google-research-datasets/paws",
        pairs={"train": 656000},  # section 4
        one_split="train",
    ),
    "twitter-url": Set(title="Twitter-URL", origin="github.com/lanwuwei/Twitter-URL-Corpus"),
    "pit2015": Set(title="PIT-2015", origin="github.com/cocoxu/SemEval-PIT2015"),
    "twitter-ppdb": Set(
        title="TwitterPPDB, cleaned", origin="the authors of the game", pairs={"train": 42000}, one_split="train"
    ),
    "apt": Set(
        title="AP_H as released",
        origin="github.com/Advancing-Machine-Human-Reasoning-Lab/apt",
        pairs={"train": 3746, "test": 1261},  # Nighojkar and Licato 2021, Table 4
    ),
    "t5-msrp": Set(
        title="all attempts of the machine at MSRP",
        origin="the folder nap of github.com/Advancing-Machine-Human-Reasoning-Lab/apt",
        pairs={"train": 62986},  # Nighojkar and Licato 2021, Table 2, as the next one
        folder="nap",
        part="msrp1",
    ),
    "t5-twitter": Set(
        title="all attempts of the machine at TwitterPPDB",
        origin="the folder nap of github.com/Advancing-Machine-Human-Reasoning-Lab/apt",
        pairs={"train": 75011},
        folder="nap",
        part="twitterppdb1",
    ),
}
"""The data sets by name. TwitterPPDB's size is what the sizes in Table 6 of the game's paper leave for it."""
GIVEN = dict.fromkeys(one.folder or name for name, one in SETS.items())
"""What `--data NAME=FOLDER` may name."""

WEIGHTS: Mapping[str, Weights] = {
    "bert-base-uncased": Weights(title="BERT-base", kind="bert", layers=12, width=768, words=30522),
    "bert-large-uncased": Weights(title="BERT-large", kind="bert", layers=24, width=1024, words=30522),
    "albert-xxlarge-v2": Weights(title="ALBERT-xxlarge", kind="albert", layers=12, width=4096, words=30000),
    "allenai/scibert_scivocab_uncased": Weights(title="SciBERT", kind="bert", layers=12, width=768, words=31090),
    "roberta-base": Weights(title="RoBERTa-base", kind="roberta", layers=12, width=768, words=50265),
    "glove": Weights(title="GloVe's vectors of 300 dimensions", kind="a file of word vectors"),
}
"""What `--weights NAME=FOLDER` names; each name but `glove` is the hub's, which keeps what it fetched before."""


def split_by_protocol(frame: pd.DataFrame, one_split: str = "") -> pd.DataFrame:
    """The labelled pairs, split as the papers do: without labels for its test pairs, a set's validation is its test.

    He et al. 2020, section 5.1, do so with QQP, whose labels GLUE keeps; Zhang et al. 2019, section 6.1, with PAWS-QQP,
    which has no test set. A new validation part is then drawn from the training pairs (`train --validation-share`).
    """
    frame = frame[frame["binary"].notna()]
    split = frame["split"].astype("object").where(frame["split"].notna(), one_split or None)
    if not (split == "test").any() and not one_split:
        split = split.replace({"validation": "test"})
    return frame.assign(split=split)


def find_set(name: str, place: Place) -> Path | None:
    """The folder of the data set; None where none was given, or it is not inside."""
    wanted = SETS[name]
    folder = place.data.get(wanted.folder or name)
    return folder if folder is None or not wanted.part or (folder := folder / wanted.part).is_dir() else None


@cache
def read_set(name: str, path: Path) -> pd.DataFrame:
    """The pairs of a data set, in the form of `data.labelled.dataset`, split by the papers' protocol."""
    wanted = SETS[name]
    if not wanted.part:
        return split_by_protocol(corpora.load(path)[0], wanted.one_split)
    attempts = read_attempts(path)
    return attempts.rename(columns={"mi": "binary"}).assign(split="train")


def count_pairs(name: str, path: Path) -> Mapping[str, int]:
    """The labelled pairs of each split."""
    found = read_set(name, path)["split"].value_counts()
    return {split: int(found.get(split, 0)) for split in SPLITS}


def miss(table: PaperTable, row: Row, place: Place) -> Iterator[str]:
    """What the row needs and is not here, each in a few words."""
    for name in row.needs_data():
        yield from miss_data(name, row, place)
    for name in row.needs_weights():
        if name != "glove" and find_weights(name, place) is None:
            yield f"weights of {WEIGHTS[name].title} (--weights {name}=FOLDER)"
    if table.people:
        yield f"people: {table.people}"


def miss_data(name: str, row: Row, place: Place) -> Iterator[str]:
    """What is not here of one data set: all of it, or the splits that the row learns from or is tested on."""
    wanted, path = SETS[name], find_set(name, place)
    if path is None:
        yield f"{wanted.title}, from {wanted.origin} (--data {wanted.folder or name}=FOLDER)"
        return
    if not row.model:
        return
    found = count_pairs(name, path)
    for split, asked in (("train", name in (*row.learns, *row.start)), ("test", name in row.data)):
        if asked and found[split] <= FEW:
            has = quantity(found[split], "pair") if found[split] else "none"
            yield f"the {split} pairs of {wanted.title}, of which {has} {'is' if found[split] < 2 else 'are'} here"


def differ(row: Row, place: Place) -> Iterator[str]:
    """In what the row's data and weights differ from the paper's, though it can be computed with them."""
    for name in row.needs_data() if row.model else ():
        path, printed = find_set(name, place), dict(SETS[name].pairs)
        if "test" not in printed and "validation" in printed:
            printed["test"] = printed.pop("validation")
        found = count_pairs(name, path) if path and printed else {}
        for split, asked in (("train", name in (*row.learns, *row.start)), ("test", name in row.data)):
            if asked and found.get(split, 0) < WHOLE * printed.get(split, 0):
                yield f"{found[split]:,} of {printed[split]:,} {split} pairs of {SETS[name].title}"
    for name in row.needs_weights():
        if other := unlike(name, place):
            yield f"{other} in place of {WEIGHTS[name].title}"


def find_weights(name: str, place: Place) -> str | None:
    """The folder of the weights: given, or fetched before; None where they are not here."""
    if name in place.weights:
        return place.weights[name]
    if name == "glove":
        return None
    try:
        from huggingface_hub import snapshot_download

        return str(snapshot_download(name, local_files_only=True))
    except (ImportError, OSError, ValueError):
        return None


def unlike(name: str, place: Place) -> str | None:
    """What takes the place of the weights, in a few words; None where they are the paper's own by their sizes."""
    folder, wanted = find_weights(name, place), WEIGHTS[name]
    if name == "glove":
        return None if folder else "word vectors learned from the texts of the data set"
    if folder is None:
        return None
    path = Path(locate(folder, "--weights")) / CONFIG
    if not path.is_file():
        raise InputError(
            f"--weights {name}", expected=f"a folder with {CONFIG}", found=folder, remedy="name the model's folder"
        )
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
        sizes = form["model_type"], form["num_hidden_layers"], form["hidden_size"], form["vocab_size"]
    except (ValueError, KeyError, TypeError) as fault:
        remedy = "fetch the model again"
        raise ParadeError(path, expected="a model's form", found=str(fault), remedy=remedy) from fault
    if sizes == (wanted.kind, wanted.layers, wanted.width, wanted.words):
        return None
    return f"{folder} ({sizes[1]} layers of {sizes[2]})"


def read_given(flag: str, words: Sequence[str], known: Mapping[str, object]) -> dict[str, str]:
    """NAME=FOLDER -> by name; raises InputError for another form, a name that is not known, or one given twice."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, place = word.partition("=")
        if not equals or not place or name not in known or name in found:
            names = ", ".join(known)
            raise InputError(
                flag, expected=f"NAME=FOLDER, each once, of {names}", found=repr(word), remedy="correct it"
            )
        found[name] = place
    return found
