"""The command `lineage`: a pair's way from its sources."""

from dataclasses import dataclass, field

import pandas as pd

from data.console.marks import Positional
from data.console.messages import say
from data.console.paths import Address
from data.grouping.entities import ENTITIES, name_pair
from data.provenance import lineage
from data.recorded.names import read_names
from data.storage.store import Store


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Follow a pair to its definitions, cards, addresses and times."""

    pair_id: Positional[str]
    """The pair's id, or its beginning."""

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Print the pair's labels, texts and cards."""
    store = Store(arguments.store)
    origin = lineage.trace(store, arguments.pair_id)
    pair = origin.pairs.iloc[0]
    name = name_pair(*pair[ENTITIES], names=read_names(store))
    of_entity = f" of «{name}»" if name else ""
    say(f"pair {pair['pair_id']}{of_entity}, proposed by {', '.join(origin.pairs['generator'])}")
    for label in origin.labels.to_dict("records"):
        by = f"{label['votes']} of {label['n_votes']} votes, {label['method']}, campaign {label['campaign']}"
        say(f"label {label['binary']} ({by})")
    for text in origin.generated.to_dict("records"):
        model = "" if pd.isna(text["model"]) else f" with {text['model']}"
        say(f"\ngenerated text {text['text_id']}\n  {text['text']}")
        say(f"    {text['generator']}, {text['method']}{model}, from {text['source_id']}")
    for sentence in origin.sentences.to_dict("records"):
        licence = "none stated" if pd.isna(sentence["licence"]) else sentence["licence"]
        say(f"\nsentence {sentence['sentence_id']}\n  {sentence['text']}")
        say(
            f"    {sentence['source']} {sentence['source_id']}, sentence {sentence['position'] + 1}; licence: {licence}"
        )
    for definition in origin.definitions.to_dict("records"):
        say(f"\ndefinition {definition['definition_id']}\n  {definition['text']}")
        for card in origin.cards[origin.cards["definition_id"] == definition["definition_id"]].to_dict("records"):
            place = f"card {card['position'] + 1} of «{card['set_title']}» (set {card['set_id']})"
            copied = "" if pd.isna(card["copied_from"]) else f", copied from set {card['copied_from']}"
            say(f"    {card['fetched_at']:%Y-%m-%d %H:%M:%S} UTC  {card['url']}")
            say(f"      {card['source']}: {place}{copied}")
            say(f"      front «{card['front']}»  back «{card['back']}»")
            credit = "" if pd.isna(card["credit"]) else f", credit to {card['credit']}"
            say(f"      licence: {'none stated' if pd.isna(card['licence']) else card['licence']}{credit}")
