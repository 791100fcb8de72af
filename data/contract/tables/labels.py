"""What is computed from ratings: measures, labels, splits."""

from data.contract.base import Contradictions, Count, Counts, Real, Reals, Table, Text, Texts, Truth, column, optional
from data.contract.measures import KNOWN
from data.contract.vocabulary import DECIDED_BY, VERDICTS


class Quality(
    Table,
    name="quality",
    kind="derived",
    key=("campaign", "round", "annotator", "measure", "control", "answer"),
    scope=("campaign",),
):
    """A measure of an annotator's ratings, by round; round 0 is all rounds together."""

    campaign: Text = column("the campaign's name")
    round: Count = column("the round; 0 is all rounds together", ge=0)
    annotator: Text = column("whose ratings; `all` is everybody's")
    measure: Text = column("; ".join(f"`{name}`: {words}" for name, words in KNOWN.items()), isin=tuple(KNOWN))
    control: Text = optional(
        "the control whose answers are compared, of other questions than PARADE's scale; null for measures of votes "
        "and of ratings"
    )
    answer: Text = optional("the answer that `share` or `alpha` is of; null for a measure of all answers")
    n: Count = column("ratings compared", ge=0)
    value: Real = optional("the measure; null where it is not defined")
    low: Real = optional(
        "lower end of its 95 % interval, where there is one: what other pairs would give, with the same raters; for "
        "`chance_kappa` and `shuffled_kappa`, lower end of the middle 95 % of guessers' draws, for "
        "`calibration_error` of the errors that right chances give"
    )
    high: Real = optional("upper end, as `low`")
    reason: Text = optional("why the value is null, or says nothing (`too one-sided to judge`)")
    detail: Text = optional("the figures behind the reason")


class Verdicts(Table, name="verdicts", kind="derived", key=("campaign", "annotator"), scope=("campaign",)):
    """Whether an annotator is careless, and why."""

    campaign: Text = column("the campaign's name")
    annotator: Text = column("who is judged")
    n: Count = column("votes judged, the pilot's included", ge=0)
    skill: Real = column(
        "kappa that the votes would have with the truth as others, the pilot and gold items show it; 0 is guessing",
        ge=-1,
        le=1,
    )
    low: Real = column(
        "lower end of the skill's 95 % interval if all pairs are equally hard; otherwise the true skill is more often "
        "outside"
    )
    high: Real = column("upper end, as `low`")
    doubt: Real = column(
        "probability that the skill is below the rule's threshold, if all pairs are equally hard", ge=0, le=1
    )
    verdict: Text = column("`careless`, `careful` or `undecided`", isin=VERDICTS)
    reasons: Texts = column(
        "for the careless: `guesses`, `one_score`, `weak`, `drifts`, `follows_overlap`; for the undecided: "
        "`few_labels`, `one_sided`"
    )
    by_gold: Real = optional("skill by the gold pairs alone, where it contradicts `by_others`; else null", ge=-1, le=1)
    by_others: Real = optional("skill by the other annotators alone, where gold contradicts it; else null", ge=-1, le=1)


class Copying(Table, name="copying", kind="derived", key=("campaign", "first", "second"), scope=("campaign",)):
    """Two annotators who agree more than their agreement with others explains: one may have copied the other."""

    campaign: Text = column("the campaign's name")
    first: Text = column("one of the two, by name")
    second: Text = column("the other")
    n: Count = column("pairs that both rated, in the work or the pilot", ge=0)
    same: Real = column("share of these with the same answer", ge=0, le=1)
    same_others: Real = optional("mean share of the same answers of either with the others", ge=0, le=1)
    kappa: Real = column("Cohen's kappa of their answers")
    expected: Real = column("the kappa that their agreement with others explains; of three people, that with the third")
    z: Real = column("by how many standard errors the kappa is higher")
    is_clear: Truth = column("false with three annotators, where the two may simply be the good ones")


class Labels(
    Table,
    name="labels",
    kind="derived",
    key=("campaign", "method", "control", "pair_id"),
    scope=("campaign", "method"),
    completes=True,
):
    """A pair's label by one method, for one control of the question."""

    campaign: Text = column("the campaign's name")
    method: Text = column("the method that made the label")
    control: Text = optional("the control of the question that the label is of; null where no one was asked")
    further: Truth = column(
        "whether it is of a further control; the others are the pairs' labels, of the vote or else the first control",
        default=False,
    )
    pair_id: Text = column("the pair")
    value: Text = optional(
        "the label: on the side that won the lower median of the answers, or the most frequent one if they have no "
        "order; the mean by the rule `mean`; the answers, joined by spaces, that more than half of the raters chose; "
        "the corrected text. Null where undecided, or where two are as frequent"
    )
    votes: Count = column(
        "raters with a positive answer, such as `paraphrase` (score 2 or 3); of a control without one, raters who gave "
        "`value`",
        ge=0,
    )
    n_votes: Count = column("raters who answered", ge=0)
    binary: Count = optional(
        "1 where the positive answers won (paraphrase), 0 not; null where undecided or none is positive", isin=(0, 1)
    )
    scores: Counts = column("how many raters gave each declared answer, in the declared order; empty for a text")
    posterior: Reals = optional(
        "the probability that the pair deserves each declared answer, in the declared order, if annotators err "
        "independently; either side of the vote is kept from 0.05 to 0.95, and an answer of a control without one at "
        "most 0.95. A method that sees votes alone divides a side as all answers on it are. Null by the majority, "
        "which supposes nothing of how annotators err, where several answers may be given, and for texts"
    )
    effective_votes: Real = optional(
        "the votes, each counted from 0 to 1 by how much its annotator's votes tell beside the middle vote; like the "
        "next three the same by every method; null of a control without a positive answer, and of labels that were not "
        "made from votes of their own",
        ge=0,
    )
    share_low: Real = optional(
        "of raters whose votes tell as much, lower end of the 95 % interval of the share who would give a positive "
        "answer: of the beta distribution of all pairs' votes, with the effective votes added; null also where no "
        "pair's votes differ",
        ge=0,
        le=1,
    )
    share_high: Real = optional("upper end, as `share_low`", ge=0, le=1)
    difficulty: Real = optional("how likely two such raters would differ; null as `share_low`", ge=0, le=0.5)
    stratum: Text = column("unanimous, split, `one rating` (of a single vote) or unknown (without votes)")
    decided_by: Text = column(
        "what decided: the method, the rule `mean`, `senior`, `too_few_agree` where a rule asks for more equal votes; "
        "of labels without votes, how they were made",
        isin=DECIDED_BY,
    )


class Splits(Table, name="splits", kind="derived", key=("scheme", "pair_id"), scope=("scheme",)):
    """The split that a pair belongs to under a named scheme, and the group that keeps it together with others."""

    scheme: Text = column("name of the way of splitting")
    pair_id: Text = column("the pair")
    split: Text = column("train, validation or test", isin=("train", "validation", "test"))
    group: Text = column("what keeps pairs together: no group is in two splits")


class Inconsistencies(Table, name="inconsistencies", kind="derived", key=("pair_id", "kind")):
    """A pair whose label contradicts others, and how."""

    pair_id: Text = column("the pair whose label contradicts others")
    kind: Text = column("how: `transitivity`, `symmetry` or `other_entity`")
    evidence: Contradictions = column(
        "what contradicts it: one entry per pair with another label, or per two pairs that do so together, and their "
        "labels"
    )
