"""How far a store's texts overlap, kept beside the tables: what takes `analysis.splits` minutes, reports need again.

The file has hashes and numbers, no texts. Packs leave it out. Where it is missing, damaged or of another version of
this program, or a text is not in it, all texts are compared again.
"""

import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd

from data.files.whole import write_whole
from data.storage.code_version import module_version
from data.storage.manifest import libraries
from data.storage.store import Store
from data.texts import near_copies, similarity
from data.texts.languages.base import Language
from data.texts.near_copies import NearCopies
from data.texts.similarity import Overlaps

FILE = "overlap.npz"
ENDS = ("left", "right", "value")


def keep(store: Store, pairs: pd.DataFrame, language: Language) -> None:
    """Keep the near copies that were found last, and the overlap of each pair, in place of earlier ones.

    `pairs`: the columns first and second.
    """
    near = near_copies.last_found()
    if near is None:
        return
    overlaps = similarity.measure(pairs["first"].tolist(), pairs["second"].tolist(), language)
    rows = {f"{kind} {end}": some[end].to_numpy() for kind, some in near.found.items() for end in ENDS}
    about = json.dumps([_version(), language.code, near.near_overlap, [*near.found]])
    file = io.BytesIO()
    np.savez(
        file,
        allow_pickle=False,
        about=np.array(about),
        texts=near.texts,
        pairs=overlaps.pairs,
        overlap=overlaps.values,
        **rows,
    )
    write_whole(store.root / FILE, file.getvalue())


def recall(store: Store) -> None:
    """Let the overlap that is kept be known, as far as there is any that can be used."""
    path = store.root / FILE
    if not path.is_file():
        return
    unusable = OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile
    with suppress(*unusable), np.load(io.BytesIO(path.read_bytes())) as file:
        version, language, near_overlap, kinds = json.loads(str(file["about"]))
        if version != _version():
            return
        found = {kind: pd.DataFrame({end: file[f"{kind} {end}"] for end in ENDS}) for kind in kinds}
        texts = file["texts"]
        if any(not rows[end].between(0, len(texts) - 1).all() for rows in found.values() for end in ENDS[:2]):
            return
        overlaps = Overlaps(language=language, pairs=file["pairs"], values=file["overlap"])
        near_copies.recall(NearCopies(near_overlap=near_overlap, language=language, texts=texts, found=found))
        similarity.recall(overlaps)


def _version() -> list[object]:
    """What the overlap of given texts depends on."""
    return [module_version("data.texts.near_copies"), libraries()]
