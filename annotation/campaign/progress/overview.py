"""How a campaign is doing, as texts for the terminal and the status page."""

from typing import Any

import pandas as pd

from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import gold_votes, judge_campaign, measure_campaign
from annotation.campaign.progress.suspects import describe as describe_couples
from annotation.campaign.progress.suspects import find_couples
from annotation.config import JudgeRule
from annotation.quality.copying import COLUMNS
from data.console.messages import figure
from data.contract.vocabulary import EVERYBODY, ONE_SIDED
from data.measures.ballots import find_copies
from data.measures.progress import CampaignProgress, Collected, describe
from data.measures.rules import MeasureRule

WIDTH, HEIGHT, LEFT, TOP = 590, 160, 40, 10
"""Size and place of the drawing of the answers so far, in the page's units."""


def summarise(campaign: Campaign, n_open: int) -> dict[str, Any]:
    """What the collected ratings show, as the values of templates/status.html; `n_open`: answers still open."""
    now, has_votes = pd.Timestamp.now("UTC").floor("s"), campaign.question.vote is not None
    rule = campaign.with_vote_rule(MeasureRule())
    is_scored = has_votes and bool((campaign.ballots["state"] == "scored").any())
    couples = find_couples(campaign) if is_scored else pd.DataFrame(columns=COLUMNS)
    collected = Collected(
        ballots=campaign.ballots,
        assignments=campaign.present,
        ratings=campaign.ratings,
        annotators=campaign.annotators.reset_index(drop=True),
        measures=measure_campaign(campaign, rule) if is_scored else None,
        verdicts=judge_campaign(campaign, campaign.with_vote_rule(JudgeRule())) if is_scored else None,
        couples=list(describe_couples(couples)),
        copies=find_copies(couples),
        n_answers=len(campaign.classes) if has_votes else None,
        plan=campaign.plan,
        gold=gold_votes(campaign, rule) if has_votes else None,
    )
    progress = describe(collected, rule, n_open, now)
    return _as_texts(progress, n_open, now) | {"yes": campaign.question.yes, "n_simulated": campaign.n_simulated}


def _as_texts(progress: CampaignProgress, n_open: int, now: pd.Timestamp) -> dict[str, Any]:
    ends = "unknown" if progress.end is None else f"{progress.end:%Y-%m-%d %H:%M} UTC"
    tiles = [
        *_agreement_in_words(progress),
        ("answers still open", f"{n_open}"),
        ("end at this speed", ends if n_open else "done"),
        *([(ONE_SIDED, "; ".join(progress.one_sided))] if progress.one_sided else []),
    ]
    return {
        "at": f"{now:%Y-%m-%d %H:%M}",
        "tiles": tiles,
        "people": [_in_words(person) for person in progress.people],
        "levels": [_in_words(level) for level in progress.levels],
        "suspicious": progress.suspicious,
        "drift": [_drift_in_words(row) for row in progress.drift],
        "line": _draw_line(progress.days),
        "saved": progress.saved,
    }


def _agreement_in_words(progress: CampaignProgress) -> list[tuple[str, str]]:
    so_far = progress.agreement
    if so_far is None:
        return [("minutes so far", f"{progress.minutes:.1f}")]
    agreed = so_far["agreed"]
    return [
        ("pairs complete", f"{so_far['complete']} of {so_far['pairs']}"),
        ("pairs agreed by all", f"{agreed}"),
        ("minutes per agreed pair", f"{progress.minutes / agreed:.1f}" if agreed else "–"),
        ("Fleiss' kappa", figure(so_far["fleiss"])),
        ("Krippendorff's alpha", figure(so_far["alpha"])),
        *_replaced_in_words(so_far),
    ]


def _replaced_in_words(so_far: dict[str, Any]) -> list[tuple[str, str]]:
    if not so_far["replaced"]:
        return []
    what = f"Fleiss' kappa before {so_far['replaced']} of {so_far['answers']} answers were replaced"
    return [(what, figure(so_far["fleiss_at_first"]))]


def _in_words(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"seconds": figure(row["seconds"], 0), "kappa": figure(row["kappa"])}


def _drift_in_words(row: dict[str, Any]) -> dict[str, str]:
    return {
        "annotator": "all" if row["annotator"] == EVERYBODY else row["annotator"],
        "guides": f"{row['before']} → {row['after']}",
        "ratings": f"{row['n_before']} → {row['n_after']}",
        "yes": f"{row['yes_before']:.0%} → {row['yes_after']:.0%}",
        "difference": f"{row['yes_after'] - row['yes_before']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})",
        "agree": f"{figure(row['agree_before'])} → {figure(row['agree_after'])}",
    }


def _draw_line(days: pd.DataFrame) -> dict[str, Any] | None:
    """The answers so far as points of a line; None for fewer than two days."""
    if len(days) < 2:
        return None
    start, end = days["day"].iloc[0], days["day"].iloc[-1]
    places, most = (days["day"] - start) / (end - start), int(days["total"].iloc[-1])
    points = [
        (f"{LEFT + WIDTH * x:.1f}", f"{TOP + HEIGHT - HEIGHT * y / most:.1f}")
        for x, y in zip(places, days["total"], strict=True)
    ]
    return {
        "points": " ".join(",".join(point) for point in points),
        "dots": points,
        "most": most,
        "first": f"{start:%Y-%m-%d}",
        "last": f"{end:%Y-%m-%d}",
    }
