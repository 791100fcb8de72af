"""Optional packages: whether they are installed, said before anything needs them."""

import importlib.util

from data.errors import InputError


def demand_models(command: str) -> None:
    """Raise InputError where the extra `models` is not installed; `command` needs it."""
    missing = [name for name in ("torch", "transformers", "safetensors") if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            command, expected="the packages of the extra `models`", found=f"no {missing[0]}", remedy="run `make models`"
        )
