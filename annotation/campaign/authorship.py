"""Who wrote a pair's text in a game: no player rates their own."""

import pandas as pd

from annotation.campaign.accounts import read_accounts
from data.contract.tables.game import Attempts
from data.contract.tables.pairs import Pairs
from data.recorded.plans import read_plans
from data.storage.store import Store


def authors(store: Store, generator: str) -> pd.DataFrame:
    """pair_id, email: the players who wrote exactly the second text of a pair of this generator, in any game of the
    store."""
    pairs = store.read(Pairs, ["pair_id", "first_id", "second"], generator=generator)
    attempts = store.read(Attempts, ["campaign", "player", "prompt_id", "text"]).drop_duplicates()
    wrote = pairs.merge(attempts, left_on=["first_id", "second"], right_on=["prompt_id", "text"])
    plans = read_plans(store)
    emails = {
        (campaign, account.annotator): account.email
        for campaign in attempts["campaign"].unique()
        for account in read_accounts(store.root, plans.study(campaign))
    }
    known = [emails.get(key) for key in zip(wrote["campaign"], wrote["player"], strict=True)]
    rows = wrote[["pair_id"]].astype("object").assign(email=pd.Series(known, wrote.index, dtype="object"))
    return rows.dropna().drop_duplicates(ignore_index=True)
