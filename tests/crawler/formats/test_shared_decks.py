"""All real decks beside the project give the cards that their index counts."""

import csv

from crawler.formats.reading import read

UNSEPARATED = (
    "flashcards/schlopshow+Cybersecurity-Flashcards/CPTS/Active-Directory-Enumeration/Active-Directory-Enumeration.csv"
)


def test_every_file_gives_as_many_cards_and_skipped_notes_as_its_index_says(shared_data):
    with (shared_data / "flashcards/index.tsv").open(encoding="utf-8", newline="") as file:
        counted = {row["path"]: int(row["cards"]) for row in csv.DictReader(file, delimiter="\t")}
    for path in {path.partition("!")[0] for path in counted}:
        outcome = read(path, (shared_data / path).read_bytes())
        assert not outcome.findings, path
        for deck in outcome.decks:
            n_cards = counted.pop(deck.set_id)
            extra = 1 if path == UNSEPARATED else 0  # a row without a separator, which the index left out
            skipped = 0 if "!" in deck.set_id else len(outcome.skipped)
            assert len(deck.cards) + skipped == n_cards + extra, deck.set_id
    assert not counted
