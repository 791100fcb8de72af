"""Put the documents that lie outside docs/ into the site, under names of the site's own."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "data/README.md": "tables.md",
    "studies/README.md": "studies.md",
    "LICENSE": "LICENSE",
    "CITATION.cff": "CITATION.cff",
}
"""Path in the repository -> name in the site."""
UNSEARCHED = {"api.md", "changelog.md"}
"""Pages that name everything, and would hide the others in the search."""
LINK = re.compile(r"(\]\(|(?:src|href)=\")(?!https?:|mailto:|#)([^)#\"\s]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the outside documents, with their links turned into the site's."""
    for path, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=relink((ROOT / path).read_text(encoding="utf-8"), path)))
    return files


def on_page_markdown(markdown: str, page: object, **_: object) -> str:
    """Turn the links of a page of docs/ to documents outside into the site's; leave UNSEARCHED out of the search."""
    path = page.file.src_uri  # type: ignore[attr-defined]
    if path in UNSEARCHED:
        page.meta["search"] = {"exclude": True}  # type: ignore[attr-defined]
    return markdown if path in OUTSIDE.values() else relink(markdown, f"docs/{path}")


def relink(text: str, path: str) -> str:
    """The text of the document at `path` with the links of the site's pages."""

    def turned(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
        return match[1] + OUTSIDE.get(target, target.removeprefix("docs/"))

    return LINK.sub(turned, text)
