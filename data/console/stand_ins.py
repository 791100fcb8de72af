"""Help at once: while it is written, stand-ins take the place of the libraries that a command computes with.

The flags are read from the command's module, which imports all that the command needs: pandas, SciPy and others, for
one to eight seconds. Flags need none of it. Sphinx does the same for documentation (`autodoc_mock_imports`).
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

OURS = (
    "data", "crawler", "clustering", "annotation", "analysis", "identification", "generation", "paraphrase_game",
    "demo", "studies",
)  # fmt: skip
"""The packages of this project."""

KEPT = {*OURS, "rapidfuzz"}
"""What is imported as it is, beside Python's own modules: rapidfuzz finds the nearest name to a wrong one."""


def leave_libraries_out(flags: Sequence[str]) -> None:
    """Let stand-ins take the libraries' place from now on if this process runs a command of ours with such a flag.

    `parade crawl` is left alone: Scrapy writes its help.
    """
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    program = spec.name.partition(".")[0] if spec else Path(sys.argv[0]).name
    words = sys.argv[1:]
    if program in (*OURS, "parade") and words[:1] != ["crawl"] and any(flag in words for flag in flags):
        sys.meta_path.insert(0, StandIns())


class StandIn(ModuleType):
    """Takes the place of a library and of whatever its names hold: a class may derive from it, any call is answered."""

    def __getattr__(self, name: str) -> "StandIn":
        if name.startswith("__"):  # Python itself asks for such names, and takes none for an answer
            raise AttributeError(name)
        return StandIn(name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """What is decorated by it, else itself."""
        return given[0] if len(given) == 1 and not named and callable(given[0]) else self

    def __getitem__(self, _: Any) -> "StandIn":
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __or__(self, _: Any) -> "StandIn":
        return self

    __ror__ = __or__

    def __copy__(self) -> "StandIn":
        return self

    def __mro_entries__(self, _: tuple[Any, ...]) -> tuple[type, ...]:
        return (Base,)


class Base:
    """The base of a class that derives from a stand-in."""


class StandIns(MetaPathFinder, Loader):
    """Finds a stand-in for every module that is neither ours nor Python's."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """The specification of a stand-in; None where the module itself is imported."""
        top = name.partition(".")[0]
        return None if top in KEPT or top in sys.stdlib_module_names else ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A stand-in of the module's name."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no code."""
