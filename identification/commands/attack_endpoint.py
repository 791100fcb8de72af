"""The command `attack-endpoint`: pairs modified until a language model behind an address is wrong about them."""

from dataclasses import dataclass

from identification.config import ATTACKS
from identification.endpoints.asking import Asking
from identification.robustness.performing import OfAttack, perform

RECIPES = ATTACKS


@dataclass(frozen=True, kw_only=True)
class Arguments(OfAttack):
    """Make paraphrases share fewer giveaways and other pairs share more words, until a language model is wrong.

    Pairs are modified as by `attack`; run again, it asks what it could not ask.
    """

    asking: Asking


def main(arguments: Arguments) -> None:
    """Write the tables of the attack."""
    perform(arguments, arguments.asking.name, arguments.asking)
