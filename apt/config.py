"""What an attempt earns, when it passes, and where these numbers come from."""

from dataclasses import dataclass
from typing import Literal

from data.console import demand_at_least
from data.errors import InputError


@dataclass(frozen=True, kw_only=True)
class RewardRule:
    """Equation 1: MI / (1 + exp(steepness * BLEURT)) ** power of the highest bonus (Nighojkar and Licato 2021)."""

    recipe: Literal["recommended", "paper", "code"] = "recommended"
    """`recommended` and `paper`: an attempt passes where both texts entail each other and BLEURT is at most
    --pass-at. `code`: where its reward is above zero after rounding, as in the released game."""
    steepness: float = 5.0
    """How fast the reward falls with BLEURT."""
    power: float = 2.0
    """The power of the sigmoid."""
    highest: int = 100
    """The highest bonus, in cents."""
    pass_at: float = 0.5
    """The highest BLEURT of an attempt that passes."""

    def __post_init__(self) -> None:
        """Raise InputError for a rule whose reward would not fall with similarity."""
        for name, least in (("steepness", 0.0), ("power", 0.0), ("highest", 0)):
            if not least < getattr(self, name) < 1_000_000:
                raise InputError(
                    f"--{name}", expected="a number above 0", found=str(getattr(self, name)), remedy="leave it out"
                )


@dataclass(frozen=True, kw_only=True)
class TrainingRule:
    """How the stand-ins for the judges are trained."""

    machine_pairs: int = 16_000
    """Attempts of the authors' machine to learn from first, half of them mutual implications."""
    epochs: int = 3
    """Passes over the human attempts."""
    batch_size: int = 16
    """Pairs per step."""
    learning_rate: float = 1e-4
    """At its highest; it falls to zero within each of the two parts."""
    seed: int = 1
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name, least in (("machine_pairs", 0), ("epochs", 0), ("batch_size", 1), ("seed", 0)):
            demand_at_least("--" + name.replace("_", "-"), getattr(self, name), least)
