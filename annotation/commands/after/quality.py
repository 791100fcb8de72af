"""The command `quality`: ratings -> how good each annotator is."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.measuring import record_measures
from annotation.campaign.progress.suspects import record_couples
from annotation.config import settings
from data.console.messages import figure, say
from data.contract.tables import labels as labels_tables
from data.contract.vocabulary import ALL_ROUNDS, CHECKS, EVERYBODY, ONE_SIDED
from data.guidance.next_steps import say_steps
from data.measures.agreement import NOTHING
from data.measures.controls import name_measure
from data.measures.rules import MeasureRule, QualityRule

COLUMNS = {
    "kappa": " kappa",
    "kappa_left_out": "left out",
    "kappa_weighted": "weighted",
    "alpha": " alpha",
    "chance_kappa": "coin flipper",
    "seconds": "seconds",
}
"""The measures printed for each annotator, with their headings, which also set the width."""

N_NAMED = 3
"""The number of annotators named beside each of them."""

COARSE_WIDTH = 0.05
"""With an interval of at least this width a value has two decimals, otherwise three."""


@dataclass(frozen=True, kw_only=True)
class Arguments(MeasureRule, OfCampaign):
    """Measure each annotator's agreement with the others, by round and over all, beside what chance would reach."""


def main(arguments: Arguments) -> None:
    """Write the campaign's part of the table quality and print it."""
    campaign = Campaign(arguments)
    campaign.require_ratings(votes=False)
    rule = campaign.with_vote_rule(settings(arguments, MeasureRule))
    with campaign.alone():
        record_measures(campaign, rule, "measure")
        if campaign.question.vote:
            record_couples(campaign)
    quality = campaign.store.read(labels_tables.Quality, campaign=campaign.name)
    quality = quality.astype({"round": "int64", "n": "int64", "value": "Float64"})
    if campaign.question.vote:
        ballots = campaign.ballots
        is_random = ballots.loc[ballots["state"] == "scored", "random"]
        if not is_random.all():
            say(f"agreement is measured on the random part: {is_random.sum():,} of {len(is_random):,} ratings")
        _show_votes(quality[quality["control"].isna() & quality["answer"].isna()], rule)
    quality = quality.assign(named=list(map(name_measure, quality["measure"], quality["control"], quality["answer"])))
    for row in quality[quality["control"].notna()].to_dict("records"):
        say(f"{row['named']}: {_within(row)}, of {row['n']}")
    _say_undefined(quality)
    say_steps(campaign.store, campaign.name)


def _say_undefined(quality: pd.DataFrame) -> None:
    """Print a line per round without a kappa, per kappa that is too one-sided and per undefined value.

    Values that all have the same reason share a line.
    """
    joint = quality[(quality["annotator"] == EVERYBODY) & (quality["measure"] == "kappa")]
    nothing = sorted(joint.loc[joint["reason"].eq(NOTHING) & (joint["round"] != ALL_ROUNDS), "round"])
    for number in nothing:
        say(f"round {number}: {NOTHING}")
    quality = quality[~quality["round"].isin(nothing)]
    unsure = quality["reason"].eq(ONE_SIDED).fillna(value=False)
    for row in quality[unsure & (quality["measure"] == "kappa")].to_dict("records"):
        say(f"{row['annotator']}, round {row['round'] or 'all'}: {row['reason']}: {row['detail']}")
    for measure, rows in quality[~unsure].groupby("named", sort=False):
        reasons = rows["reason"].dropna().unique()
        if len(rows) > 1 and len(reasons) == 1 and rows["reason"].notna().all():
            say(f"not defined: {measure}: {reasons[0]}")
        else:
            for row in rows[rows["reason"].notna()].to_dict("records"):
                say(f"not defined: {measure} of {row['annotator']}, round {row['round'] or 'all'}: {row['reason']}")


def _show_votes(quality: pd.DataFrame, rule: QualityRule) -> None:
    overall = quality[quality["round"] == ALL_ROUNDS]
    joint = overall[overall["annotator"] == EVERYBODY].set_index("measure").to_dict("index")
    everybody = {measure: figure(row["value"], 3) for measure, row in joint.items()}
    _say_annotators(quality, rule)
    say(
        f"mean kappa {everybody['mean_kappa']}, {everybody['mean_kappa_left_out']} with the annotator's own vote left "
        "out, over all votes"
    )
    _say_agreement(joint)
    for check in CHECKS.values():
        _say_check(check, overall[overall["measure"] == check])
    say(
        f"among these raters a coin flipper would reach a kappa of {everybody['chance_kappa']}, their own votes, "
        f"shuffled, {everybody['shuffled_kappa']}; {everybody['chance_passes']} of coin flippers pass {rule.low_kappa}"
    )


def _say_agreement(joint: dict[Hashable, dict[Hashable, Any]]) -> None:
    """Print the agreement on a pair's votes: of those that count, and where some were replaced, before that."""
    n, share = joint["replaced_share"]["n"], joint["replaced_share"]["value"]
    ways = {"": "of the votes that count"}
    if not pd.isna(share) and share > 0:
        ways = {
            "_at_first": f"before {round(n * share)} of {n} answers ({share:.0%}) were replaced",
            "": "of the votes that count now",
        }
    for way, what in ways.items():
        fleiss, alpha = (_within(joint[f"{measure}{way}"]) for measure in ("fleiss_kappa", "alpha"))
        say(f"Fleiss' kappa {fleiss}, Krippendorff's alpha {alpha}: {what}")


def _within(row: dict[Any, Any]) -> str:
    """The value with its limits, where it has some."""
    digits = 2 if not pd.isna(row["low"]) and row["high"] - row["low"] >= COARSE_WIDTH else 3
    within = "" if pd.isna(row["low"]) else f" ({figure(row['low'], digits)} to {figure(row['high'], digits)})"
    return figure(row["value"], digits) + within


def _say_annotators(quality: pd.DataFrame, rule: QualityRule) -> None:
    """Print one line per round and annotator, then one per annotator over all rounds where there are several."""
    keys = ["round", "annotator"]
    rows = quality.pivot(index=keys, columns="measure", values="value").reindex(columns=list(COLUMNS)).reset_index()
    sizes = quality.loc[quality["measure"] == "kappa", [*keys, "n", "reason"]]
    rows = rows.merge(sizes, on=keys, how="left").assign(overall=rows["round"] == ALL_ROUNDS)
    several = rows["round"].nunique() > 2  # all rounds are one of them
    say("  ".join(["round", "annotator", "     n", *COLUMNS.values()]))
    for row in rows[several | ~rows["overall"]].sort_values(["overall", *keys]).to_dict("records"):
        if row["annotator"] == EVERYBODY:
            row["alpha"] = None  # it alone uses only the votes that count, and has a line of its own
        figures = [f"{figure(row[measure], 3):>{len(heading)}}" for measure, heading in COLUMNS.items()]
        is_low = row["annotator"] != EVERYBODY and pd.notna(row["kappa"]) and row["kappa"] < rule.low_kappa
        is_low &= row["reason"] != ONE_SIDED
        start = f"{row['round'] or 'all':>5}  {row['annotator']:<9}  {0 if pd.isna(row['n']) else row['n']:>6.0f}"
        say("  ".join([start, *figures, *["low"] * is_low]))


def _say_check(check: str, rows: pd.DataFrame) -> None:
    """Print the share of right answers, of everybody and of the worst; nothing where the check was not planned."""
    everybody = rows[rows["annotator"] == EVERYBODY]
    if len(everybody):
        worst = rows.drop(everybody.index).dropna(subset="value").sort_values(["value", "annotator"])[:N_NAMED]
        named = ", ".join(f"{row.annotator} {figure(row.value, 3)}" for row in worst.itertuples())
        say(f"{check}: {figure(everybody['value'].iloc[0], 3)} of {everybody['n'].iloc[0]}; lowest: {named}")
