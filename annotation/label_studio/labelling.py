"""The labelling page's configuration and the guide that stands on it."""

import re
from importlib.resources import files
from xml.etree import ElementTree as ET

_HERE = files("annotation.label_studio")


def labelling(*, show_entity: bool) -> str:
    """The page's XML, with the guide in its folding panel, and with or without the entity above the two texts."""
    page = ET.fromstring(_HERE.joinpath("labelling.xml").read_text(encoding="utf-8"))  # noqa: S314 - our own file
    if not show_entity:
        page.remove(_part(page, "parade-entity"))
    panel = _part(page, "parade-guide")
    for line in filter(None, guide().splitlines()):
        place = ET.SubElement(panel, "View", className="parade-heading") if line.startswith("#") else panel
        ET.SubElement(place, "Header", value=line.lstrip("# "), size="6")
    return ET.tostring(page, encoding="unicode")


def guide() -> str:
    """The annotators' guide, as Markdown of headings, paragraphs and lists."""
    return _HERE.joinpath("guide.md").read_text(encoding="utf-8")


def guide_version() -> str:
    """The version that the guide's own line names, such as "1"."""
    version: str = re.findall(r"^Version (\S+)$", guide(), re.MULTILINE)[0]
    return version


def _part(page: ET.Element, name: str) -> ET.Element:
    """The part of the page with this class name."""
    return next(part for part in page.iter("View") if part.get("className") == name)
