"""What was played in a game, counted from its attempts."""

import pandas as pd


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
