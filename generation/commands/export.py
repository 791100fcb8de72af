"""The command `export`: a labelled set -> the files in which PAWS is published."""

import csv
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from data.console.errors import Findings, InputError
from data.console.marks import Positional
from data.console.messages import quantity, say
from data.console.paths import Address, existing_file
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import RULE, SILVER
from data.files.whole import whole_folder
from data.labelled.forms import paws
from data.labelled.label_set import LabelSet
from data.labelled.sources import need_splits, open_dataset
from data.storage.store import Store
from data.texts.identity import digest
from generation.balancing.published import TextDescent, descent, index_pairs, list_raw

BREAKS = r"[\t\r\n]+"
SIDES = [("sentence1", "sentence2"), ("first_id", "second_id")]


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write a set in the files of PAWS: labelled pairs by split, raw pairs with ids, what each text was made from."""

    out: Positional[Path]
    """The folder to write; new or empty."""
    labels: str = "paws"
    """The name of the campaign that has the set's labels."""
    method: str = RULE
    """The method by which they were made; labels of `silver` are written to train.tsv, as noisy labels."""
    scheme: str | None = None
    """The split; by default `by-entity`."""
    qqp: Path | None = None
    """Quora's question pairs: write places in its questions in place of texts, for a set of its questions."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Write the folder, and say what has no place in it."""
    if arguments.out.exists() and (not arguments.out.is_dir() or any(arguments.out.iterdir())):
        raise InputError(arguments.out, expected="a new or empty folder", found="files", remedy="name another")
    store = Store(arguments.store)
    questions = paws.Questions(existing_file(arguments.qqp, "Quora's question pairs")) if arguments.qqp else None
    pairs = _read(store, arguments)
    ways = descent(store.read(GeneratedTexts, ["generator", "text_id", "source_id", "method"]))
    texts = _texts(store)
    pairs = _indexed(pairs, ways, texts, questions) if questions else _mapped(pairs, ways)
    files = {} if questions else list_raw(ways, texts)
    if pairs.empty:
        raise Findings("nothing is written: no pair is left")
    pairs = pairs.assign(id=pairs.groupby("split").cumcount() + 1)
    with whole_folder(arguments.out) as folder:
        for split, rows in pairs.groupby("split"):
            name = paws.SPLIT_FILES[str(split)]
            label = {"label": paws.NOISY} if arguments.method == SILVER else {}
            _write(folder / name, rows[paws.INDEXED if questions else paws.PAIRED].rename(columns=label))
            say(f"  {quantity(len(rows), 'pair')} in {name}, {rows['label'].astype(int).mean():.1%} paraphrases")
            if not questions:
                _write(folder / paws.MAPPING / name, rows[paws.MAPPED])
        for name, rows in files.items():
            _write(folder / name, rows)
            say(f"  {len(rows):,} raw pairs in {name}")
    say(f"{quantity(len(pairs), 'pair')} written to {arguments.out}")


def _read(store: Store, arguments: Arguments) -> pd.DataFrame:
    """The decided pairs: PAIRED without id, split, first_id, second_id."""
    label_set = LabelSet(campaigns=(arguments.labels,), method=arguments.method, scheme=arguments.scheme)
    dataset = open_dataset(store.address, label_set)
    if arguments.method != SILVER:
        need_splits(dataset)
    frame = dataset.frame.rename(columns={"first": "sentence1", "second": "sentence2", "binary": "label"})
    if arguments.method == SILVER:
        frame = frame.assign(split="train")
    kept = _flip(frame.dropna(subset=["label", "split"]))
    if n := len(frame) - len(kept):
        say(f"  {quantity(n, 'pair')} left out: undecided, or in no split")
    return kept.assign(sentence1=_on_one_line(kept["sentence1"]), sentence2=_on_one_line(kept["sentence2"]))


def _flip(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs, of which about half have their sides exchanged, so that no side tells which text was made.

    Whether a pair is among them follows from its id. Source: Zhang et al. 2019 (PAWS), section 4.
    """
    flipped = pairs["pair_id"].map(lambda pair: int(digest("sides", pair)[:8], 16) % 2 == 1).astype(bool)
    sides = {one: pairs[one].where(~flipped, pairs[other]) for one, other in SIDES + [couple[::-1] for couple in SIDES]}
    return pairs.assign(**sides)


def _on_one_line(texts: "pd.Series[str]") -> "pd.Series[str]":
    return texts.str.replace(BREAKS, " ", regex=True)


def _texts(store: Store) -> dict[str, str]:
    """Every text of a pair by its id."""
    pairs = store.read(Pairs, ["first_id", "first", "second_id", "second"])
    sides = [pairs[[f"{side}_id", side]].set_axis(["id", "text"], axis="columns") for side in ("first", "second")]
    texts = pd.concat(sides).drop_duplicates("id")
    return dict(zip(texts["id"], _on_one_line(texts["text"]), strict=True))


def _mapped(pairs: pd.DataFrame, ways: TextDescent) -> pd.DataFrame:
    """The pairs with `mapping1` and `mapping2`, without pairs of texts that are from no raw pair."""
    mapped = [ways.map_sides(*ids) for ids in zip(pairs["first_id"], pairs["second_id"], strict=True)]
    sides = pd.DataFrame(mapped, pairs.index, columns=paws.MAPPED[1:], dtype="str")
    return _kept(pairs.join(sides), (sides != "").all(axis="columns"), "a text is from no swap and no back translation")


def _indexed(pairs: pd.DataFrame, ways: TextDescent, texts: dict[str, str], questions: paws.Questions) -> pd.DataFrame:
    """The pairs with places in the questions, without those that these cannot spell."""
    roots = pairs[["first_id", "second_id"]].map(lambda text: texts.get([*ways.chain(text)][-1], ""))
    rows = index_pairs(pairs.assign(id=""), list(roots.itertuples(index=False, name=None)), questions)
    pairs = pairs.assign(**rows[paws.INDEXED[1:]])
    return _kept(pairs, rows.notna().all(axis="columns"), "Quora's questions lack its sentence, or a word of it")


def _kept(pairs: pd.DataFrame, keep: "pd.Series[bool]", why: str) -> pd.DataFrame:
    if n := int((~keep).sum()):
        say(f"  {quantity(n, 'pair')} left out: {why}")
    return pairs[keep]


def _write(path: Path, rows: pd.DataFrame) -> None:
    path.parent.mkdir(exist_ok=True)
    rows.to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")
