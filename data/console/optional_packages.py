"""Optional packages: whether they are installed, said before anything needs them."""

import importlib.util

from data.console.errors import InputError


def require_models(command: str) -> None:
    """Raise InputError where the extra `models` is not installed; `command` needs it."""
    _require(command, "models", ("torch", "transformers", "safetensors"))


def require_generation(command: str) -> None:
    """Raise InputError where the extra `generation` is not installed; `command` needs it."""
    _require(command, "generation", ("spacy", "kenlm", "ctranslate2"))


def _require(command: str, extra: str, packages: tuple[str, ...]) -> None:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        expected = f"the packages of the extra `{extra}`"
        raise InputError(command, expected=expected, found=f"no {missing[0]}", remedy=f"run `make {extra}`")
