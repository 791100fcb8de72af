"""The command `curve`: what a model learns from the labels so far, and what more of them would bring."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.progress.current_labels import labels_so_far
from data.console.commands import require_at_least
from data.console.marks import Limit
from data.console.messages import progress, say
from data.contract.tables.pairs import Pairs
from data.guidance.next_steps import say_steps
from data.recorded.languages import followed

if TYPE_CHECKING:
    from annotation.aggregation.learning import Estimate


@dataclass(frozen=True, kw_only=True)
class Arguments(OfCampaign):
    """Show how much a model learns from the labels so far, and what more of them are expected to bring.

    The ceiling is what a perfect model could reach against the raters' majority.
    """

    more: Limit[int] = 500
    """The number of further labels."""

    model: str | None = None
    """A sentence model (`minilm`, a folder or a name) whose cosine joins the features of overlap; by default none."""

    seed: int = 1
    """Seed of the draws of labels."""


def main(arguments: Arguments) -> None:
    """Print the curve, what more labels would bring, and the ceiling; write nothing."""
    from annotation.aggregation import learning

    campaign = Campaign(arguments)

    require_at_least("--more", arguments.more, 1)
    so_far = labels_so_far(campaign)
    pairs = campaign.store.read(Pairs, ["pair_id", "entity", "first", "second"]).drop_duplicates("pair_id")
    rows = so_far.labels.merge(pairs, on="pair_id").sort_values("pair_id", ignore_index=True)
    so_far.require_enough(len(rows))
    entity, label = rows["entity"].fillna(rows["pair_id"]), rows["binary"].to_numpy("int64")
    learning.require_learnable(label, entity, f"campaign {campaign.name}")
    columns = learning.describe(rows, followed(campaign.store, Pairs), arguments.model, progress)
    curve = learning.measure_curve(columns, label, entity, arguments.seed)
    seen = "eight features of overlap" + (f" and the cosine of {arguments.model}" if arguments.model else "")
    say(f"{len(rows)} labels of {entity.nunique()} entities ({' and '.join(so_far.campaigns)}); logistic regression")
    say(f"on {seen}, judged on entities that it did not learn from [95 % of draws of labels]")
    say(f"{'labels':>12}" + "".join(f"{name:>25}" for name in learning.MEASURES))
    for place, size in enumerate(curve.sizes):
        say(f"{size:12.0f}" + "".join(_interval(estimate) for estimate in curve.at(place).values()))
    gain = curve.gain(len(rows), arguments.more)
    say(f"{arguments.more:>7} more:" + "".join(_interval(estimate, "+") for estimate in gain.values()))
    votes = [rows[name].to_numpy("int64") for name in ("votes", "n_votes")]
    ceiling = learning.measure_ceiling(votes[0], votes[1], entity, arguments.seed)
    say(f"{'ceiling:':>12}" + "".join(_interval(estimate) for estimate in ceiling.values()))
    say("ceiling: what a model that knows how many raters would say yes reaches against the majority of these raters")
    say_steps(campaign.store, campaign.name)


def _interval(estimate: "Estimate", sign: str = "") -> str:
    low, high = (f"{value:{sign}.3f}" for value in (estimate.low, estimate.high))
    return f"{f'{estimate.value:{sign}.3f} [{low}, {high}]':>25}"
