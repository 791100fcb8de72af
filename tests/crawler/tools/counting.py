"""Papers as numbered words."""

import atexit
import tempfile
from pathlib import Path

import pyarrow as pa

from crawler.terms.tokens import Tokens, tokenise

FOLDERS = tempfile.TemporaryDirectory(prefix="parade-test-")
atexit.register(FOLDERS.cleanup)


def tokens_of(papers, at_once: int = 2) -> Tokens:
    """The words of (title, abstract), this many papers a batch."""
    titles, abstracts = zip(*papers, strict=True) if papers else ((), ())
    table = pa.table({"title": pa.array(titles, pa.string()), "abstract": pa.array(abstracts, pa.string())})
    return tokenise(table.to_batches(max_chunksize=at_once), Path(tempfile.mkdtemp(dir=FOLDERS.name)))
