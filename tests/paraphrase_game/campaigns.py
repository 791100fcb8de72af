"""A campaign over the pairs of a game."""

from annotation.__main__ import main
from data.storage.store import Store


def plan(store: Store, generator: str) -> None:
    """Plan a campaign in which three people label every pair of the generator."""
    words = ["plan", "--store", str(store.root), "--generator", generator, "--annotators", "3"]
    assert main(words) == 0
