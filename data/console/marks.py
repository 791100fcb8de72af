"""What the field of a command's arguments says about its flag, beside its type, default and docstring.

`Positional[Path]` is given without its name. `Limit[int]` and `Advanced[float]` say in which group the help shows it;
the other groups follow from the name and from whether it is required. `NoFlag[bool]` is set by a recipe or the program.
"""

from dataclasses import dataclass
from typing import Annotated, TypeVar

T = TypeVar("T")

POSITIONAL, LIMIT, ADVANCED, NO_FLAG = "positional", "limit", "advanced", "no flag"

Positional = Annotated[T, POSITIONAL]
Limit = Annotated[T, LIMIT]
Advanced = Annotated[T, ADVANCED]
NoFlag = Annotated[T, NO_FLAG]


@dataclass(frozen=True)
class Called:
    """What the flag of a field with several values is called: one of them, such as `campaign` of `campaigns`."""

    word: str


@dataclass(frozen=True)
class Metavar:
    """How the help shows the value of a flag, such as `FIELD=COLUMN`."""

    word: str
