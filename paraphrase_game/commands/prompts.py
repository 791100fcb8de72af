"""The command `prompts`: definitions, sentences of a file or first texts of pairs -> sentences to play."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.paths import Address
from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Prompts
from data.contract.vocabulary import PLAYED
from data.files.sheets import read_text
from data.guidance.next_steps import say_steps
from data.labelled.corpora import load
from data.recorded.languages import followed
from data.storage.manifest import Manifest
from data.storage.stage import Made, run_stage
from data.storage.store import Store
from data.texts.identity import file_digest
from paraphrase_game.game.prompts import PromptRule, select

DEFINITIONS = "definitions"

WHY = {"too_few_words": "--min-words", "too_many_words": "--max-words", "not_drawn": "--limit"}
"""Reason -> the flag that moves the limit."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Choose the sentences that players rewrite: the store's definitions, lines of a file, or first texts of pairs."""

    source: Positional[str]
    """`definitions`, a file with one sentence per line (plain or .gz), or with --pairs a file or folder of pairs."""
    pairs: bool = False
    """Take the first texts of the pairs in the file or folder, in any form that `identification` reads."""
    name: str | None = None
    """The source's name in the table; by default the file's."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""
    rule: PromptRule = field(default_factory=PromptRule)


def main(arguments: Arguments) -> None:
    """Write the source's part of the table `prompts`; what cannot be played is a reject with its reason."""
    store = Store(arguments.store)
    texts, inputs = _texts(arguments, store)
    name = arguments.name or (DEFINITIONS if arguments.source == DEFINITIONS else Path(arguments.source).name)
    if (name == DEFINITIONS) != (arguments.source == DEFINITIONS):
        raise InputError("--name", expected="another name", found=name, remedy="leave it out")
    if texts.empty:
        raise _nothing_to_play(arguments.source, "no text")
    prompts, rejects = select(texts, arguments.rule)
    if prompts.empty:
        raise _nothing_to_play(arguments.source, _counts(rejects))
    manifest = Manifest(
        stage="paraphrase_game.prompts",
        config=arguments.rule,
        language=followed(store, Definitions).code if name == DEFINITIONS else None,
        seed=arguments.rule.seed,
        inputs=inputs,
        counts={"rows_in": len(texts)},
    )
    made = Made(rows=prompts, rejects=rejects, why=WHY)
    run_stage(store, Prompts, manifest, lambda: made, noun="sentence", source=name)
    say_steps(store, generator=PLAYED)


def _nothing_to_play(source: str, found: str) -> InputError:
    return InputError(
        source,
        expected="a sentence that can be played",
        found=found,
        remedy="change --min-words or --max-words, or name another source",
    )


def _texts(arguments: Arguments, store: Store) -> tuple[pd.DataFrame, dict[str, int | str | None]]:
    """The candidate sentences (text, entity, source_id), and what they were read from."""
    if arguments.source == DEFINITIONS:
        rows = store.read(Definitions, ["definition_id", "entity", "text"])
        if rows.empty:
            raise InputError(
                store.path(Definitions), expected="definitions", found="none",
                remedy="make them (`python -m crawler.definitions`), or name a file of sentences",
            )  # fmt: skip
        return rows.rename(columns={"definition_id": "source_id"}), store.inputs(Definitions)
    path = Path(arguments.source)
    if arguments.pairs:
        frame, files = load(path)
        first = frame.drop_duplicates("first").reset_index(drop=True)
        texts = pd.DataFrame({"text": first["first"], "entity": first["entity"], "source_id": first["pair_id"]})
        return texts, {file.name: file_digest(file) for file in files}
    lines = read_text(path, "a file with one sentence per line").split("\n")
    texts = pd.DataFrame({"text": lines, "entity": None, "source_id": [str(n + 1) for n in range(len(lines))]})
    return texts[texts["text"].str.strip() != ""], {path.name: file_digest(path)}


def _counts(rejects: pd.DataFrame) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in rejects["reason"].value_counts().items())
