"""Which rows of the table of cards count."""

import pandas as pd


def latest_cards(cards: pd.DataFrame) -> pd.DataFrame:
    """The last fetch of each card; of a file that was read again, only the cards of the last reading.

    `cards`: card_id, source, url, body_sha256, fetched_at, and any others.
    """
    is_file = cards["source"] == "files"
    current = pd.Series(True, cards.index)
    for column in ("url", "body_sha256"):
        reading = cards[column].where(is_file, cards["card_id"])
        current &= cards["fetched_at"] == cards.groupby(reading)["fetched_at"].transform("max")
    cards = cards[current]
    return cards.sort_values(["fetched_at", "card_id"]).drop_duplicates("card_id", keep="last")
