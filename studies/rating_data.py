"""Ratings of real people as columns.

Zheng et al. 2017 (`truth_inference`), Snow et al. 2008 (`snow2008`) and the Paraphrase set of LeWiDi 2025.
"""

import gzip
import json
from pathlib import Path

import pandas as pd

from data.texts.similarity import jaccard


def read_truth_inference(folder: Path, name: str) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    """The votes (pair_id, annotator, vote) in the file's order, and the truth by pair_id, of `product` or `duck`."""
    votes = pd.read_csv(folder / f"{name}_answer.csv.gz", dtype={"question": str, "worker": str})
    truth = pd.read_csv(folder / f"{name}_truth.csv.gz", dtype={"question": str}).set_index("question")["truth"]
    return votes.rename(columns={"question": "pair_id", "worker": "annotator", "answer": "vote"}), truth


def read_snow(folder: Path, name: str) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    """The votes and the truth, as `read_truth_inference` gives them, of `rte` or `temp`; the higher answer is 1."""
    rows = pd.read_csv(folder / f"{name}.standardized.tsv", sep="\t", dtype={"orig_id": str})
    rows = rows.rename(columns={"orig_id": "pair_id", "!amt_worker_ids": "annotator"})
    highest = rows["gold"].max()
    rows["vote"], rows["truth"] = ((rows[column] == highest).astype("int64") for column in ("response", "gold"))
    return rows[["pair_id", "annotator", "vote"]], rows.groupby("pair_id")["truth"].first()


def read_lewidi(folder: Path) -> tuple[pd.DataFrame, "pd.Series[float]"]:
    """The scores (pair_id, annotator, score from -5 to 5) and the overlap of the two questions by pair_id."""
    rows, texts = [], {}
    for split in ("train", "dev", "test"):
        with gzip.open(folder / f"Paraphrase_{split}.json.gz", "rt", encoding="utf-8") as file:
            for number, pair in json.load(file).items():
                texts[f"{split}-{number}"] = (pair["text"]["Question1"], pair["text"]["Question2"])
                rows += [(f"{split}-{number}", name, int(score)) for name, score in pair["annotations"].items()]
    scores = pd.DataFrame(rows, columns=["pair_id", "annotator", "score"])
    first, second = zip(*texts.values(), strict=True)
    overlap = jaccard(first, second).astype("Float64").fillna(0).to_numpy("float64")
    return scores, pd.Series(overlap, index=list(texts))
