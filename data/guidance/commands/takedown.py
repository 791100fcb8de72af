"""The command `takedown`: texts are removed for good."""

from dataclasses import dataclass, field

from data.console.errors import InputError
from data.console.marks import Positional
from data.console.messages import quantity, say
from data.console.paths import Address
from data.grouping.entities import name_pair
from data.provenance import takedown
from data.provenance.removal import find_named
from data.storage.store import Store, all_locks


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Remove texts for good, with all that was made from them: from the tables, their history and the ledgers.

    Later crawls and runs skip them. Annotators who rated a removed pair are still paid for it; collect answers first.
    """

    cards: Positional[tuple[str, ...]] = ()
    """Ids of cards, or their beginnings."""
    texts: tuple[str, ...] = ()
    """Ids of definitions, sentences or generated texts, or their beginnings."""
    sources: tuple[str, ...] = ()
    """`papers:ID`, the sentences of a paper; the name of a file of sentences; or the set_id of a deck of cards."""
    reason: str = "asked for"
    """The reason, for the table of tombstones; name no person."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Remove the texts, and print what went with them."""
    store = Store(arguments.store)
    if not (arguments.cards or arguments.texts or arguments.sources):
        expected = "ids of cards, --texts or --sources"
        raise InputError("arguments", expected=expected, found="none", remedy="name at least one")
    with all_locks(store):
        removal = find_named(store, arguments.cards, arguments.texts, arguments.sources)
        say(
            f"{quantity(len(removal.cards), 'card holds', 'cards hold')} the texts; "
            f"{quantity(len(removal.pairs), 'pair is', 'pairs are')} removed with them"
        )
        for pair_id, *names in removal.pairs.itertuples(index=False):
            name = name_pair(*names)
            say(f"  pair {pair_id}" + (f" ({name})" if name else ""))
        for place, n_rows in takedown.take_down(store, removal, arguments.reason):
            if n_rows:
                say(f"  {quantity(n_rows, 'row')} removed from {place}")
        for document in takedown.quoting(store, removal.texts).to_dict("records"):
            name = f"{document['kind']} version {document['version']} of campaign {document['campaign']}"
            say(f"{name} is in force and quotes it:")
            say("  set one without it (python -m annotation guide FILE), open, then run this again")
    if removal.assignments:
        fallen = quantity(len(removal.assignments), "assignment falls", "assignments fall")
        say(f"{fallen}; what people worked on them stays in the pay list")
    say("exported files, reports, releases and Label Studio's own data are not changed: see to them yourself")
