"""The same proposal, shard by shard: each shard holds whole entities, and the engine computes the pools."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, load_npz, save_npz

from clustering.candidates.pairs import PairProposal, assemble, neighbours, pool, with_neighbours
from clustering.candidates.vectors import Combined, Vectors, Watch, describe, unwatched
from clustering.config import Config
from data.storage.engine import run_shards

DEFINITIONS_PER_SHARD = 5_000
"""A shard with this many is full; no entity is divided between shards."""
COLUMNS = ["definition_id", "entity", "text"]


def propose_in_shards(
    definitions: pd.DataFrame, config: Config, folder: Path, engine: str, watch: Watch = unwatched
) -> PairProposal:
    """Like `pairs.propose`, by `engine` (see `data.storage.engine`), in a folder for this proposal alone.

    Results in the folder from an interrupted run are used again. The caller removes the folder once the proposal is
    stored.
    """
    ordered = definitions.sort_values("definition_id", kind="stable", ignore_index=True)
    if not (folder / "known.npy").exists():
        _prepare(ordered, config, folder, watch)
    known = np.load(folder / "known.npy")
    results = run_shards(pool_shard, sorted(folder.glob("shard-*")), engine, watch)
    tables = [
        [pd.read_parquet(result / name) for result in results] for name in ("distinct.parquet", "dropped.parquet")
    ]
    distinct, dropped = (pd.concat(parts, ignore_index=True) for parts in tables)
    found = pd.read_parquet(folder / "neighbours.parquet")
    return assemble(ordered, known, with_neighbours((distinct, dropped), found, config), config)


def remove(folder: Path) -> None:
    """Remove the folder of a proposal, if there is one; after an interruption, the rest of it is never resumed."""
    (folder / "known.npy").unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _prepare(ordered: pd.DataFrame, config: Config, folder: Path, watch: Watch) -> None:
    """Fill the folder with shards; the vectors, which are large, stay on disk only."""
    shutil.rmtree(folder, ignore_errors=True)
    vectors, known = describe(ordered["text"].tolist(), config, watch)
    described = ordered[known].reset_index(drop=True)
    cut(described, vectors, config, folder)
    neighbours(described, vectors, config).to_parquet(folder / "neighbours.parquet", index=False)
    np.save(folder / "unfinished.npy", known)
    (folder / "unfinished.npy").rename(folder / "known.npy")  # only now are the shards complete


def cut(described: pd.DataFrame, vectors: Vectors, config: Config, folder: Path) -> None:
    """Write the shards: definitions with their vectors, and the configuration."""
    folder.mkdir(parents=True)
    for number, rows in enumerate(deal(described["entity"])):
        shard = folder / f"shard-{number:05}"
        shard.mkdir()
        described.loc[rows, COLUMNS].to_parquet(shard / "definitions.parquet", index=False)
        _save(shard / "vectors", vectors[rows])
        (shard / "config.json").write_text(json.dumps(asdict(config)), encoding="utf-8")


def deal(entities: pd.Series) -> list[NDArray[np.intp]]:
    """The row numbers of each shard, ascending: entities in order until a shard is full. At least one shard."""
    codes, names = pd.factorize(entities, sort=True)
    before = np.cumsum(np.bincount(codes, minlength=len(names))) - np.bincount(codes, minlength=len(names))
    shard_of = (before // DEFINITIONS_PER_SHARD)[codes]
    return [np.flatnonzero(shard_of == shard) for shard in np.unique(shard_of)] or [np.array([], dtype=np.intp)]


def pool_shard(shard: Path, out: Path) -> None:
    """Compute a shard's pool: what a worker runs."""
    config = Config(**json.loads((shard / "config.json").read_text(encoding="utf-8")))
    distinct, dropped = pool(pd.read_parquet(shard / "definitions.parquet"), _load(shard / "vectors"), config)
    distinct.to_parquet(out / "distinct.parquet", index=False)
    dropped.to_parquet(out / "dropped.parquet", index=False)


def _save(path: Path, vectors: Vectors) -> None:
    """Write the rows: dense ones as .npy, sparse ones as .npz, combined ones as both."""
    if isinstance(vectors, Combined):
        _save(path, vectors.dense)
        _save(path, vectors.sparse)
    elif isinstance(vectors, np.ndarray):
        np.save(path.with_suffix(".npy"), vectors)
    else:
        save_npz(path.with_suffix(".npz"), vectors)


def _load(path: Path) -> Vectors:
    """The rows that `_save` wrote."""
    parts = [path.with_suffix(suffix) for suffix in (".npy", ".npz")]
    dense, sparse = (part.exists() for part in parts)
    if dense and sparse:
        return Combined(dense=np.load(parts[0]), sparse=csr_matrix(load_npz(parts[1])))
    rows: Vectors = np.load(parts[0]) if dense else csr_matrix(load_npz(parts[1]))
    return rows
