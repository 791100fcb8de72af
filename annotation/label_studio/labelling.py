"""The configuration of the labelling page, made from a question, including the guide shown on it."""

import re
from xml.etree import ElementTree as ET

from annotation.files import render
from data.contract.questions import Question

DOLLAR = "\u2060$\u2060"
"""A dollar sign between two invisible word joiners: on its own it would mean a value of the task."""

WHY = "Give your reason in the comment (Enter when done)."


def labelling(question: Question, *, show_entity: bool, guide: str | None = None, informed: bool = False) -> str:
    """The page's XML with the guide (the question's if None) in its folding panel, with or without the entity.

    `informed`: a senior's second look, which shows the votes so far (`$votes`) and requires a reason.
    """
    page = ET.fromstring(render("labelling.xml", {"question": question}))  # noqa: S314 - our own template, escaped
    if not show_entity:
        page.remove(_part(page, "parade-entity"))
    if informed:
        comment = next(page.iter("TextArea"))
        comment.attrib |= {"required": "true", "requiredMessage": WHY, "placeholder": "Your reason (Enter when done)"}
    else:
        page.remove(_part(page, "parade-votes"))
    panel = _part(page, "parade-guide")
    for line in filter(None, (guide or question.guide).splitlines()):
        parent = ET.SubElement(panel, "View", className="parade-heading") if line.startswith("#") else panel
        ET.SubElement(parent, "Header", value=_plain(line).replace("$", DOLLAR), size="6")
    return ET.tostring(page, encoding="unicode")


def _plain(line: str) -> str:
    """A line of the guide without the marks of Markdown, which the panel would show as they are."""
    text = re.sub(r"^[-*] ", "• ", line.lstrip("# "))
    return re.sub(r"\*\*([^*]+)\*\*", r"\1", text)


def _part(page: ET.Element, name: str) -> ET.Element:
    """The part of the page with this class name."""
    return next(part for part in page.iter("View") if part.get("className") == name)
