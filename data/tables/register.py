"""Every table's type, in the order of the flow. `data/README.md`, the dictionary, is made from them."""

from data.tables.attacks import Attacks
from data.tables.base import Table
from data.tables.campaign import (
    Acceptances,
    Annotators,
    Answers,
    Assignments,
    Documents,
    Ratings,
    SimulatedTruth,
    Worked,
)
from data.tables.definitions import Cards, Definitions, Licences, Sightings, Terms
from data.tables.game import Attempts, Prompts
from data.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.tables.labels import Copying, Inconsistencies, Labels, Quality, Splits, Verdicts
from data.tables.models import Predictions, Runs
from data.tables.pairs import Pairs
from data.tables.plans import Campaigns, Gold
from data.tables.removals import Rejects, Tombstones
from data.tables.shown import Shown

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
