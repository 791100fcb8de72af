"""The texts of a release that holds ids alone: python -m analysis.restore DIR."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import tyro

from analysis.datasets import releases
from data import words
from data.console import run, say, say_next
from data.errors import Findings, InputError
from data.store import Store
from data.tables.definitions import Definitions


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Put the texts back into a release without texts, from a store that has fetched them again.

    A text is taken only where its id, which follows from the entity and the text alone, is the one released.
    """

    folder: tyro.conf.Positional[Path]
    """The release without texts; its `provenance` names the addresses to fetch."""

    out: Path
    """The folder to write the whole release to."""

    store: Path | None = None
    """A store with the table `definitions`."""

    released: Path | None = None
    """The published PARADE files, for a release of those."""


def main(arguments: Arguments) -> None:
    """Writes the release with its texts; raises Findings where some were not found."""
    from analysis.publishing import edition
    from analysis.publishing import writer as folder
    from analysis.statistics import recount
    from data import similarity

    release = releases.read(arguments.folder)
    if "first" in release.tables["pairs"]:
        raise InputError(
            arguments.folder, expected="a release without texts", found="the texts", remedy="use it as it is"
        )
    texts = _read_texts(arguments)
    pairs = release.tables["pairs"]
    pairs = pairs.assign(**{side: pairs[f"{side}_id"].map(texts).astype("str") for side in ("first", "second")})
    missing = pairs["first"].isna() | pairs["second"].isna()
    if missing.all():
        raise InputError(
            arguments.store or arguments.released,
            expected="texts of this release",
            found="none of them",
            remedy="fetch the addresses of its `provenance` first, then run `python -m crawler.definitions`",
        )
    kept = pairs[~missing].reset_index(drop=True)
    kept["overlap"] = similarity.jaccard(kept["first"].tolist(), kept["second"].tolist())
    others: dict[str, Any] = {name: table for name, table in release.tables.items() if name != "pairs"}
    made = edition.Edition(
        pairs=kept[edition.PAIR_COLUMNS],
        **others,
        scheme=release.facts["scheme"],
        synonyms=release.facts["synonyms"],
        simulated=release.facts["simulated"],
        rule=recount.Rule(**release.facts["rule"]),
        manifests=releases.read_manifests(arguments.folder),
    )
    made, _ = edition.mask_personal(made, ())
    folder.write(made, release.said, release.facts | {"without_text": False}, arguments.out)
    say(f"{len(kept):,} of {len(pairs):,} pairs with their texts written to {arguments.out}")
    say_next("python -m analysis.verify", arguments.out)
    if missing.any():
        raise Findings(f"the texts of {int(missing.sum()):,} pairs were not found; those pairs are left out")


def _read_texts(arguments: Arguments) -> "pd.Series[str]":
    """The text of each definition_id, where the id follows from it."""
    from data.identity import definition_id
    from data.labelled import parade as released
    from data.labelled.frame import from_published
    from data.labelled.pairs import LabelledPairs

    if (arguments.store is None) == (arguments.released is None):
        raise InputError("--store, --released", expected="one of them", found="both or none", remedy="give one")
    if arguments.released:
        found = LabelledPairs(from_published(released.read(arguments.released))).definitions
    else:
        found = Store(arguments.store or Path()).read(Definitions, ["definition_id", "entity", "text"])
    rows = found.astype(object).to_numpy().tolist()
    follows = [known in {definition_id(entity, one) for one in _wordings(text)} for known, entity, text in rows]
    return found[follows].set_index("definition_id")["text"]


def _wordings(text: str) -> tuple[str, str]:
    """The text, and what a store's ids are made of: the same but for case, Unicode form and spaces."""
    return text, words.merge_key(text)


if __name__ == "__main__":
    run(main, prog="python -m analysis.restore")
