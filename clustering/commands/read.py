"""The command `read`: a file of pairs -> the table `pairs`."""

from dataclasses import dataclass, field
from pathlib import Path

from data.console.marks import Positional
from data.console.paths import Address
from data.contract.rows import pair_rows
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import EVERY_PAIR
from data.guidance.next_steps import say_steps
from data.labelled import unlabelled
from data.recorded.languages import followed
from data.recorded.own_names import require_own_generator
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import file_digest
from data.texts.similarity import jaccard

STAGE = "clustering"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Read pairs of your own from a file, for people to judge."""

    file: Positional[Path]
    """A table (CSV, TSV, Excel, JSON, Parquet; plain or .gz) with two columns of texts, such as first and second, and
    perhaps entity (what both define) and id (yours, kept as `detail`)."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    generator: str = "own"
    """The name of these pairs beside other runs' pairs."""
    language: str | None = None
    """The language of the texts, `en` or `de`; by default as the store's pairs record, or English."""


def main(arguments: Arguments) -> None:
    """Write the file's pairs, each once."""
    store = Store(arguments.store)
    require_own_generator(store, "--generator", arguments.generator, STAGE)
    pairs = unlabelled.read(arguments.file, to_judge=True)
    with store.lock("clustering"):
        language = followed(store, Pairs, chosen=arguments.language)
        manifest = Manifest(
            stage=STAGE,
            config={"file": arguments.file.name},
            language=language.code,
            inputs={"file": file_digest(arguments.file)},
        )

        def make() -> Made:
            overlap = jaccard(pairs["first"].tolist(), pairs["second"].tolist(), language)
            return Made(rows=pair_rows(pairs, overlap=overlap, selection=EVERY_PAIR, detail=pairs["id"]))

        run_stage(store, Pairs, manifest, make, noun="pair", generator=arguments.generator)
    say_steps(store, generator=arguments.generator)
