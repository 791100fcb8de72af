"""The verbs that weigh ratings: `quality` (of annotators) and `adjudicate` (ratings -> labels)."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.judging import measure_campaign
from annotation.config import ALL_ROUNDS, EVERYBODY, MeasureRule, QualityRule, settings
from data.console import say, say_next
from data.tables import labels as labels_tables

MEASURES = ("kappa", "kappa_left_out", "kappa_weighted", "alpha", "chance_kappa", "seconds")
"""What is printed of each annotator."""

CHECKS = ("gold_accuracy", "trap_accuracy", "self_agreement")
"""What the pairs that never vote tell (`checks`)."""


@dataclass(frozen=True, kw_only=True)
class Quality(MeasureRule, OfCampaign):
    """Measure each annotator's agreement with the others, by round and over all, beside what chance would reach."""


def measure(arguments: Quality) -> None:
    """Writes the campaign's part of the table quality and prints it."""
    campaign = Campaign(arguments)
    campaign.require_ratings()
    rule = settings(arguments, MeasureRule)
    with campaign.alone():
        manifest = campaign.manifest("quality", rule)
        if campaign.store.is_current(labels_tables.Quality, manifest, campaign=campaign.name):
            say("the table quality is up to date")
        else:
            rows = measure_campaign(campaign, rule).assign(campaign=campaign.name)
            version = campaign.store.replace(labels_tables.Quality, rows, manifest, campaign=campaign.name)
            say(f"{len(rows)} measures written to {campaign.store.root}/quality (version {version})")
    _show(campaign.store.read(labels_tables.Quality, campaign=campaign.name), rule)
    say_next("python -m annotation reassign", *campaign.flags)


def _show(quality: pd.DataFrame, rule: QualityRule) -> None:
    """Prints a line an annotator and round, and what everybody together reaches."""
    keys = list(zip(quality["round"], quality["annotator"], quality["measure"], strict=True))
    values = dict(zip(keys, quality["value"].astype("Float64"), strict=True))
    sizes = dict(zip(keys, quality["n"], strict=True))
    say("round  annotator       n   kappa  left out  weighted   alpha  coin flipper  seconds")
    rounds = sorted({number for number, _, _ in keys} - {ALL_ROUNDS})
    shown = {number: place for place, number in enumerate([*rounds, *[ALL_ROUNDS] * (len(rounds) > 1)])}
    for number, name in sorted({key[:2] for key in keys if key[0] in shown}, key=lambda key: (shown[key[0]], key)):
        kappa, left_out, weighted, alpha, coin, pace = (_figure(values.get((number, name, one))) for one in MEASURES)
        own = values.get((number, name, "kappa"))
        low = "" if name == EVERYBODY or pd.isna(own) or own >= rule.low_kappa else "  low"
        start = f"{number or 'all':>5}  {name:<9}  {sizes.get((number, name, 'kappa'), 0):>6}"
        say(f"{start}  {kappa:>6}  {left_out:>8}  {weighted:>8}  {alpha:>6}  {coin:>12}  {pace:>7}{low}")
    figures = {key[2]: _figure(value) for key, value in values.items() if key[:2] == (ALL_ROUNDS, EVERYBODY)}
    say(
        f"mean kappa {figures['mean_kappa']}, own vote left out {figures['mean_kappa_left_out']}; "
        f"Fleiss' kappa {figures['fleiss_kappa']}, Krippendorff's alpha {figures['alpha']}"
    )
    _show_checks(values, sizes)
    say(
        f"beside these raters a coin flipper would reach a kappa of {figures['chance_kappa']}, the own votes shuffled "
        f"{figures['shuffled_kappa']}; {figures['chance_passes']} of the coin flippers pass {rule.low_kappa}"
    )
    for key, reason in zip(keys, quality["reason"], strict=True):
        if pd.notna(reason):
            say(f"not defined: {key[2]} of {key[1]}, round {key[0] or 'all'}: {reason}")


def _show_checks(values: dict[tuple[int, str, str], Any], sizes: dict[tuple[int, str, str], int]) -> None:
    """Prints the shares of gold pairs, traps and repeats that are right, of everybody and of who stands out."""
    for measure in CHECKS:
        found = {key[1]: value for key, value in values.items() if (key[0], key[2]) == (ALL_ROUNDS, measure)}
        if found:
            known = ((value, name) for name, value in found.items() if name != EVERYBODY and pd.notna(value))
            worst = sorted(known)[:3]
            least = ", ".join(f"{name} {_figure(value)}" for value, name in worst)
            n = sizes[ALL_ROUNDS, EVERYBODY, measure]
            say(f"{measure}: {_figure(found[EVERYBODY])} of {n}; least: {least}")


def _figure(value: Any) -> str:
    return "-" if pd.isna(value) else f"{value:.3f}"
