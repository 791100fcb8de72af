"""How a campaign was planned, and the pairs whose score was known beforehand."""

from typing import get_args

from data.contract.base import Count, Instant, Real, Table, Text, Truth, column, optional
from data.contract.vocabulary import ARMS, FIXED, Allocation

SOURCES = ("file", "pilot")
"""Where a gold pair's score comes from."""


class Campaigns(Table, name="campaigns", kind="event", key=("campaign", "at"), completes=True):
    """The plan of a campaign, of its pilot or of its control arm; the latest row counts."""

    campaign: Text = column("the campaign's name")
    at: Instant = column("when it was planned")
    study: Text = column("the main campaign of its study: its arms share people, accounts and documents with it")
    arm: Text = column("main, pilot (before it, for the guide) or control (people outside the field)", isin=ARMS)
    generator: Text = column("whose pairs are labelled")
    scale: Text = column("lowest and highest score, as in 0-3; empty for a question that is no single scale")
    question: Text = column("name of the question asked")
    question_version: Text = column("its version: another wording of anything has another")
    question_digest: Text = column("32 hexadecimal digits of all of it")
    question_content: Text = column("all of it as JSON: what is shown, what may be answered, the guide")
    items_from: Text = optional("the campaign whose answers kept the items; null where the pairs are a generator's own")
    labels_per_pair: Count = column("annotators per pair; in a pilot or control arm everybody who takes part", ge=1)
    double_share: Real = optional("share of the pairs that one annotator more gets, as asked for; null for none", ge=0)
    allocate: Text = column(
        "who is asked: `fixed`, all raters of each pair; `majority-decided`, a further one only where it can change "
        "the label; `certain`, each next one where it is worth most",
        isin=get_args(Allocation),
        default=FIXED,
    )
    target: Real = optional("the chance of its answer at which a pair is certain; null unless `certain`", ge=0.5, le=1)
    budget: Count = optional("the most ratings of work in all; null unless `certain`", ge=1)
    rule: Text = optional("how votes become a label, where the plan says so; null for the question's own rule")
    random_share: Real = optional(
        "share of the pairs whose raters are all asked, whatever they say; null where all pairs' are", ge=0, le=1
    )
    show_entity: Truth = column("whether the entity is shown above the two definitions")
    pairs: Count = optional("size of the sample of pairs asked for; null for all", ge=1)
    gold_share: Real = column("gold pairs as a share of an annotator's work, as asked for", ge=0)
    repeat_share: Real = column("an annotator's own pairs shown again, as a share of the work, as asked for", ge=0)
    trap_share: Real = column("definitions of two entities shown as one pair, as a share of the work", ge=0)
    seed: Count = column("what sample, assignment, order and sides are drawn from")


class Gold(Table, name="gold", kind="derived", key=("campaign", "pair_id"), scope=("campaign",)):
    """A pair whose score is known, mixed into everybody's work to check it; never shown as such, and never a vote."""

    campaign: Text = column("the campaign's name")
    pair_id: Text = column("the pair")
    score: Count = column(
        "the known score; of a question that is no scale the place of the answer among the declared ones, from 0", ge=0
    )
    source: Text = column(
        "file (`plan --gold`) or pilot (settled in its discussion)",
        isin=SOURCES,
    )
