"""The command `attack`: pairs modified with shared words until a model is wrong about them."""

from dataclasses import dataclass

from data.console.marks import Positional
from identification.config import ATTACKS
from identification.robustness.performing import OfAttack, perform

RECIPES = ATTACKS


@dataclass(frozen=True, kw_only=True)
class Arguments(OfAttack):
    """Make paraphrases share fewer giveaways and other pairs share more words, until a model is wrong about them.

    In a pair of paraphrases a word that both texts have is replaced in both; in a pair of texts about two things a
    word of each is replaced by one word. Neither changes the label. After Shi and Huang 2020.
    """

    run: Positional[str]
    """The model: a folder that `train` wrote, or module:function."""


def main(arguments: Arguments) -> None:
    """Write the tables of the attack."""
    perform(arguments, arguments.run)
