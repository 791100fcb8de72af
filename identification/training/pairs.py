"""The pairs that a model scores: of a data set or of a file, labelled or not."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data.console.errors import InputError
from data.contract.tables.pairs import Pairs
from data.labelled import unlabelled
from data.labelled.dataset import Dataset
from data.labelled.dataset import unlabelled as without_labels
from data.labelled.label_set import LabelSet
from data.labelled.sources import OfDataset, need_splits
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class OfPairs(OfDataset):
    """The flags of a command that scores pairs."""

    file: Path | None = None
    """In place of a data set, a file of pairs: two columns of texts such as first and second, with or without pair_id
    and labels."""
    unlabelled: bool = False
    """In a store: also score the unlabelled pairs."""

    def require_one_kind(self) -> None:
        """Raise InputError for flags of a data set beside a file."""
        if self.file is None:
            return
        if self.label_set != LabelSet():
            flag = self.label_set.flags[0]
            raise InputError(flag, expected="labels", found="--file", remedy="leave it out: the file is scored whole")
        if self.unlabelled:
            raise InputError("--unlabelled", expected="--store", found="--file", remedy="leave it out")
        if self.dataset is not None:
            raise InputError("arguments", expected="--file or --dataset", found="both", remedy="give one")

    def read(self) -> tuple[pd.DataFrame, Dataset | None]:
        """The pairs to score, and the data set that they are from; none for a file."""
        if self.file is not None:
            return unlabelled.read(self.file), None
        dataset = self.open()
        frame = dataset.frame
        if dataset.kind == "store" and self.unlabelled:
            rest = without_labels(Store(dataset.path).read(Pairs))
            frame = pd.concat([frame, rest[~rest["pair_id"].isin(frame["pair_id"])]], ignore_index=True)
        elif self.unlabelled:
            raise InputError(
                "--unlabelled", expected="a store", found=f"{dataset.kind} at {dataset.path}", remedy="give --file FILE"
            )
        return frame.drop_duplicates("pair_id", ignore_index=True), dataset


def require_splits(dataset: Dataset | None) -> None:
    """Raise TableError, before anything is scored, where a store has no splits: a run names those that it is for."""
    if dataset is not None and dataset.kind == "store":
        need_splits(dataset)
