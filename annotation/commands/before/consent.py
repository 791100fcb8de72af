"""The command `consent`: what people agree to before their first pair."""

from dataclasses import dataclass
from pathlib import Path

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.people.issuing import issue, read_document
from data.console.marks import Positional
from data.console.messages import say
from data.guidance.next_steps import say_steps


@dataclass(frozen=True, kw_only=True)
class Arguments(OfCampaign):
    """Set the text that people consent to before their first task; they are asked again about a new version."""

    file: Positional[Path]
    """Plain text: headings with #, lists with -, and a line `Version …`."""

    ethics: str
    """Who approved it: an ethics committee and its number, or why none had to be asked. Shown below the text."""


def main(arguments: Arguments) -> None:
    """Append the document."""
    campaign = Campaign(arguments)
    document = read_document(arguments.file, "consent", arguments.ethics)
    issue(campaign, document)
    say(f"consent version {document.version} holds for campaign {campaign.name}")
    say("annotators accept it on the server's page before their first pair, and again when it changes")
    say_steps(campaign.store, campaign.name)
