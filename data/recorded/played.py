"""The games of a store, and what was played in one, counted from its attempts."""

import pandas as pd

from data.contract.tables.campaign import Annotators, Openings
from data.contract.vocabulary import LEFT, PLAYER
from data.storage.store import Store


def opened_games(store: Store) -> pd.DataFrame:
    """The campaigns that are games, the one opened last first: campaign, players (those who take part), opened."""
    rows = store.read(Annotators, ["campaign", "annotator", "role", "state", "at"]).sort_values("at")
    people = rows.groupby(["campaign", "annotator"], as_index=False).agg(
        joined=("role", "first"), state=("state", "last")
    )
    players = people[people["joined"] == PLAYER].assign(players=people["state"] != LEFT)
    openings = store.read(Openings, ["campaign", "at"]).groupby("campaign")["at"].max()
    games = players.groupby("campaign")["players"].sum().reset_index()
    games["opened"] = games["campaign"].map(openings)
    return games.sort_values(["opened", "campaign"], ascending=False, ignore_index=True)


def latest_attempts(attempts: pd.DataFrame) -> pd.DataFrame:
    """The latest row of each attempt, in the order in which they were made."""
    rows = attempts.sort_values(["changed_at"]).drop_duplicates("attempt_id", keep="last")
    return rows.sort_values(["asked_at", "attempt_id"], ignore_index=True)


def count(attempts: pd.DataFrame) -> dict[str, int]:
    """What became of the attempts, rows of `latest_attempts`; base and bonus are in cents.

    players, checks, submitted, judged, same (of those judged: mean the same), refused, base, bonus.
    """
    judged = attempts["implied"].dropna()
    return {
        "players": int(attempts["player"].nunique()),
        "checks": len(attempts),
        "submitted": int(attempts["submitted_at"].notna().sum()),
        "judged": len(judged),
        "same": int(judged.sum()),
        "refused": int(attempts["refused"].notna().sum()),
        "base": int(attempts["base"].sum()),
        "bonus": int(attempts["bonus"].sum()),
    }
