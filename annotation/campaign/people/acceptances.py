"""Who accepted which guide and consent."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.campaign.campaign import Campaign
from annotation.config import PlanRule
from data.console.errors import InputError
from data.contract.tables.campaign import Acceptances, Annotators


def guides(campaign: Campaign, ratings: pd.DataFrame) -> NDArray[np.object_]:
    """The version of the guide that each rating's annotator had accepted by then, else the version when they joined."""
    names = ratings["assignment_id"].map(campaign.assignments.set_index("assignment_id")["annotator"])
    at = pd.to_datetime(ratings["submitted_at"], utc=True)
    rated = pd.DataFrame({"annotator": names.to_numpy(object), "at": at.to_numpy("datetime64[us]")})
    joined = campaign.store.read(Annotators, campaign=campaign.name).sort_values("at")
    first = rated["annotator"].map(joined.drop_duplicates("annotator").set_index("annotator")["guide_version"])
    accepted = campaign.store.read(Acceptances, campaign=campaign.name, kind="guide")
    known = pd.DataFrame(
        {
            "annotator": accepted["annotator"].to_numpy(object),
            "at": accepted["at"].to_numpy("datetime64[us]"),
            "version": accepted["version"].to_numpy(object),
        }
    ).sort_values("at")
    known["annotator"] = known["annotator"].astype(rated["annotator"].dtype)  # an empty column has no type
    last = pd.merge_asof(rated.reset_index().sort_values("at"), known, on="at", by="annotator")
    versions = last.set_index("index")["version"].sort_index()
    return np.where(versions.notna(), versions.to_numpy(object), first.to_numpy(object))


def keep(campaign: Campaign, accepted: pd.DataFrame) -> None:
    """Append who accepted which of the campaign's documents, and write the versions to the annotators' rows."""
    registered = accounts.read_accounts(campaign.store.root, campaign.study)
    names = {account.email: account.annotator for account in registered}
    keys = {document.key for document in campaign.every_document()}
    own = accepted[accepted["email"].isin(names) & accepted["key"].isin(keys)].sort_values("accepted_at")
    rows = own[["kind", "version"]].assign(annotator=own["email"].map(names), at=own["accepted_at"])
    rows = rows[rows["annotator"].isin(campaign.annotators.index)].drop_duplicates(["annotator", "kind", "version"])
    manifest = campaign.manifest("accept", PlanRule(), counts={"acceptances": len(rows)})
    version = campaign.store.append(Acceptances, rows.assign(campaign=campaign.name), manifest)
    if version is None:
        return
    people = campaign.annotators[campaign.annotators.index.isin(rows["annotator"])].reset_index(drop=True)
    for kind, part in rows.groupby("kind"):
        accepted_versions = people["annotator"].map(dict(zip(part["annotator"], part["version"], strict=True)))
        people[f"{kind}_version"] = accepted_versions.astype(object).fillna(people[f"{kind}_version"].astype(object))
    campaign.store.append(Annotators, people.assign(at=campaign.now()), manifest)
    campaign.refresh()


def require_consent(campaign: Campaign, people: Sequence[Account]) -> None:
    """Raises InputError where people could start without being asked for their consent."""
    named = [account for account in people if not account.email.endswith(accounts.NOBODYS_ADDRESS)]
    if named and campaign.documents[0].kind != "consent":
        raise InputError(
            f"campaign {campaign.name}",
            expected=f"a consent text for {len(named)} people to accept",
            found="none",
            remedy="give it: python -m annotation consent FILE --ethics REFERENCE",
        )
