"""What the files of shards hold, and how their results are joined."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

from data.storage.engine import HERE
from generation.config import SwapConfig

pytestmark = pytest.mark.usefixtures("engines")
JOB = {"lm": "", "tagger": "", "config": SwapConfig(), "terms": ()}


def watch(items, **_):
    return items


def test_a_shard_without_candidates_has_the_types_of_all_others(tmp_path):
    from generation.swapping.shards import CANDIDATE_SCHEMA, CANDIDATES, ShardResult, _candidates

    pq.write_table(_candidates(pd.Series([], dtype=str), []), tmp_path / CANDIDATES)
    rows = ShardResult(tmp_path).candidates()
    assert list(rows.columns) == CANDIDATE_SCHEMA.names
    assert (rows["margin"].dtype, rows["moves_content"].dtype) == (float, bool)
    assert rows["steps"].list.len().empty


def test_texts_are_ranked_from_short_to_long_and_keep_their_scores(tmp_path, monkeypatch):
    from generation.swapping import shards

    read = []

    def rank(shard, out):
        rows = pd.read_parquet(shard / shards.TEXTS)
        read.extend(rows["text"])
        rows.assign(score=-rows["text"].str.len().astype(float)).to_parquet(out / shards.SCORES, index=False)

    monkeypatch.setattr(shards, "rank_shard", rank)
    monkeypatch.setattr(shards, "RANKED_PER_SHARD", 2)
    texts = pd.Series(["ccc", "b", "dddd", "a"], dtype="str")
    assert list(shards.rank_in_shards(texts, shards.Job(**JOB), tmp_path, HERE, watch)) == [-3.0, -1.0, -4.0, -1.0]
    assert read == ["a", "b", "ccc", "dddd"]
    assert shards.rank_in_shards(texts[:0], shards.Job(**JOB), tmp_path / "none", HERE, watch).empty
