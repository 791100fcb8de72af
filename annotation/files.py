"""Texts made from a template."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


def render(template: str, values: Mapping[str, Any]) -> str:
    """The text of a template in `annotation/templates`; pages escape all values, and a missing value is an error."""
    loader = PackageLoader("annotation")
    environment = Environment(
        loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(template).render(values)
