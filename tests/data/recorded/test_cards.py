"""Which rows of the table of cards count."""

import pandas as pd

from data.recorded.cards import latest_cards

ROWS = [
    # a file read with the wrong sides, then again with the right ones; one card is the same both times
    ("a", 1, "files", "file 1", "file:1"),
    ("b", 1, "files", "file 1", "file:1"),
    ("b", 2, "files", "file 1", "file:1"),
    ("c", 2, "files", "file 1", "file:1"),
    # another file, whose content has changed; and one that has another name now
    ("d", 1, "files", "file 2", "file:2"),
    ("g", 2, "files", "file 3", "file:2"),
    ("h", 1, "files", "file 4", "file:4"),
    ("i", 2, "files", "file 4", "file:5"),
    # a site's page that was asked twice, and the part of a set that was not
    ("e", 1, "quizlet", "page", "https://x/1"),
    ("e", 2, "quizlet", "page", "https://x/1"),
    ("f", 1, "quizlet", "page", "https://x/1"),
]


def test_of_a_file_the_last_reading_counts_and_of_a_site_all_cards():
    cards = pd.DataFrame(ROWS, columns=["card_id", "fetched_at", "source", "body_sha256", "url"])
    rows = latest_cards(cards)[["card_id", "fetched_at"]]
    kept = [("b", 2), ("c", 2), ("e", 2), ("f", 1), ("g", 2), ("i", 2)]
    assert sorted(rows.itertuples(index=False, name=None)) == kept
