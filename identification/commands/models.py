"""The command `models`: which models can be trained."""

from dataclasses import dataclass

from data.console.messages import say
from data.console.optional_packages import require_models

WIDTH = 300
"""Dimensions of the word vectors that the networks are built for."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """List the models that can be trained, with their papers and their numbers of weights."""

    deviations: bool = False
    """Also say where each reading differs from the released code."""


def main(arguments: Arguments) -> None:
    """Print a line per model."""
    require_models("models")
    from identification.architectures.networks.registry import NETWORKS, build

    for name, network in NETWORKS.items():
        n = sum(weight.numel() for weight in build(name, WIDTH).parameters())
        say(f"{name:<15} {n:>11,}  {network.paper}")
        for deviation in network.deviations if arguments.deviations else ():
            say(f"{'':<28} - {deviation}")
    say("cross-encoder:F       as in F  Devlin et al. 2019, BERT; F: a folder or a name of transformers, or minilm")
    say("bi-encoder:F          as in F  Reimers and Gurevych 2019, Sentence-BERT")
    say("frozen:F                   10  logistic regression on F's cosine and eight features of overlap")
    say("ensemble:R+R          of the Rs  the weighted mean logit of trained models; R: the folders of their runs")
