"""The verbs `consent` and `guide`: what annotators accept before the first task, and what another guide changes."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from tyro.conf import Positional

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.documents import Document, named_version
from annotation.campaign.plan import complete
from annotation.commands.collect import Collect, collect
from annotation.commands.connection import AtServer, connect
from annotation.config import PlanRule
from annotation.files import read_text
from annotation.label_studio.projects import list_projects
from data.console import say, say_next
from data.errors import InputError, ServerError
from data.manifest import Manifest
from data.tables.campaign import Assignments, Documents


@dataclass(frozen=True, kw_only=True)
class Consent(OfCampaign):
    """Set the text that people consent to before their first task; another version is asked for anew."""

    file: Annotated[Path, Positional]
    """Plain text: headings with #, lists with -, and a line `Version …`."""

    ethics: str
    """Who approved it: an ethics committee and its number, or why none had to be asked. Shown below the text."""


@dataclass(frozen=True, kw_only=True)
class Guide(AtServer):
    """Set the campaign's guide. Where people work already, what they have not answered yet becomes a new round.

    The earlier round is closed and collected first, so that what was said by the earlier guide stays apart.
    """

    file: Annotated[Path, Positional]
    """Plain text as annotation/label_studio/guide.md: headings with #, lists with -, and a line `Version …`."""


def consent(arguments: Consent) -> None:
    """Appends the document."""
    campaign = Campaign(arguments)
    document = _read(arguments.file, "consent", arguments.ethics)
    _keep(campaign, document)
    say("annotators accept it on the server's page before their first pair, and again where it changes")
    say_next("python -m annotation open", *campaign.flags)


def guide(arguments: Guide) -> None:
    """Appends the document and, where there is open work, its new round."""
    campaign = Campaign(arguments)
    document = _read(arguments.file, "guide", "")
    if not campaign.is_planned:
        _keep(campaign, document)
        return
    if document == campaign.guide and _asked_before(campaign).empty:
        say(f"guide version {document.version} holds already")
        return
    _demand_own_version(campaign, document)
    _close_and_collect(campaign, arguments)
    with campaign.alone():
        _keep(campaign, document)
        n_open = _move_open_work(campaign)
    say(f"{n_open} open pairs go to a new round by the new guide; what was answered stays in its round")
    say_next("python -m annotation open", *campaign.flags)


def _read(path: Path, kind: Literal["consent", "guide"], reference: str) -> Document:
    text = read_text(path, f"the text of a {kind}").strip()
    version = named_version(text)
    if not text or version is None or (kind == "consent" and not reference.strip()):
        raise InputError(
            path,
            expected="a text with a line `Version …`" + (", and --ethics" if kind == "consent" else ""),
            found=f"{len(text)} characters, version {version or 'not named'}",
            remedy="complete it",
        )
    return Document(kind=kind, version=version, text=text, reference=reference.strip())


def _demand_own_version(campaign: Campaign, document: Document) -> None:
    """Raises InputError where another text has the document's version, or it held before another one."""
    same = [one for one in campaign.every_document() if (one.kind, one.version) == (document.kind, document.version)]
    held = campaign.store.read(Documents, campaign=campaign.name, kind=document.kind)["version"]
    past = document not in campaign.documents and document.version in set(held)
    if past or (same and document not in same):
        raise InputError(
            f"{document.kind}, version {document.version}",
            expected="the text that has this version now, or a version of its own",
            found="one that held before" if document in same else "another text",
            remedy="give the text another line `Version …`",
        )


def _keep(campaign: Campaign, document: Document) -> None:
    """Appends the document; one that holds already adds nothing."""
    _demand_own_version(campaign, document)
    fields = ("kind", "version", "reference", "text")
    row = pd.DataFrame([{name: getattr(document, name) for name in fields}])
    manifest = Manifest(stage=campaign.stage("documents"), config={"kind": document.kind, "version": document.version})
    campaign.store.append(Documents, row.assign(campaign=campaign.name, at=datetime.now(UTC)), manifest)
    campaign.refresh()
    say(f"{document.kind} version {document.version} holds for campaign {campaign.name}")


def _close_and_collect(campaign: Campaign, arguments: Guide) -> None:
    """Closes what is open on the server and collects it; where no server answers, what was collected counts."""
    try:
        with connect(arguments) as client:
            there, emails = client.projects(), campaign.emails()
            members = {
                there[one.title]: (emails[one.annotator], False)
                for one in list_projects(campaign)
                if one.title in there
            }
            say(f"{client.open_for(members, campaign.documents)} projects closed")
    except ServerError as fault:
        if arguments.url is not None:
            raise
        say(f"as last collected ({fault})")
        return
    if members:
        collect(Collect(store=arguments.store, campaign=arguments.campaign, url=arguments.url))


def _asked_before(campaign: Campaign) -> pd.DataFrame:
    """The unanswered assignments of who has not left that were given before the guide which holds."""
    rows = campaign.store.read(Documents, kind="guide")
    rows = rows[rows["campaign"].isin([campaign.name, campaign.arm().name])]
    since = rows.loc[rows["version"] == campaign.guide.version, "at"].max()
    left = set(campaign.annotators.index[campaign.annotators["state"] == "left"])
    open_ = campaign.waiting[~campaign.waiting["annotator"].isin(sorted(left))]
    return open_[open_["at"] < since] if pd.notna(since) else open_[:0]


def _move_open_work(campaign: Campaign) -> int:
    """Gives every annotator what was asked by an earlier guide again, in a new round; returns how many."""
    open_ = _asked_before(campaign)
    if open_.empty:
        return 0
    number = int(campaign.assignments["round"].max()) + 1
    moved = open_.assign(supersedes=open_["assignment_id"], round=number)
    moved = moved.drop(columns=["assignment_id", "campaign", "at"])
    manifest = campaign.manifest("guide", PlanRule(), counts={"moved": len(moved)})
    campaign.store.append(Assignments, complete(campaign, moved), manifest)
    return len(moved)
