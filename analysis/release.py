"""A data set to publish: python -m analysis.release DIR."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd
import tyro

from analysis.config import LabelSet
from analysis.publishing import from_store
from data.console import run, say, say_next
from data.errors import Findings, InputError
from data.labelled.parade import SPLITS
from data.store import Store
from data.tables.removals import Tombstones
from data.vocabulary import CAMPAIGN


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write a campaign's data set as a folder to publish, with its card, unless something speaks against it."""

    out: tyro.conf.Positional[Path]
    """The folder to write; new or empty."""

    store: Path = field(default_factory=Store.default_path)
    """The folder of the tables."""

    released: Path | None = None
    """Release the published PARADE files of this folder, or any other data set, instead of a store."""

    name: str = CAMPAIGN
    """The release's name; it must say `simulated` where a label is."""

    statements: Path | None = None
    """What only you can say: a TOML file with title, description, version, licence, authors, contact, url, date,
    recruitment, levels, pay, consent, guide, recipe, limits."""

    permission: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """SOURCE=REASON, once for each source: by what right the texts of a source that has no open licence may be
    published; for the published files the source is `published`."""

    without_text: bool = False
    """Publish ids, addresses and labels alone."""

    not_personal: tuple[str, ...] = ()
    """What looks like personal data and is none (`@override`)."""

    label_set: LabelSet = field(default_factory=LabelSet)


def main(arguments: Arguments) -> None:
    """Writes the release; raises Findings, and writes nothing, where it is refused."""
    from analysis.datasets import sources
    from analysis.publishing import edition, refusals, statements, writer

    stated = statements.read(arguments.statements)
    permissions = dict(_parse(one) for one in arguments.permission)
    source = sources.open_source(arguments.released or arguments.store, arguments.label_set)
    made = from_store.gather(source, arguments.label_set)
    tombstones = Store(source.path).read(Tombstones) if source.kind == "store" else pd.DataFrame({"id": []})
    reasons = [*refusals.find(made, arguments.name, tombstones)]
    if not arguments.without_text:
        reasons += refusals.find_closed(made, permissions)
    if reasons:
        for reason in reasons:
            say(f"refused: {reason}")
        raise Findings(f"nothing is written: {len(reasons)} reason{'s' if len(reasons) > 1 else ''} against it")
    for split in SPLITS:
        if not (made.pairs["split"] == split).any():
            say(f"note: no pair is in {split}")
    made, found = edition.mask_personal(made, arguments.not_personal)
    for line in _tell(found):
        say(line)
    made = made.without_text() if arguments.without_text else made
    facts = {
        "name": arguments.name,
        "simulated": made.simulated,
        "permissions": permissions,
        "recipe": next((one["recipe"] for one in made.manifests if one["table"] == "pairs"), None),
        "scheme": made.scheme,
        "synonyms": made.synonyms,
        "rule": asdict(made.rule),
        "without_text": arguments.without_text,
    }
    writer.write(made, statements.plain(stated), facts, arguments.out)
    if unsaid := statements.list_unsaid(stated):
        say(f"note: the card says nothing of {', '.join(unsaid)}: --statements FILE")
    told = ", ".join(f"{len(table):,} {name}" for name, table in made.tables().items())
    say(f"{told} written to {arguments.out}, validated and loaded by mlcroissant")
    say_next("python -m analysis.verify", arguments.out)


def _parse(permission: str) -> tuple[str, str]:
    source, sign, why = permission.partition("=")
    if not sign or not source.strip() or not why.strip():
        raise InputError("--permission", expected="SOURCE=REASON", found=repr(permission), remedy="say both")
    return source.strip(), why.strip()


def _tell(found: pd.DataFrame) -> Iterator[str]:
    for (where, kind), some in found.groupby(["where", "kind"]):
        yield f"{len(some):,} {kind} masked in {where}"
        for one in some.head(5).itertuples():
            yield f"  {one.found} (pair {one.id})"


if __name__ == "__main__":
    run(main, prog="python -m analysis.release")
