"""The command `lm`: train an n-gram language model, describe one, and print what it says of texts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tyro

from data.console import demand_at_least, existing_file, progress, say, say_next
from data.errors import InputError
from data.extras import demand_generation
from data.languages.recorded import followed
from data.store import Store
from data.tables.definitions import Definitions
from data.tables.generated import Sentences
from data.words import merge_key
from generation.engines.tokenizers import splitter, tokenizer
from generation.sources.reading import read_lines, read_papers

if TYPE_CHECKING:
    from generation.engines.ngrams import NGrams

HELD_OUT = 3_000
"""Sentences of the store that a new model is tried on."""
SPECIAL = frozenset({"<s>", "</s>", "<unk>"})
"""Words that lmplz refuses in texts."""


@dataclass(frozen=True, kw_only=True)
class Lm:
    """Describe a language model and, with --score, print what it says of texts; with --train, make one first."""

    model: tyro.conf.Positional[Path]
    """A model of KenLM, binary or ARPA; with --train, the binary file to write."""
    train: bool = False
    """Train it with lmplz on --papers and --lines."""
    papers: tuple[Path, ...] = ()
    """Files of papers, JSON lines with the fields id and abstract, plain or .gz."""
    lines: tuple[Path, ...] = ()
    """Text files with one sentence per line, plain or .gz."""
    order: int = 5
    """Words of the longest n-grams."""
    prune: tuple[int, ...] = ()
    """Leave out n-grams that occur at most so often, from single words on; `0 0 1` makes a model of about a fifth."""
    hold_out: bool = True
    """Leave out the sentences of the store's table, which the model is to judge."""
    score: tuple[str, ...] = ()
    """Texts to score: natural logarithms of their probabilities."""
    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""


def main(arguments: Lm) -> None:
    """Print the model's kind and digest, and the scores."""
    demand_generation("lm")
    demand_at_least("--order", arguments.order, 2)
    if arguments.train:
        _train(arguments)
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
        say_next("python -m generation swap --lm", arguments.model, "--store", arguments.store)


def _train(arguments: Lm) -> None:
    from generation.engines.lmplz import programs, train

    for path in (*arguments.papers, *arguments.lines):
        existing_file(path, "a file of papers or sentences")
    if not arguments.papers and not arguments.lines:
        raise InputError("lm --train", expected="texts", found="none", remedy="give --papers or --lines")
    tools = programs(say)
    arguments.model.absolute().parent.mkdir(parents=True, exist_ok=True)
    n = train(
        progress(_texts(arguments), label="texts", unit="sentences"),
        arguments.model,
        order=arguments.order,
        prune=arguments.prune,
        tools=tools,
    )
    say(f"trained on {n:,} sentences; written to {arguments.model}")


def _texts(arguments: Lm) -> Iterator[str]:
    """The sentences, as tokens in lower case between spaces."""
    store = Store(arguments.store)
    language = followed(store, Definitions).code
    tokens = tokenizer(language)
    held = {merge_key(text) for text in store.read(Sentences, ["text"])["text"]} if arguments.hold_out else set()
    split = splitter(language)
    frames = chain(
        *(read_papers(path, None, split) for path in arguments.papers),
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
    say(f"{len(texts):,} sentences of the store: perplexity {perplexity:.1f}, {unknown:.2%} of the words unknown")
