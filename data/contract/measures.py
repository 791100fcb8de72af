"""The measures of the table `quality`, each with what it is in words; a new one is named here."""

AGREEMENT = {
    "kappa": "κ with the majority, including one’s own vote",
    "kappa_left_out": "κ with the majority of the others",
    "kappa_answers": "κ of the answers with the most frequent one",
    "kappa_weighted": "κ of the answers with each other annotator’s, quadratic weights",
    "alpha": "Krippendorff’s α",
    "alpha_scores": "Krippendorff’s α of the answers",
}
"""Of an annotator, or of all ratings together."""

CHANCE = {
    "chance_kappa": "κ of a coin flipper in the annotator’s place",
    "shuffled_kappa": "κ of the annotator’s own votes, shuffled",
    "chance_passes": "chance that a guesser passes",
}
"""What chance would reach in the annotator's place."""

RIGHT_VOTES = {
    "sensitivity": "chance of a positive vote where the pair deserves one",
    "specificity": "chance of a negative vote where the pair deserves one",
}
"""Of an annotator, over all rounds: the chances of a right vote."""

CHECKED = {"gold_accuracy": "gold accuracy", "trap_accuracy": "trap accuracy", "self_agreement": "self agreement"}
"""Of an annotator: the right answers where a check was asked, which is no vote."""

HABITS = {
    "seconds": "median seconds per rating",
    "fast_share": "share rated too fast to have been read",
    "share": "share",
}
"""Of an annotator: speed, and how often each answer was given."""

FIRST = {
    "fleiss_kappa_at_first": "Fleiss’ κ before any answer was replaced",
    "alpha_at_first": "Krippendorff’s α before any answer was replaced",
    "replaced_share": "share of these answers that were replaced later",
}
"""Of all annotators together, over all rounds, by the votes before any was replaced."""

HELD_OUT = {
    "calibration_error": "expected calibration error in predicting a held-out vote (limits: of correct chances)",
    "log_loss": "log loss in predicting a held-out vote, in nats",
    "log_loss_majority": "log loss of the majority of the other votes, in nats",
}
"""Of all annotators together, over all rounds: how well votes foretell one that is held out."""

JOINT = {
    "fleiss_kappa": "Fleiss’ κ",
    "mean_kappa": "mean κ with the majority, including one’s own vote",
    "mean_kappa_left_out": "mean κ with the majority of the others",
    **FIRST,
    **HELD_OUT,
}
"""Of all annotators together alone; the mean kappas leave out those that are too one-sided."""

OF_CONTROL = {
    "with_majority": "share of votes that are the majority’s, including one’s own vote",
    "with_majority_left_out": "share of votes that are the majority’s of the others",
    "alpha_masi": "Krippendorff’s α of the sets of answers (MASI)",
    "identical": "share of identical texts, over each two of an item",
    "edit_distance": "mean share of characters by which two texts of an item differ",
}
"""Of a control's answers alone."""

STANDING = ("fleiss_kappa", "alpha", "alpha_scores")
"""Measures that, for all annotators together, use the votes that count; the others use all votes."""

MEASURES = AGREEMENT | CHANCE | JOINT | RIGHT_VOTES | CHECKED | HABITS
"""Those that are of no control."""

KNOWN = MEASURES | OF_CONTROL
