"""The command `lm`: train an n-gram language model, describe one, and print what it says of texts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from data.console.errors import Findings, InputError
from data.console.marks import Advanced, Metavar, Positional
from data.console.messages import progress, quantity, say, say_next
from data.console.optional_packages import require_generation
from data.console.paths import Address, existing_file
from data.contract.tables.definitions import Definitions
from data.contract.tables.generated import Sentences
from data.files.papers.reader import Summary, find_papers, name_losses
from data.recorded.languages import followed
from data.storage.store import Store
from data.texts.words import merge_key
from generation.engines.tokenizers import splitter, tokenizer
from generation.sources.reading import parse_columns, read_lines, read_papers

if TYPE_CHECKING:
    from generation.engines.ngrams import NGrams

HELD_OUT = 3_000
"""Sentences of the store that a new model is tried on."""
FEW_SENTENCES = 10_000
MAX_ORDER = 6
"""The longest n-grams that the package kenlm was compiled for."""
MODELS = (b"mmap lm http://kheafield.com/code", b"\\data\\")
"""How files of KenLM begin."""
SPECIAL = frozenset({"<s>", "</s>", "<unk>"})
"""Words that lmplz refuses in texts."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Describe a language model; with --train, make it first; with --score, print how likely it finds texts."""

    model: Positional[Path]
    """A model of KenLM, binary or ARPA; with --train, the binary file to write."""
    train: bool = False
    """Train it with lmplz on --papers and --lines."""
    papers: tuple[Path, ...] = ()
    """Files of papers, and folders with all below them, in any form that `python -m crawler.terminology` reads."""
    columns: Annotated[tuple[str, ...], Metavar("FIELD=COLUMN")] = ()
    """What tables and JSON of papers call the abstract where the exporter is not known, for example
    `abstract=Zusammenfassung`."""
    lines: tuple[Path, ...] = ()
    """Text files with one sentence per line, plain or .gz."""
    order: Advanced[int] = 5
    """Words of the longest n-grams."""
    prune: Advanced[tuple[int, ...]] = ()
    """Leave out n-grams that occur at most this often: a number for single words, one for pairs, and so on. `0 0 1`
    makes the model about a fifth as large."""
    hold_out: Advanced[bool] = True
    """Leave out the sentences of the store's table, which the model is to judge."""
    score: tuple[str, ...] = ()
    """Texts to score: natural logarithms of their probabilities."""
    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Print the model's kind and digest, and the scores."""
    require_generation("lm")
    _require_valid(arguments)
    losses = _train(arguments) if arguments.train else {}
    from generation.engines.ngrams import NGrams

    language = followed(Store(arguments.store), Definitions).code
    model = NGrams(arguments.model, language)
    say(f"{model.name}; words in {'their own' if model.keeps_case else 'lower'} case")
    for text, value in zip(arguments.score, model.score(arguments.score), strict=True):
        say(f"{value:9.3f}  {text}")
    if arguments.train:
        texts = list(Store(arguments.store).read(Sentences, ["text"])["text"])[:HELD_OUT]
        if texts:
            _show_held_out(model, texts)
        if losses:
            raise Findings(name_losses(losses))
        say_next("python -m generation swap --lm", arguments.model, "--store", arguments.store)


def _require_valid(arguments: Arguments) -> None:
    """Raise InputError for options that contradict each other, and for a file to write that is no model."""
    order, prune, texts = arguments.order, arguments.prune, (*arguments.papers, *arguments.lines)
    if not arguments.train:
        if texts or prune:
            found = "texts, and no --train" if texts else "--prune, and no --train"
            raise InputError("lm", expected="--train, to make a model", found=found, remedy="add it, or leave them out")
        return
    if not 2 <= order <= MAX_ORDER:
        remedy = "give another number"
        raise InputError("--order", expected=f"from 2 to {MAX_ORDER}, as KenLM reads", found=str(order), remedy=remedy)
    if list(prune) != sorted(prune) or len(prune) > order:
        raise InputError(
            "--prune",
            expected=f"at most {order} counts from 0 up, one per --order, none lower than the one before",
            found=" ".join(map(str, prune)),
            remedy="try 0 0 1",
        )
    if not texts:
        raise InputError("lm --train", expected="texts", found="none", remedy="give --papers or --lines")
    for path in (*find_papers(arguments.papers), *arguments.lines):
        existing_file(path, "a file of papers or sentences")
    parse_columns(arguments.columns)
    _require_target(arguments.model)


def _require_target(path: Path) -> None:
    """Raise InputError where writing a model would destroy something else."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(64).lstrip().startswith(MODELS):
                return
    if path.exists():
        found = "a folder" if path.is_dir() else "a file that is no language model"
        raise InputError(path, expected="a new file to write, or an earlier model", found=found, remedy="name another")


def _train(arguments: Arguments) -> dict[str, list[int]]:
    """Write the model; return the files of papers of which many records are lost."""
    from generation.engines.lmplz import programs, train

    tools = programs(say)
    arguments.model.absolute().parent.mkdir(parents=True, exist_ok=True)
    seen = Summary()
    n = train(
        progress(_texts(arguments, seen), label="texts", unit="sentences"),
        arguments.model,
        order=arguments.order,
        prune=arguments.prune,
        tools=tools,
    )
    for line in seen.lines() if arguments.papers else ():
        say(line)
    say(f"trained on {quantity(n, 'sentence')}; written to {arguments.model}")
    if n < FEW_SENTENCES:
        say(
            f"note: fewer than {FEW_SENTENCES:,} sentences tell little of a language; "
            "margins by this model are close to chance"
        )
    return seen.losses()


def _texts(arguments: Arguments, seen: Summary) -> Iterator[str]:
    """The sentences, as tokens in lower case between spaces."""
    store = Store(arguments.store)
    language = followed(store, Definitions).code
    tokens = tokenizer(language)
    held = {merge_key(text) for text in store.read(Sentences, ["text"])["text"]} if arguments.hold_out else set()
    split = splitter(language)
    frames = chain(
        read_papers(arguments.papers, parse_columns(arguments.columns), None, split, seen) if arguments.papers else (),
        *(read_lines(path, None) for path in arguments.lines),
    )
    for frame in frames:
        for text in frame["text"]:
            if merge_key(text) not in held:
                yield " ".join(token.lower() for token in tokens(text) if token not in SPECIAL)


def _show_held_out(model: "NGrams", texts: list[str]) -> None:
    """Print how well the model predicts the store's sentences."""
    asked = [token for text in texts for token in map(model.word, model.tokens(text))]
    known = sum(map(model.knows, asked))
    perplexity = np.exp(-model.score(texts).sum() / (len(asked) + len(texts)))
    unknown = 1 - known / len(asked)
    read = quantity(len(texts), "sentence")
    say(f"{read} of the store: perplexity {perplexity:.1f}, {unknown:.2%} of the words unknown")
