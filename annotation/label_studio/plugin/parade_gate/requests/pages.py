"""What a labelling page asks, read from its own configuration; imports only the standard library."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree as ET

COMMENT = "comment"
EXCLUDES_PREFIX = "parade-alone-"
"""The beginning of the class name that says which of several answers excludes the others."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """A control with answers to choose from."""

    answers: frozenset[str]
    several: bool
    alone: str | None
    """The answer that excludes all others."""


@dataclass(frozen=True, kw_only=True)
class Edited:
    """A control that asks for a text with changes."""

    field: str
    """The field of the task that holds the text before the changes."""
    when: tuple[str, str] | None
    """The control and its answer with which it is asked; always where there is none."""

    def is_called_for(self, chosen: Mapping[str, list[str]]) -> bool:
        """Whether these answers, by control, call for the text."""
        return self.when is None or self.when[1] in chosen.get(self.when[0], [])


@dataclass(frozen=True, kw_only=True)
class PageControls:
    """The controls of a page, beside its comment."""

    choices: Mapping[str, Choices]
    edited: Mapping[str, Edited]
    needed: tuple[frozenset[str], ...]
    """Sets of controls: an answer has at least one of each."""


@lru_cache(maxsize=64)
def read(configuration: str) -> PageControls:
    """The page of a project's labelling configuration, which only the administrator writes."""
    choices: dict[str, Choices] = {}
    edited: dict[str, Edited] = {}
    needed = []
    for view in ET.fromstring(configuration).iter("View"):  # noqa: S314 - only the administrator writes it
        classes = view.get("className", "").split()
        for control in view.findall("Choices"):
            if "parade-never" in classes:
                needed.append(frozenset((view.attrib["whenTagName"], control.attrib["whenTagName"])))
            else:
                choices[control.attrib["name"]] = _choices(control, classes)
        for control in view.findall("TextArea"):
            if control.attrib["name"] != COMMENT:
                edited[control.attrib["name"]] = _edited(control, view)
    return PageControls(choices=choices, edited=edited, needed=tuple(needed))


def _choices(control: ET.Element, classes: list[str]) -> Choices:
    return Choices(
        answers=frozenset(choice.attrib["alias"] for choice in control.findall("Choice")),
        several=control.get("choice") == "multiple",
        alone=next((name.removeprefix(EXCLUDES_PREFIX) for name in classes if name.startswith(EXCLUDES_PREFIX)), None),
    )


def _edited(control: ET.Element, view: ET.Element) -> Edited:
    when = (view.attrib["whenTagName"], view.attrib["whenChoiceValue"]) if "whenTagName" in view.attrib else None
    return Edited(field=control.attrib["value"].removeprefix("$"), when=when)
