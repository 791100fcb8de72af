"""The text files of a release, each as it follows from the tables, the statements and the facts.

`analysis.release` writes them; `analysis.verify` makes them again and compares.
"""

import csv
import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from analysis.publishing import card, card_numbers, croissant, licences, statements
from analysis.statistics.wording import name_sides
from data.contract.vocabulary import SCORES
from data.files.spreadsheet_cells import guard
from data.grouping import entities
from data.grouping.entities import ENTITIES
from data.labelled import parade, releases
from data.labelled.release_tables import empty
from data.labelled.releases import Release
from data.storage.manifest import plain

BREAKS = r"[\t\r\n]+"
FETCH_FOLDER = "fetch"
FETCHED_TERMS = f"{FETCH_FOLDER}/terms.txt"
OF_RECIPE = frozenset({"resolve_markup", "drop_references", "lower_case"})
"""How definitions were made that no flag says, but the recipe alone; only the paper's gives texts in lower case."""


def count_numbers(release: Release) -> dict[str, Any]:
    """Every number of the data card, counted from the release's tables, in terms of JSON."""
    numbers: dict[str, Any] = plain(card_numbers.count(release.tables, release.facts))
    return numbers


def make(release: Release, folder: Path) -> dict[str, str]:
    """File name -> content of every text file but the checksums, of a release whose Parquet files lie in `folder`.

    Raises TableError where mlcroissant cannot read these with their metadata.
    """
    texts = derive(release, count_numbers(release), folder)
    croissant.load(folder, texts["croissant.json"])
    return texts


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
        "one_vote": [" and ".join(couple) for couple in release.rule.one_vote],
        "has_published": release.question.has_paraphrases,
        "fetching": [] if provenance is None else list_commands(provenance, config),
        "basis": [licences.find_basis(row, release.facts.permissions) or nothing for row in numbers["sources"] or []],
        **licences.credit(empty("sources") if sources is None else sources, config),
    }


def _describe_vote(release: Release) -> str | None:
    """Which answers are a vote for a label of 1 and which are one against it; None where no table has the answers."""
    if "ratings" not in release.tables:
        return None
    question = release.question
    if question.has_paraphrases:
        least = release.rule.lowest_yes
        yes, no = ([str(score) for score in SCORES if (score >= least) == side] for side in (True, False))
    elif question.vote is not None:
        yes, no = list(question.vote.positive), question.vote.negative
    else:
        return None
    return f"{' or '.join(yes)} is a vote for {name_sides(question).vote}, and {' or '.join(no)} is one against it"


def _list_tsv(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    return {
        f"tsv/{stem}.tsv": as_tsv(rows)
        for name, table in tables.items()
        for stem, rows in releases.split_table(name, table).items()
    }


def _list_published(release: Release) -> dict[str, str]:
    """The published files of the labelled pairs, where they are paraphrases or not."""
    question, pairs = release.question, release.tables["pairs"]
    if "first" not in pairs or not question.has_paraphrases:
        return {}
    pairs = pairs[pairs["binary"].notna()]
    return {f"published/{name}": text for name, text in parade.as_texts(publishable(pairs)).items()}


def _list_fetching(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    provenance = tables.get("provenance")
    if provenance is None or provenance.empty:
        return {}
    return write_lists(tables["pairs"], provenance)


def as_tsv(rows: pd.DataFrame) -> str:
    """The rows as tab-separated text in which a spreadsheet finds no formula."""
    text: str = as_cells(rows).to_csv(sep="\t", index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")
    return text


def publishable(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs with their three texts safe for a spreadsheet and on one line, as the published files have them."""
    safe = {name: guard(pairs[name].str.replace(BREAKS, " ", regex=True)) for name in (*ENTITIES, "first", "second")}
    return pairs.assign(**safe)


def as_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The table as texts safe for a spreadsheet: lists joined by spaces, tabs and line breaks replaced by spaces."""
    return pd.DataFrame({name: guard(_plain(table[name])) for name in table.columns})


def _plain(column: "pd.Series[Any]") -> "pd.Series[str]":
    values = pa.array(column, from_pandas=True)
    if kinds.is_integer(values.type):
        values = values.cast(pa.string())
    elif not (kinds.is_string(values.type) or kinds.is_large_string(values.type)):
        values = pa.array(map(_write, values.to_pylist()), pa.string())
    cells = pc.replace_substring_regex(values.fill_null(""), BREAKS, " ")
    return pd.Series(pd.array(cells, dtype="str"), index=column.index)


def _write(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "__len__"):
        return value if isinstance(value, str) else " ".join(map(str, value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def write_lists(pairs: pd.DataFrame, provenance: pd.DataFrame) -> dict[str, str]:
    """File name -> lines: the entities (`FETCHED_TERMS`), and for each source the addresses or file names of its cards.

    `pairs`: entity, second_entity; `provenance`: source, url (of a site by http or https, else `file:` and a name).
    """
    lists = {FETCHED_TERMS: entities.each(pairs)}
    for source, urls in _by_source(provenance).items():
        lists[_list_of(source)] = urls if _is_site(urls) else urls.map(_file_name)
    return {name: "".join(f"{_as_line(line)}\n" for line in sorted(set(lines))) for name, lines in lists.items()}


def list_commands(provenance: pd.DataFrame, config: dict[str, Any]) -> list[str]:
    """The commands that fetch the texts into a store, in the order to run them; none where no card is known.

    `config`: what the definitions were made with. A release may use a single definition of an entity, and only that
    one is fetched, so one is enough.
    """
    commands = [command for source, urls in _by_source(provenance).items() for command in _crawl(source, urls)]
    if not commands:
        return []
    recipe = {"recipe": "paper" if config["lower_case"] else "recommended"} if "lower_case" in config else {}
    said = {name: value for name, value in config.items() if name not in OF_RECIPE} | {"min_definitions": 1}
    flags = [_flag(name.replace("_", "-"), value) for name, value in (recipe | said).items()]
    return [*commands, " ".join(["python -m crawler.definitions --store STORE", *flags])]


def _flag(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return _quote(f"--{name}" if value else f"--no-{name}")
    return f"{_quote(f'--{name}')} {_quote(value)}"


def _by_source(provenance: pd.DataFrame) -> Mapping[str, "pd.Series[str]"]:
    return {str(source): rows["url"].astype(str) for source, rows in provenance.groupby("source")}


def _crawl(source: str, urls: "pd.Series[str]") -> Iterator[str]:
    terms = f"-a terms=THIS_FOLDER/{FETCHED_TERMS}"
    if not _is_site(urls):
        spider, _, kind = source.partition(".")
        named = f"-a {_quote(f'kind={kind}')} " if kind else ""
        yield f"scrapy crawl {_quote(spider)} --store STORE {named}-a path=FOLDER_WITH_THE_FILES_OF_ITS_LIST {terms}"
        return
    for site in sorted({site for url in urls if (site := _find_site(url))}):
        yield (
            f"scrapy crawl {_quote(source)} --store STORE -a {_quote(f'site={site}')} "
            f"-a {_quote(f'sets=THIS_FOLDER/{_list_of(source)}')} {terms} -a contact=YOUR_ADDRESS"
        )


def _quote(word: object) -> str:
    """The word as a shell reads it, on one line."""
    return shlex.quote(_as_line(str(word)))


def _as_line(text: str) -> str:
    return " ".join(text.splitlines())


def _is_site(urls: "pd.Series[str]") -> bool:
    return bool(urls.str.startswith(("http://", "https://")).all())


def _find_site(url: str) -> str | None:
    """The address's scheme and host; None where it is no address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return f"{parts.scheme}://{parts.netloc}"


def _list_of(source: str) -> str:
    return f"{FETCH_FOLDER}/{source}.txt"


def _file_name(url: str) -> str:
    return unquote(url.partition(":")[2].partition("#")[0])
