"""The words that one room writes into tables and another reads there: defaults, scale, kinds, measures, reasons."""

from typing import Final, Literal, get_args

CAMPAIGN = "main"
"""The campaign that is meant where none is named."""

ARMS = MAIN, PILOT, CONTROL = ("main", "pilot", "control")
"""What a campaign is to its study: the campaign itself, its pilot or its control arm."""

SCORES = (0, 1, 2, 3)
"""The scale, from different concepts (0) to the same in all details (3) (He et al. 2020, Table 4)."""

PARAPHRASE_FROM: Final = 2
"""The lowest score that is a vote for "paraphrase", unless a manifest says another (He et al. 2020, Table 4)."""

VOTING = ("work", "pilot")
"""The kinds of assignments whose ratings vote; a pilot is a campaign of its own."""

BLIND, INFORMED = "senior", "review"
"""The kinds of a senior's two assignments of a pair: first as everybody sees it, then with the votes and comments."""

CHECKS = {"gold": "gold_accuracy", "trap": "trap_accuracy", "repeat": "self_agreement"}
"""The kinds of assignments that check an annotator and never vote, with their measures."""

KINDS = (*VOTING, *CHECKS, BLIND, INFORMED)
"""The kinds of assignments."""

FLAGS = ("not_english", "ill_formed", "cannot_judge")
"""What an annotator may say of a pair in place of an answer."""

INHERITED = "inherited"
"""The method of labels that no one voted on: an attack's pair has its original's label."""

OF_ATTACKS = ORIGINAL, FOOLED, RESISTED = ("original", "fooled", "resisted")
"""The selections of an attack's pairs: not modified; modified, so that the model is wrong; modified in vain."""

ROLES = EXPERT, SENIOR, NON_EXPERT, SIMULATED, PLAYER = ("expert", "senior", "non_expert", "simulated", "player")
"""The roles of annotators; those who are simulated are no people. SENIOR is also what decided a label where one did."""

WORKING_ROLES = (EXPERT, SENIOR, SIMULATED)
"""The roles whose ratings become labels; non-experts are recorded and get no work."""

JOINING_ROLES = (EXPERT, SENIOR, NON_EXPERT, PLAYER)
"""The roles in which people join."""

Allocation = Literal["fixed", "majority-decided", "certain"]
"""How further ratings are given out: see `annotation.assignment.allocation`."""

FIXED: Allocation = "fixed"
MAJORITY_DECIDED: Allocation = "majority-decided"
CERTAIN: Allocation = "certain"

STATES = ACTIVE, PAUSED, LEFT = ("active", "paused", "left")
"""The states of annotators; one who left gets no pairs any more and cannot come back."""

VERDICTS = CARELESS, CAREFUL, UNDECIDED = ("careless", "careful", "undecided")
"""The verdicts on annotators."""

EVERYBODY = "all"
"""The annotator in measures of all annotators together."""

ALL_ROUNDS = 0
"""The round in measures over all rounds."""

ONE_SIDED = "too one-sided to judge"
"""How the reason of a kappa begins that says nothing, since nearly all answers are one and the same."""
FEWEST_BY_CHANCE, MOSTLY = 7, 0.75
"""With fewer disagreements expected by chance, where chance alone gives more agreement than this, a kappa says
nothing: `python -m studies.quality.one_sided` shows how often a good annotator's falls below 0.4."""

MAJORITY: Final = "majority"
"""The method that takes the side with more votes; also what decided such a label."""

Method = Literal["majority", "dawid-skene", "dawid-skene-scores", "dawid-skene-pooled", "one-coin", "mace"]
"""The methods that make labels of votes: the majority, and models of how annotators err."""

AT_LEAST, MEAN = "at-least", "mean"
"""The other rules than the majority by which votes become a label."""

UNANIMOUS, SPLIT, SINGLE, UNKNOWN = "unanimous", "split", "one rating", "unknown"
"""The strata of labels: all of several votes on one side, or on both; a single vote; none, or not published."""

FLAGGED = "unresolved_flagged"
FLAGGED_BY_SENIOR = "flagged_by_senior"
MISSING_RATINGS = "unresolved_missing_ratings"
TIE = "unresolved_tie"
"""Why a pair has no label."""

BELOW_RULE = "too_few_agree"
"""What decided that a pair has no label: fewer votes are equal than the rule asks for. It stays among the labels."""

LEFT_OUT = (FLAGGED, FLAGGED_BY_SENIOR)
"""The reasons that are a person's decision; a pair with another one may still get a label."""

NEIGHBOURS, SENSES, FAR_ENDS = "neighbours", "senses", "far-ends"
"""The selections of pairs that are likely no paraphrases."""

RANDOM_SHARE = "random-share"
"""The selection of the random sample among pairs that a model chose: it alone estimates all candidates."""

TEXT, CARD, SOURCE, ANNOTATOR = "text", "card", "source", "annotator"
"""The kinds of tombstones: a text that was taken down, a card that held it, a source whose sentences were, an annotator
who withdrew."""

TAKEN_DOWN = "taken_down"
"""The reason for which a text that was taken down is dropped when it is met again."""

IDLE_SECONDS = 300.0
"""Seconds beyond which a rating was left lying: time above it is cut off (ours; five minutes for some 34 words)."""

ATTEMPT, PLAYED = "attempt", "game-human"
"""The method of texts that the players of a game wrote, and the generator of their pairs."""

WORD_SWAP, BACK_TRANSLATION, CORRECTION = "word-swap", "back-translation", "correction"
"""Methods of the table `generated_texts` that lead from a sentence to the pairs of PAWS (Zhang et al. 2019)."""

CORRECTED = "corrected"
"""The selection of a pair with a corrected text."""

PUBLISHED = "published"
"""The selection of pairs that others labelled, and the method and the question of the labels that come with them."""

UNMATCHED = "unmatched"
"""Why a pair is left out of a balanced set: none that looks like it is left with the other label; what would have
decided its own is beside it."""

RULE, SILVER, JUDGED, RESTORED = "rule", "silver", "judged", "fixed_back_to_source"
DERIVED = (RULE, SILVER, JUDGED, RESTORED)
"""What decided a label that no rating of its campaign gave: a rule on other labels, how the pair was made, ratings of
another campaign, or that an annotator corrected a text back to its source."""

GOLD, EXAMPLE = "gold", "example"
"""What becomes of a pair that a pilot's discussion settled: mixed into the work to check it, or shown in the guide."""

SHARED_WORDS, ENTAILED = "shared-words", "entailed"
"""What decided a label where words that both texts share were replaced, or where two texts entail each other by the
judges of the game."""

DECIDED_BY = (*get_args(Method), MEAN, SENIOR, BELOW_RULE, *DERIVED, PUBLISHED, GOLD, EXAMPLE, SHARED_WORDS, ENTAILED)
"""What decides a label."""

DISCUSSION, MUTUAL_ENTAILMENT = "discussion", "mi"
"""The methods of labels that a pilot's discussion settled, and of those that are the word of the game's judges."""

BASE_ROLES = CORRECTING, JUDGEMENT, AUDIT = ("correction", "judgement", "audit")
"""What a campaign is to a set whose labels rest on several."""

EVERY_PAIR, CALIBRATION, WRONG_PREDICTION = "every-pair", "calibration", "wrong-prediction"

SELECTIONS = (
    *(EVERY_PAIR, "random", "balanced", "low-overlap", "high-overlap", "cover", NEIGHBOURS, SENSES, FAR_ENDS),
    *("uncertain", "disagreement", "misleading", RANDOM_SHARE),
    *(WORD_SWAP, BACK_TRANSLATION, CALIBRATION, RULE, SILVER, RESTORED, *OF_ATTACKS),
    *(PUBLISHED, CORRECTED, ATTEMPT, WRONG_PREDICTION),
)
"""Why a pair was chosen: by `clustering`, by a model's scores, by `generation` and attacks, by people's texts."""

SPLITS = ("train", "validation", "test")
"""The parts of a data set."""
