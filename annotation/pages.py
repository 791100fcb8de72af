"""The room's own pages: each one file of HTML that needs nothing from elsewhere."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, values: Mapping[str, Any]) -> str:
    """The page of a template in `annotation/templates`; all values are escaped. A missing one is an error."""
    loader = PackageLoader("annotation")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template(template).render(values)
