"""The status of a store: what each table holds, whether it is current, and what was dropped and why."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.contract import register
from data.contract.base import Table
from data.contract.stages import name_stage
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.recorded.plans import Plans, read_plans
from data.storage.store import Store

LASTING = ("annotation.plan", "identification.attack")
"""The stages whose rows are not made again where what they were made from has changed."""


def tables(store: Store) -> pd.DataFrame:
    """One row per table written: table, kind, rows, version, at (UTC), by (the stage), state.

    `state` is `current`, or `behind` with the names of the tables that have newer versions.
    """
    rows, plans = [], read_plans(store)
    for table in store.tables():
        last = store.manifest(table)
        if last is None:
            continue
        rows.append(
            {
                "table": table.table_name(),
                "kind": table.table_kind(),
                "rows": store.count(table),
                "version": last["version"],
                "at": datetime.fromtimestamp(last["at"] / 1000, UTC),
                "by": made_by(last),
                "state": " ".join(["behind", *moved]) if (moved := behind(store, table, plans)) else "current",
            }
        )
    return pd.DataFrame(rows, columns=["table", "kind", "rows", "version", "at", "by", "state"])


def made_by(record: Mapping[str, Any]) -> str:
    """The stage that a manifest names, with its part."""
    return name_stage(record["stage"], record["part"])


def behind(store: Store, table: type[Table], plans: Plans) -> list[str]:
    """The inputs of a derived table that have changed since it was computed; empty if it is current.

    What the same command wrote after it, such as the labels that follow from new pairs, is no change, nor are labels by
    other methods or of other campaigns than those that it is made from, pairs that none of these asks about, or what
    a frozen split adds. What `plan` added for its campaign and what an attack made of its originals stays as it is. Of
    an input that is noted by a digest, rows were chosen: their table's version says nothing of them.
    """
    last = store.manifest(table)
    if last is None or table.table_kind() == "event" or last["stage"] in LASTING:
        return []
    inputs = [other for other in register.TABLES if not isinstance(last["inputs"].get(other.table_name(), ""), str)]
    return [other.table_name() for other in inputs if _has_moved(store, other, last, plans)]


def _has_moved(store: Store, source: type[Table], last: dict[str, Any], plans: Plans) -> bool:
    """Whether a table has changed since it was read for the last version of another."""
    since, latest = last["inputs"][source.table_name()], store.manifest(source)
    if latest is None or (since is not None and latest["version"] <= since) or made_by(latest) == made_by(last):
        return False
    config, earlier, history = last["config"], -1 if since is None else since, store.history(source)
    newer = [made["scope"] for made in history if made["version"] > earlier]
    campaigns = plans.sequence(config.get("campaigns", ()))
    if source is Splits and "scheme" in config:
        dealt = [made for made in history if made["scope"].get("scheme") == config["scheme"]]
        kept = any(made["config"].get("frozen") for made in dealt if made["version"] <= earlier)
        return not kept and any(made["version"] > earlier for made in dealt)
    if source is Labels and campaigns:
        own = [scope for scope in newer if scope.get("campaign") in campaigns]
        return any(scope.get("method") in (None, config.get("method", scope.get("method"))) for scope in own)
    if source is Pairs and campaigns and set(campaigns) <= plans.latest.keys():
        asked = {plans.latest[name]["generator"] for name in campaigns}
        return any(scope.get("generator") in (None, *asked) for scope in newer)
    return True


def rejects(store: Store) -> pd.DataFrame:
    """The number of rows that each stage dropped, by reason: stage (see `name_stages`), reason, rows."""
    dropped = store.read(Rejects)
    dropped = dropped.assign(stage=name_stages(dropped))
    return dropped.groupby(["stage", "reason"], as_index=False).size().rename(columns={"size": "rows"})


def name_stages(rejects: pd.DataFrame) -> list[str]:
    """The stage of each row of `rejects` as commands print it, with its part and, of labels, method and control."""
    known = rejects[["stage", "part", "method", "control"]].astype(object)
    return [name_stage(*row) for row in known.where(known.notna(), None).to_numpy()]
