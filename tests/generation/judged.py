"""A store with word swaps that people corrected and judged."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pandas as pd

from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import pair_id, text_id
from tests import plans

BY_TEST = Manifest(stage="test")
START = datetime(2026, 11, 1, tzinfo=UTC)
SWAPS = {
    "the process of converting plaintext into ciphertext": "the process of converting ciphertext into plaintext",
    "Flights from New York to Florida": "Flights from Florida to New York",
    "a network that uses the internet to connect remote users to a private server":
        "a network that uses the server to connect remote users to a private internet",
    "The team also toured in Australia in 1953 .": "The team also toured in 1953 in Australia .",
}  # fmt: skip
SWAP_LABELS = (0, 0, 0, 1)
OTHERS = {f"{word} keeps {other} apart": f"{other} keeps {word} apart" for word, other in (
    ("mutex", "threads"), ("router", "subnets"), ("compiler", "phases"), ("scheduler", "processes"),
)}  # fmt: skip


def plan(
    store: Store, campaign: str, question: str, generator: str, items_from: str | None = None, *, at: datetime = START
) -> None:
    """Plan a campaign that asks a shipped question."""
    others: dict[str, object] = {"items_from": items_from, "labels_per_pair": 5, "scale": "", "at": at}
    plans.plan(store, campaign, generator, question=question, **others)


def write_generated(store: Store, generator: str, rows: Iterable[tuple[str, str]], method: str) -> list[str]:
    """Write texts made from others (source, text) with their pairs, and return the pairs' ids."""
    frame = pd.DataFrame(rows, columns=["first", "second"])
    frame["first_id"], frame["second_id"] = (frame[side].map(text_id) for side in ("first", "second"))
    frame["pair_id"] = [pair_id(*ids) for ids in zip(frame["first_id"], frame["second_id"], strict=True)]
    texts = pd.DataFrame({"text_id": frame["second_id"], "text": frame["second"], "source_id": frame["first_id"]})
    texts = texts.assign(generator=generator, entity=None, n_words=5, method=method, model=None, log_score=None)
    texts["steps"] = [[] for _ in range(len(texts))]
    store.replace(GeneratedTexts, texts, BY_TEST, generator=generator)
    pairs = frame.assign(
        generator=generator, entity=None, cluster=None, similarity=None, overlap=1.0, rank=range(len(frame)),
        selection="every-pair",
    )  # fmt: skip
    pairs["parents"] = [[] for _ in range(len(pairs))]
    store.replace(Pairs, pairs, BY_TEST, generator=generator)
    return frame["pair_id"].tolist()


def write_labels(store: Store, campaign: str, pairs: list[str], binary: Iterable[int | None]) -> None:
    """Write the labels of five raters each; None: too few agree."""
    rows = pd.DataFrame({"pair_id": pairs, "binary": pd.array(list(binary), dtype="Int64")})
    rows["votes"] = rows["binary"].map({1: 5, 0: 0}).astype("Int64").fillna(2)
    rows = rows.assign(
        campaign=campaign, method="majority", control="same_meaning", value=None, n_votes=5, posterior=None,
        stratum="unanimous", decided_by=rows["binary"].map({1: "majority", 0: "majority"}).fillna("too_few_agree"),
    )  # fmt: skip
    rows["scores"] = [[5 - votes, votes] for votes in rows["votes"]]
    store.replace(Labels, rows, BY_TEST, campaign=campaign, method="majority")


def write_swaps(store: Store) -> list[str]:
    """Write the sentences, their swaps and the labels of the campaign `same`; return the pairs' ids."""
    rows = pd.DataFrame({"text": list(SWAPS)})
    rows["sentence_id"] = rows["text"].map(text_id)
    rows = rows.assign(source="lines", source_id="1", position=range(len(rows)), entity=None, n_words=5, licence=None)
    store.replace(Sentences, rows, BY_TEST, source="lines")
    ids = write_generated(store, "paws-swap", SWAPS.items(), "word-swap")
    write_labels(store, "same", ids, SWAP_LABELS)
    return ids
