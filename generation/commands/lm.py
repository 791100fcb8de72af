"""The command `lm`: what a language model is, and what it says of texts."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from data.console import say
from data.extras import demand_generation


@dataclass(frozen=True, kw_only=True)
class Lm:
    """Describe a language model and, with --score, print what it says of a text."""

    model: tyro.conf.Positional[Path]
    """A model of KenLM, binary or ARPA."""
    score: tuple[str, ...] = ()
    """Texts to score: natural logarithms of their probabilities."""


def main(arguments: Lm) -> None:
    """Print the model's kind and digest, and the scores."""
    demand_generation("lm")
    from generation.engines.ngrams import NGrams

    model = NGrams(arguments.model)
    say(f"{model.name}; words in {'their own' if model.keeps_case else 'lower'} case")
    for text, value in zip(arguments.score, model.score(arguments.score), strict=True):
        say(f"{value:9.3f}  {text}")
