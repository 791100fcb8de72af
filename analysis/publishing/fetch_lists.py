"""How a stranger fetches the texts of a release without texts: lists for the crawler, and its commands; pure."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas as pd

from data.grouping import entities

FOLDER = "fetch"
TERMS = f"{FOLDER}/terms.txt"
OF_RECIPE = frozenset({"resolve_markup", "drop_references", "lower_case"})
"""How definitions were made that no flag says, but the recipe alone; only the paper's gives texts in lower case."""


def write_lists(pairs: pd.DataFrame, provenance: pd.DataFrame) -> dict[str, str]:
    """File name -> lines: the entities (`TERMS`), and for each source the addresses or file names of its cards.

    `pairs`: entity, second_entity; `provenance`: source, url (of a site by http or https, else `file:` and a name).
    """
    lists = {TERMS: entities.each(pairs)}
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
    terms = f"-a terms=THIS_FOLDER/{TERMS}"
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
    return f"{FOLDER}/{source}.txt"


def _file_name(url: str) -> str:
    return unquote(url.partition(":")[2].partition("#")[0])
