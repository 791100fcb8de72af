"""Put a campaign's consent or guide in force, and move the open work to a new guide."""

from pathlib import Path
from typing import Literal

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.documents import Document
from annotation.campaign.planning.plan import complete
from annotation.config import PlanRule
from data.console.errors import InputError
from data.contract.questions import is_plain, named_version
from data.contract.tables.campaign import Assignments, Documents
from data.contract.vocabulary import LEFT
from data.files.sheets import read_text
from data.storage.manifest import Manifest


def read_document(path: Path, kind: Literal["consent", "guide"], reference: str = "") -> Document:
    """The document in a file. Raises InputError where it names no version, or a consent no ethics reference."""
    text = read_text(path, f"the text of a {kind}").strip()
    version = named_version(text)
    if not text or version is None or (kind == "consent" and not reference.strip()):
        raise InputError(
            path,
            expected="a text with a line `Version …`" + (", and --ethics" if kind == "consent" else ""),
            found=f"{len(text)} characters, version {version or 'not named'}",
            remedy="complete it",
        )
    if not is_plain(text):
        raise InputError(
            path, expected=f"a {kind} without control characters", found="some", remedy="save it as plain text"
        )
    return Document(kind=kind, version=version, text=text, reference=reference.strip())


def require_own_version(campaign: Campaign, document: Document) -> None:
    """Raises InputError where another text has the document's version, or the document was replaced by another."""
    named = (document.kind, document.version)
    same = [other for other in campaign.every_document() if (other.kind, other.version) == named]
    issued = campaign.store.read(Documents, campaign=campaign.name, kind=document.kind)["version"]
    replaced = document not in campaign.documents and document.version in set(issued)
    if replaced or (same and document not in same):
        raise InputError(
            f"{document.kind}, version {document.version}",
            expected="the text that has this version now, or a version of its own",
            found="one that was in force before" if document in same else "another text",
            remedy="give the text another line `Version …`",
        )


def issue(campaign: Campaign, document: Document) -> None:
    """Append the document, which is in force from now on; one that is in force already adds nothing."""
    require_own_version(campaign, document)
    fields = ("kind", "version", "reference", "text")
    row = pd.DataFrame([{name: getattr(document, name) for name in fields}])
    manifest = Manifest(
        stage="annotation.documents", part=campaign.name, config={"kind": document.kind, "version": document.version}
    )
    campaign.store.append(Documents, row.assign(campaign=campaign.name, at=campaign.now()), manifest)
    campaign.refresh()


def outdated(campaign: Campaign) -> pd.DataFrame:
    """The unanswered assignments, of people who have not left, that were made before the guide in force."""
    rows = campaign.store.read(Documents, kind="guide")
    rows = rows[rows["campaign"].isin(campaign.governed_by)]
    since = rows.loc[rows["version"] == campaign.guide.version, "at"].max()
    left = campaign.annotators.index[campaign.annotators["state"] == LEFT]
    open_ = campaign.waiting[~campaign.waiting["annotator"].isin(left)]
    return open_[open_["at"] < since] if pd.notna(since) else open_[:0]


def move_open_work(campaign: Campaign) -> int:
    """Assign every annotator's outdated work to them again, in a new round; returns the number of assignments."""
    open_ = outdated(campaign)
    if open_.empty:
        return 0
    number = int(campaign.assignments["round"].max()) + 1
    moved = open_.assign(supersedes=open_["assignment_id"], round=number)
    moved = moved.drop(columns=["assignment_id", "campaign", "at"])
    manifest = campaign.manifest("guide", PlanRule(), counts={"moved": len(moved)})
    campaign.store.append(Assignments, complete(campaign, moved), manifest)
    return len(moved)
