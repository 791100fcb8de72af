"""Models and their scores: every run with what it was trained on, and its predictions."""

from data.contract.base import Count, Instant, Real, Table, Text, Texts, column, optional


class Runs(Table, name="runs", kind="event", key=("run_id",)):
    """One training of a model, or one import of its scores; of the runs of one model and seed, the latest counts."""

    run_id: Text = column("content hash of the model, its configuration, its inputs and the run before it")
    model: Text = column("the model's name; `analysis.baselines` writes names that begin with `baseline:`")
    seed: Count = column("what the run's randomness came from")
    campaigns: Texts = column("the campaigns whose labels it learnt from; of a pair with several, the last one's")
    method: Text = column("the method that made those labels")
    scheme: Text = column("the split scheme whose train and validation pairs it saw")
    splits_version: Count = column("the version of the table `splits` that it saw", ge=0)
    generators: Texts = column("the generators of the pairs it scored")
    n_train: Count = optional("pairs it was trained on; null for imported scores", ge=0)
    n_validation: Count = optional("pairs it was tuned on; null for imported scores", ge=0)
    threshold: Real = optional("the score from which the model itself says paraphrase; null where it has none")
    artefact: Text = optional("the trained model's folder; null where none was stored")
    artefact_sha256: Text = optional("the SHA-256 digest of that folder's content")
    at: Instant = column("when the run was recorded (UTC)")


class Predictions(Table, name="predictions", kind="derived", key=("run_id", "pair_id"), scope=("run_id",)):
    """A run's score of a pair."""

    run_id: Text = column("which run scored it")
    pair_id: Text = column("the pair")
    score: Real = column("higher means more likely a paraphrase")
