"""Every table's type, in the order of the flow. `data/README.md`, the dictionary, is made from them."""

from data.console.errors import InputError
from data.contract.base import Table
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import (
    Acceptances,
    Annotators,
    Answers,
    Assignments,
    Documents,
    Openings,
    Ratings,
    SimulatedTruth,
    Worked,
)
from data.contract.tables.definitions import Cards, Definitions, Licences, Sightings, Terms
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.labels import Copying, Inconsistencies, Labels, Quality, Splits, Verdicts
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns, Gold
from data.contract.tables.removals import Rejects, Tombstones
from data.contract.tables.shown import Shown

TABLES: tuple[type[Table], ...] = (
    Terms,
    Cards,
    Licences,
    Definitions,
    Sightings,
    Pairs,
    Sentences,
    GeneratedTexts,
    PairMeasures,
    Attacks,
    Campaigns,
    Gold,
    Shown,
    Annotators,
    Documents,
    Acceptances,
    Assignments,
    Openings,
    Ratings,
    Answers,
    Quality,
    Verdicts,
    Copying,
    Labels,
    Splits,
    Inconsistencies,
    Runs,
    Predictions,
    Prompts,
    Attempts,
    Rejects,
    Tombstones,
    Worked,
    SimulatedTruth,
)
"""All tables, in the order of the flow."""


def find_table(name: str) -> type[Table]:
    """The table of that name. Raises InputError."""
    tables = {table.table_name(): table for table in TABLES}
    if name not in tables:
        raise InputError(name, expected="one of " + ", ".join(tables), found="no such table", remedy="choose one")
    return tables[name]
