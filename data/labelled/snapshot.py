"""The tables of a store as they were at one moment: what a report reads."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd

from data.console.errors import InputError
from data.contract import register
from data.contract.base import Table
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.labelled.frame import from_tables, unlabelled
from data.labelled.label_set import LabelSet
from data.labelled.pairs import LabelledPairs
from data.recorded.languages import followed
from data.storage.store import Store
from data.texts.languages.base import Language


class Snapshot:
    """The tables of a store at one moment, by default the latest; holds nothing but their versions."""

    def __init__(self, store: Store, as_of: datetime | None = None) -> None:
        """Raise InputError if the store had no table at `as_of`."""
        self.store = store
        moment = None if as_of is None else as_of.timestamp() * 1000
        self._manifests = {
            table.table_name(): [
                manifest for manifest in store.history(table) if moment is None or manifest["at"] <= moment
            ]
            for table in register.TABLES
        }
        if not any(self._manifests.values()):
            raise InputError(
                store.root,
                expected="a store with at least one table" + (f" at {as_of}" if as_of else ""),
                found="no table" if store.root.is_dir() else "no such folder",
                remedy="see `python -m data --store DIR`, or begin with `python -m crawler.terminology PAPERS`",
            )

    def read(self, table: type[Table], columns: list[str] | None = None, **where: Any) -> pd.DataFrame:
        """The rows of the table as `Store.read` returns them; none if it had not been written by then."""
        manifests = self._manifests[table.table_name()]
        version = manifests[0]["version"] if manifests else None
        rows = self.store.read(table, columns, version, **where)
        return rows if manifests else rows.iloc[:0]

    def config(self, table: type[Table], **scope: Any) -> dict[str, Any]:
        """The configuration that this part of the table was made with; empty if it had not been written by then."""
        configs = (manifest["config"] for manifest in self._manifests[table.table_name()] if manifest["scope"] == scope)
        return dict(next(configs, {}))

    def labelled(self, label_set: LabelSet) -> LabelledPairs:
        """The pairs that have a label; all pairs, without labels, as long as none has one."""
        parts = [
            self.read(Labels, campaign=name, method=label_set.method, further=False) for name in label_set.campaigns
        ]
        labels = pd.concat(parts).drop_duplicates("pair_id", keep="last", ignore_index=True)
        pairs, splits = self.read(Pairs), self.read(Splits, scheme=label_set.store_scheme)
        frame = from_tables(labels, pairs, splits) if len(labels) else unlabelled(pairs)
        synonyms = self.config(Splits, scheme=label_set.store_scheme).get("synonyms", {})
        return LabelledPairs(frame, synonyms, self.language, self._selections(labels, pairs))

    def _selections(self, labels: pd.DataFrame, pairs: pd.DataFrame) -> dict[str, str]:
        """By pair_id, how it was chosen: by the generator that its campaign was planned with, where that is known."""
        plans = self.read(Campaigns, ["campaign", "at", "generator"]).sort_values("at")
        generators = plans.drop_duplicates("campaign", keep="last").set_index("campaign")["generator"]
        planned = labels[["pair_id"]].assign(generator=labels["campaign"].map(generators).astype("str"))
        rows = pairs[["generator", "pair_id", "selection"]].astype("str")
        found = pd.concat([rows, rows.merge(planned, on=["generator", "pair_id"])])
        return dict(zip(found["pair_id"], found["selection"], strict=True))

    @property
    def language(self) -> Language:
        """The language of the texts."""
        return followed(self.store, Pairs)

    def tables(self) -> list[dict[str, Any]]:
        """The versions in use, one per table: table, version, at (UTC), stage, recipe, seed, code, inputs."""
        return [
            {
                "table": table,
                "version": last["version"],
                "at": f"{datetime.fromtimestamp(last['at'] / 1000, UTC):%Y-%m-%d %H:%M:%S}",
                **{field: last[field] for field in ("stage", "recipe", "seed", "code", "inputs")},
            }
            for table, (last, *_) in ((name, manifests) for name, manifests in self._manifests.items() if manifests)
        ]


def parse_moment(text: str, flag: str = "--as-of") -> datetime:
    """The moment of an ISO date or time, in UTC unless it names another zone; raises InputError for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise InputError(
            flag,
            expected="a date or time such as 2026-11-20 or 2026-11-20T18:30",
            found=repr(text),
            remedy="correct it",
        ) from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
