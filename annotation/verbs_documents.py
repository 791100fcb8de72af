"""The verbs `consent` and `guide`: what annotators accept before the first task, and what another guide changes."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from tyro.conf import Positional

from annotation.campaign import Campaign, OfCampaign
from annotation.config import PlanRule
from annotation.connection import AtServer, connect
from annotation.label_studio.documents import Document, named_version
from annotation.verbs_label import Collect, collect
from annotation.verbs_plan import complete
from data import schemas
from data.console import existing_file, say, say_next
from data.errors import InputError, ServerError
from data.manifest import Manifest


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
    if campaign.store.read(schemas.Assignments, columns=["assignment_id"], campaign=campaign.name).empty:
        _keep(campaign, document)
        return
    if document == campaign.guide:
        say(f"guide version {document.version} holds already")
        return
    _close_and_collect(campaign, arguments)
    with campaign.alone():
        _keep(campaign, document)
        n_open = _move_open_work(campaign)
    say(f"{n_open} open pairs go to a new round by the new guide; what was answered stays in its round")
    say_next("python -m annotation open", *campaign.flags)


def _read(path: Path, kind: Literal["consent", "guide"], reference: str) -> Document:
    text = existing_file(path, f"the text of a {kind}").read_text(encoding="utf-8").strip()
    version = named_version(text)
    if not text or version is None or (kind == "consent" and not reference.strip()):
        raise InputError(
            path,
            expected="a text with a line `Version …`" + (", and --ethics" if kind == "consent" else ""),
            found=f"{len(text)} characters, version {version or 'not named'}",
            remedy="complete it",
        )
    return Document(kind=kind, version=version, text=text, reference=reference.strip())


def _keep(campaign: Campaign, document: Document) -> None:
    """Appends the document. Raises InputError where another text has its version."""
    same = [one for one in campaign.every_document() if (one.kind, one.version) == (document.kind, document.version)]
    if same and document not in same:
        raise InputError(
            f"{document.kind}, version {document.version}",
            expected="the text that has this version already, or a version of its own",
            found="another text",
            remedy="give the changed text another line `Version …`",
        )
    fields = ("kind", "version", "reference", "text")
    row = pd.DataFrame([{name: getattr(document, name) for name in fields}])
    manifest = Manifest(stage=campaign.stage("documents"), config={"kind": document.kind, "version": document.version})
    campaign.store.append(schemas.Documents, row.assign(campaign=campaign.name, at=datetime.now(UTC)), manifest)
    say(f"{document.kind} version {document.version} holds for campaign {campaign.name}")


def _close_and_collect(campaign: Campaign, arguments: Guide) -> None:
    """Closes what is open on the server and collects it; where no server answers, what was collected counts."""
    try:
        with connect(arguments) as client:
            there, emails = client.projects(), campaign.emails()
            members = {
                there[one.title]: (emails[one.annotator], False) for one in campaign.projects() if one.title in there
            }
            say(f"{client.open_for(members, campaign.documents)} projects closed")
    except ServerError as fault:
        if arguments.url is not None:
            raise
        say(f"as last collected ({fault})")
        return
    if members:
        collect(Collect(store=arguments.store, campaign=arguments.campaign, url=arguments.url))


def _move_open_work(campaign: Campaign) -> int:
    """Gives every annotator the own unanswered assignments again, in a new round; returns how many."""
    rows = campaign.assignments
    done = campaign.answered | set(rows["supersedes"].dropna())
    left = set(campaign.annotators.index[campaign.annotators["state"] == "left"])
    open_ = rows[~rows["assignment_id"].isin(sorted(done)) & ~rows["annotator"].isin(sorted(left))]
    if open_.empty:
        return 0
    moved = open_.assign(supersedes=open_["assignment_id"], round=int(rows["round"].max()) + 1)
    moved = moved.drop(columns=["assignment_id", "campaign", "at"])
    manifest = campaign.manifest("guide", PlanRule(), counts={"moved": len(moved)})
    campaign.store.append(schemas.Assignments, complete(campaign, moved), manifest)
    return len(moved)
