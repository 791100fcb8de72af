"""The stages from papers to scores, in order: what each writes, which commands run it, which rejects are its own.

A new room adds its stages here; status, report and packs follow.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from data.contract.base import Table
from data.contract.tables.attacks import Attacks
from data.contract.tables.campaign import Assignments, Documents, Ratings
from data.contract.tables.definitions import Cards, Definitions, Licences, Sightings, Terms
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels, Quality, Splits
from data.contract.tables.models import Predictions, Runs
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.removals import Rejects, Tombstones


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step on the way from papers to scores."""

    name: str
    title: str
    table: type[Table]
    commands: tuple[str, ...]
    unit: str
    """What a row is."""
    rejects: tuple[str, ...] = ()
    """The stages of its rejects."""
    part: Literal["campaign", "scheme"] | None = None
    """What the part of its rejects names."""
    in_flow: bool = True
    """Whether its rows go on to the next stage, so that the report counts them among those kept and dropped."""
    needed: bool = True
    """Whether a report is complete only after it."""


UNREAD = "crawler.decks"
"""The stage of the rejects that are no cards: pages and files from which none was read, and findings about others."""

STAGES = (
    Stage(
        name="terms",
        title="Terms",
        table=Terms,
        commands=("python -m crawler.terminology PAPERS",),
        unit="terms",
        rejects=("crawler.terminology",),
    ),
    Stage(
        name="cards",
        title="Cards",
        table=Cards,
        commands=("scrapy crawl quizlet", "scrapy crawl files -a path=DECKS"),
        unit="cards that were kept",
        rejects=("crawler", UNREAD),
    ),
    Stage(
        name="accepted",
        title="Accepted cards",
        table=Sightings,
        commands=("python -m crawler.definitions",),
        unit="cards accepted",
        rejects=("crawler.definitions",),
    ),
    Stage(
        name="definitions",
        title="Definitions",
        table=Definitions,
        commands=("python -m crawler.definitions",),
        unit="distinct definitions",
    ),
    Stage(
        name="pairs",
        title="Pairs",
        table=Pairs,
        commands=("python -m clustering propose",),
        unit="pairs of definitions",
        rejects=("clustering",),
    ),
    Stage(
        name="assigned",
        title="Assignments",
        table=Assignments,
        commands=("python -m annotation plan",),
        unit="assignments to annotators",
        rejects=tuple(
            f"annotation.{verb}" for verb in ("plan", "extend", "reassign", "release", "withdraw", "review-blind")
        ),
        part="campaign",
    ),
    Stage(
        name="rated",
        title="Ratings",
        table=Ratings,
        commands=("python -m annotation open", "python -m annotation collect"),
        unit="ratings with a score",
        rejects=("annotation.collect",),
        part="campaign",
    ),
    Stage(
        name="quality",
        title="Quality",
        table=Quality,
        commands=("python -m annotation quality",),
        unit="measures",
        in_flow=False,
    ),
    Stage(
        name="labelled",
        title="Labels",
        table=Labels,
        commands=("python -m annotation adjudicate",),
        unit="labelled pairs",
        rejects=("annotation.adjudicate",),
        part="campaign",
    ),
    Stage(
        name="split",
        title="Splits",
        table=Splits,
        commands=("python -m analysis.splits",),
        unit="pairs in a split",
        rejects=("analysis.splits",),
        part="scheme",
    ),
    Stage(
        name="predicted",
        title="Predictions",
        table=Predictions,
        commands=("python -m analysis.baselines",),
        unit="scores",
        in_flow=False,
        needed=False,
    ),
    *(
        Stage(name=name, title=title, table=table, commands=(command,), unit=unit, in_flow=False, needed=False)
        for name, title, table, command, unit in (
            ("sentences", "Sentences", Sentences, "python -m generation sentences", "source texts"),
            ("generated", "Generated texts", GeneratedTexts, "python -m generation swap --lm FILE", "texts"),
            ("trained", "Trained models", Runs, "python -m identification train MODEL", "models"),
            ("attacked", "Attacks", Attacks, "python -m identification attack RUN --mlm NAME", "attempts on pairs"),
            (
                "prompted",
                "Prompts of the game",
                Prompts,
                "python -m paraphrase_game prompts definitions",
                "sentences to rewrite",
            ),
            ("played", "Attempts of players", Attempts, "python -m annotation game collect", "checked sentences"),
        )
    ),
)
"""Those after the splits are optional: they count where a store has their tables."""

REPORT = ("python -m analysis.report",)
"""The commands after the last stage."""

BEFORE_RATINGS = ("terms", "cards", "accepted", "definitions", "pairs")
"""The stages whose rows and rejects reveal nothing about annotators or their ratings."""

WITHOUT_RATINGS: frozenset[type[Table]] = frozenset(
    {
        *(stage.table for stage in STAGES if stage.name in BEFORE_RATINGS),
        *(Licences, Campaigns, Documents, Assignments, Rejects, Tombstones),
    }
)
"""The tables of a pack without ratings, where Rejects has only the stages of BEFORE_RATINGS; a new table is none of
them."""


def missing(filled: Collection[str]) -> list[str]:
    """The names of the needed stages that are not among the filled ones, in order.

    What leads to a filled stage before the ratings is not missing: cards need no table of terms, pairs of one's own
    no cards.
    """
    reached = max((BEFORE_RATINGS.index(name) for name in filled if name in BEFORE_RATINGS), default=-1)
    passed = {*BEFORE_RATINGS[: reached + 1], *filled}
    return [stage.name for stage in STAGES if stage.needed and stage.name not in passed]


def stage_of(rejected_by: str) -> Stage | None:
    """The stage whose rejects have this stage; None for an unknown one."""
    return next((stage for stage in STAGES if rejected_by in stage.rejects), None)


def name_stage(*parts: str | None) -> str:
    """A stage and what it worked on as commands print them: `crawler.files`, `annotation.adjudicate.main.majority`."""
    return ".".join(part for part in parts if part)


def concerns(rejects: pd.DataFrame, method: str | None) -> "pd.Series[bool]":
    """Whether each of these rejects, with method and control, is of the pair's label by the method, or of no label."""
    return rejects["method"].isna() | ((rejects["method"] == method).fillna(False) & rejects["control"].isna())


GENERATION = tuple(f"generation.{verb}" for verb in ("sentences", "swap", "translate", "recombine", "silver"))
"""The stages of the rejects of `generation`."""
