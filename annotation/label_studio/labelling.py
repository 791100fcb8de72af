"""The labelling page's configuration and the guide that stands on it."""

from importlib.resources import files
from xml.etree import ElementTree as ET

from annotation.campaign.documents import standing_guide

_HERE = files("annotation.label_studio")

WHY = "Give your reason in the comment (Enter when done)."


def labelling(*, show_entity: bool, guide: str | None = None, informed: bool = False) -> str:
    """The page's XML, with the guide (the standing one if None) in its folding panel, with or without the entity.

    `informed`: the second look of a senior, who is told what was said (`$told`) and has to give a reason.
    """
    page = ET.fromstring(_HERE.joinpath("labelling.xml").read_text(encoding="utf-8"))  # noqa: S314 - our own file
    if not show_entity:
        page.remove(_part(page, "parade-entity"))
    if informed:
        comment = next(page.iter("TextArea"))
        comment.attrib |= {"required": "true", "requiredMessage": WHY, "placeholder": "Your reason (Enter when done)"}
    else:
        page.remove(_part(page, "parade-told"))
    panel = _part(page, "parade-guide")
    for line in filter(None, (guide or standing_guide().text).splitlines()):
        place = ET.SubElement(panel, "View", className="parade-heading") if line.startswith("#") else panel
        ET.SubElement(place, "Header", value=line.lstrip("# "), size="6")
    return ET.tostring(page, encoding="unicode")


def _part(page: ET.Element, name: str) -> ET.Element:
    """The part of the page with this class name."""
    return next(part for part in page.iter("View") if part.get("className") == name)
