"""The text files of a release, each as it follows from the tables, the statements and the facts.

`analysis.release` writes them; `analysis.verify` writes them again and compares.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.publishing import attribution, card, card_numbers, croissant, fetch_lists, licences, statements, tsv
from analysis.statistics.wording import name_sides
from data.contract.vocabulary import SCORES, SPLITS
from data.labelled import parade, releases
from data.labelled.releases import Release
from data.storage.manifest import plain


def count_numbers(release: Release) -> dict[str, Any]:
    """Every number of the data card, counted from the release's tables, in terms of JSON."""
    numbers: dict[str, Any] = plain(card_numbers.count(release.tables, release.facts, release.question))
    return numbers


def derive(release: Release, numbers: dict[str, Any], folder: Path) -> dict[str, str]:
    """File name -> content of every text file but the checksums.

    `numbers`: from `count_numbers`; `folder`: where the release's Parquet files lie, for their digests.
    """
    words = statements.make(release.statements, folder / "statements.json")
    return {
        "manifests.json": as_json(release.manifests),
        "statements.json": as_json(releases.head(release)),
        "numbers.json": as_json(numbers),
        "README.md": card.render(words, numbers, _shown(release, numbers)),
        **({"CITATION.cff": card.cite(words)} if words.authors else {}),
        **_list_tsv(release.tables),
        **_list_published(release),
        **(_list_fetching(release.tables) if release.facts.without_text else {}),
        "croissant.json": croissant.describe(folder, words),
    }


def as_json(content: Any) -> str:
    """The content as the release's JSON files have it."""
    return json.dumps(plain(content), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _shown(release: Release, numbers: dict[str, Any]) -> dict[str, Any]:
    """What the card shows of the release's facts."""
    named = ("name", "simulated", "permissions", "recipe", "allocation", "software")
    facts = {name: getattr(release.facts, name) for name in named}
    made_by = next((manifest for manifest in release.manifests if manifest["table"] == "definitions"), {})
    config = made_by.get("config", {})
    provenance, sources = release.tables.get("provenance"), release.tables.get("sources")
    nothing = "texts not published" if release.facts.without_text else "none stated"
    return facts | {
        "tables": list(release.tables),
        "called": name_sides(release.question),
        "vote": _describe_vote(release),
        "one_vote": [" and ".join(couple) for couple in release.facts.rule.get("one_vote") or []],
        "has_published": release.question.has_paraphrases,
        "fetching": [] if provenance is None else fetch_lists.list_commands(provenance, config),
        "basis": [licences.find_basis(row, release.facts.permissions) or nothing for row in numbers["sources"] or []],
        "works": [] if sources is None else attribution.list_works(sources),
        "share_alike": [] if sources is None else attribution.list_share_alike(sources),
        "changes": attribution.describe_changes(config),
    }


def _describe_vote(release: Release) -> str | None:
    """Which answers are a vote for a label of 1 and which are one against it; None where no table has the answers."""
    if "ratings" not in release.tables:
        return None
    question = release.question
    if question.has_paraphrases:
        least = int(release.facts.rule["paraphrase_from"])
        yes, no = ([str(score) for score in SCORES if (score >= least) == side] for side in (True, False))
    elif question.vote is not None:
        yes, no = list(question.vote.positive), question.vote.negative
    else:
        return None
    return f"{' or '.join(yes)} is a vote for {name_sides(question).vote}, and {' or '.join(no)} is one against it"


def split_table(name: str, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """File stem -> rows: the pairs by split, any other table whole."""
    if name != "pairs":
        return {name: table}
    return {split: rows for split in SPLITS if len(rows := table[table["split"] == split])}


def _list_tsv(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    return {
        f"tsv/{stem}.tsv": tsv.as_tsv(rows)
        for name, table in tables.items()
        for stem, rows in split_table(name, table).items()
    }


def _list_published(release: Release) -> dict[str, str]:
    """The published files of the labelled pairs, where they are paraphrases or not."""
    question, pairs = release.question, release.tables["pairs"]
    if "first" not in pairs or not question.has_paraphrases:
        return {}
    pairs = pairs[pairs["binary"].notna()]
    return {f"published/{name}": text for name, text in parade.as_texts(tsv.publishable(pairs)).items()}


def _list_fetching(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    provenance = tables.get("provenance")
    if provenance is None or provenance.empty:
        return {}
    return fetch_lists.write_lists(tables["pairs"], provenance)
