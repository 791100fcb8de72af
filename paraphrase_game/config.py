"""What an attempt earns, when it passes, and where these numbers come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit, NoFlag


@dataclass(frozen=True, kw_only=True)
class RewardRule:
    """Equation 1: MI / (1 + exp(steepness * BLEURT)) ** power of the highest bonus (Nighojkar and Licato 2021)."""

    recipe: Literal["recommended", "paper", "code"] = "recommended"
    """`recommended` and `paper`: an attempt passes where both texts entail each other and BLEURT is at most
    --pass-at. `code`: where its reward is above zero after rounding, as in the released game."""
    steepness: NoFlag[float] = 5.0
    """How fast the reward falls with BLEURT."""
    power: NoFlag[float] = 2.0
    """The power of the sigmoid."""
    highest: Advanced[int] = 100
    """The highest bonus, in cents."""
    pass_at: Advanced[float] = 0.5
    """The highest BLEURT of an attempt that passes."""

    def __post_init__(self) -> None:
        """Raise InputError for a rule that pays nothing."""
        if not 0 < self.highest < 1_000_000:
            raise InputError("--highest", expected="a number above 0", found=str(self.highest), remedy="leave it out")


@dataclass(frozen=True, kw_only=True)
class TrainingRule:
    """How the stand-ins for the judges are trained."""

    machine_pairs: Limit[int] = 16_000
    """Attempts of the authors' machine to learn from first, half of them mutual implications."""
    epochs: Advanced[int] = 3
    """Passes over the human attempts."""
    batch_size: Advanced[int] = 16
    """Pairs per step."""
    learning_rate: Advanced[float] = 1e-4
    """At its highest; it falls to zero within each of the two parts."""
    seed: int = 1
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name, least in (("machine_pairs", 0), ("epochs", 0), ("batch_size", 1), ("seed", 0)):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), least)


@dataclass(frozen=True, kw_only=True)
class GeneratorRule:
    """How the machine is trained to play; where neither we nor the paper say more, as in the released code."""

    model: str = "t5-base"
    """The model to begin from: a folder, or a name of transformers."""
    loss: Advanced[Literal["weighted", "paper"]] = "weighted"
    """`weighted`, ours: texts count by how far their reward is above the batch's mean. `paper`: the cross entropy
    divided by the batch's total reward where that is at least 1, which cannot push towards the reward."""
    reward_on: Advanced[Literal["sample", "target"]] = "sample"
    """Whose reward counts: of what the model writes (the paper's text), or of the given targets (its code)."""
    epochs: Advanced[int] = 3
    """Passes over the pairs."""
    batch_size: Advanced[int] = 20
    """Pairs per step."""
    learning_rate: Advanced[float] = 3e-4
    """Of AdamW."""
    highest: Advanced[int] = 100
    """The reward of 1, in cents."""
    seed: int = 42
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name, least in (("epochs", 1), ("batch_size", 1), ("highest", 1), ("seed", 0)):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), least)


GENERATORS: Mapping[str, GeneratorRule] = {
    "recommended": GeneratorRule(),
    "paper": GeneratorRule(loss="paper", reward_on="sample", epochs=3),
    "code": GeneratorRule(loss="paper", reward_on="target", epochs=4),
}
"""`paper`: Nighojkar and Licato 2021, section 3.2 (T5-base, the reward of the model's own texts, three epochs); `code`:
what the authors released."""
