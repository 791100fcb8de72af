"""The texts of a release that holds ids alone: python -m analysis.restore FOLDER."""

from data.console.commands import run  # first: `--help` then needs no libraries

# isort: split
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pandas as pd

from analysis.datasets.ratings import of_release
from data.console.errors import Findings, InputError
from data.console.marks import Positional
from data.console.messages import quantity, say, say_next
from data.console.paths import Address
from data.contract.base import Table
from data.contract.tables.definitions import Definitions
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.labelled import releases
from data.labelled.dataset import Dataset
from data.labelled.release_tables import TEXTS, columns
from data.labelled.releases import Release
from data.measures import soft_labels
from data.storage.store import Store
from data.texts import words
from data.texts.languages.base import Language


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Put the texts back into a release without texts, from a store that has fetched or made them.

    A text is taken only if its id, which follows from the entity and the text alone, is the one in the release.
    """

    release: Positional[Path]
    """The release without texts; its `provenance` names the addresses to fetch."""

    out: Path
    """The folder to write the whole release to."""

    store: Address | None = None
    """A store with the tables `definitions`, `sentences` or `generated_texts`."""

    dataset: Path | None = None
    """The published PARADE files, for a release of those."""


def main(arguments: Arguments) -> None:
    """Write the release with its texts; raises Findings where some were not found."""
    from analysis.publishing import contents, personal_data, statements

    release = read_unchanged(arguments.release)
    if not release.facts.without_text:
        raise InputError(
            arguments.release, expected="a release without texts", found="the texts", remedy="use it as it is"
        )
    stated = statements.make(release.statements, arguments.release / "statements.json")
    pairs, restored = release.tables["pairs"], _put_in(release, arguments)
    tables, _ = personal_data.mask_tables(_with_pairs(release.tables, restored))
    facts = replace(release.facts, without_text=False)
    whole = replace(release, tables=tables, statements=asdict(stated), facts=facts)
    with releases.new_folder(arguments.out) as folder:
        releases.write_texts(contents.make(releases.write_tables(whole, folder), folder), folder)
    say(f"{len(restored):,} of {quantity(len(pairs), 'pair')} with their texts written to {arguments.out}")
    say_next("python -m analysis.verify", arguments.out)
    if missing := len(pairs) - len(restored):
        raise Findings(f"the texts of {missing:,} pairs were not found; those pairs are left out")


def read_unchanged(folder: Path) -> Release:
    """The release in the folder; raises InputError where a file is not the one of its checksums."""
    releases.require_folder(folder)
    if changed := next(releases.find_changed(folder), None):
        raise InputError(folder, expected="the files of its checksums", found=changed, remedy="fetch it again")
    return releases.read(folder)


def _put_in(release: Release, arguments: Arguments) -> pd.DataFrame:
    """The pairs whose two texts were found, with them; raises InputError where no pair's were."""
    texts, pairs = _read_texts(arguments), release.tables["pairs"]
    pairs = pairs.assign(**{side: pairs[f"{side}_id"].map(texts).astype("str") for side in ("first", "second")})
    found = pairs.dropna(subset=["first", "second"]).reset_index(drop=True)
    if found.empty:
        raise InputError(
            arguments.store or arguments.dataset,
            expected="texts of this release",
            found="none of them",
            remedy="fetch the addresses of its `provenance` first, then run `python -m crawler.definitions`; "
            "made texts are in the store that they were made in",
        )
    votes = of_release(release.tables, release.rule, release.question)
    expected = soft_labels.of_pairs(found, release.question, votes.random_part if votes else None)[1]
    overlap = Dataset(found, language=release.language).overlap
    return found.assign(overlap=overlap, expected_share=expected)


def _with_pairs(tables: dict[str, pd.DataFrame], pairs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables of a release without texts with these pairs, and nulls for the other texts."""
    missing = pd.Series(dtype="str")
    filled = {name: table.assign(**dict.fromkeys(TEXTS.get(name, ()), missing)) for name, table in tables.items()}
    return filled | {"pairs": pairs[columns("pairs")]}


def _read_texts(arguments: Arguments) -> "pd.Series[str]":
    """The text of each id of a definition, sentence or made text, where the id follows from it."""
    from data.labelled import parade
    from data.labelled.dataset import from_published
    from data.recorded.languages import STANDARD, followed, with_terms
    from data.texts.identity import definition_id

    if (arguments.store is None) == (arguments.dataset is None):
        raise InputError("--store, --dataset", expected="one of them", found="both or neither", remedy="give one")
    language = STANDARD
    if arguments.dataset:
        found = Dataset(from_published(parade.read(arguments.dataset))).definitions
    else:
        store = Store(arguments.store or Path())
        held: dict[str, type[Table]] = {
            "definition_id": Definitions,
            "sentence_id": Sentences,
            "text_id": GeneratedTexts,
        }
        texts = ["definition_id", "entity", "text"]
        read = [store.read(table, [name, *texts[1:]]).set_axis(texts, axis="columns") for name, table in held.items()]
        found = pd.concat(read).drop_duplicates("definition_id")
        language = with_terms(store, followed(store, Definitions))
    rows = found.astype(object).where(found.notna(), "").to_numpy().tolist()
    follows = [
        known in {definition_id(name, wording) for name in _names(entity, language) for wording in _wordings(text)}
        for known, entity, text in rows
    ]
    return found[pd.Series(follows, found.index, dtype=bool).to_numpy()].set_index("definition_id")["text"]


def _names(entity: str, language: Language) -> set[str]:
    """The entity, and what a store's ids are made of: its canonical form."""
    return {entity, language.canonical(entity)}


def _wordings(text: str) -> tuple[str, str]:
    """The text, and what a store's ids are made of: the same apart from case, Unicode form and spaces."""
    return text, words.merge_key(text)


if __name__ == "__main__":
    run(main, prog="python -m analysis.restore")
