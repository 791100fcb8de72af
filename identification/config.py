"""What training is asked for, with the two recipes and where their values come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit, NoFlag, Positional
from data.labelled.sources import OfDataset

Measure = Literal["nll", "f1", "auc"]
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where a model is computed."""

    device: Advanced[Device] = "auto"
    """`auto` takes a CUDA device where there is one."""
    precision: Advanced[Precision] = "auto"
    """`auto` takes bfloat16 for transformers where the processor or device is faster in it, otherwise float32."""
    threads: Advanced[int | None] = None
    """Threads of the processor; by default one per core. On a busy machine one is faster than two."""

    def __post_init__(self) -> None:
        """Raise InputError for fewer threads than one."""
        require_at_least("--threads", self.threads, 1)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained. What is none follows the recipe and the model."""

    recipe: Literal["recommended", "paper"] = "recommended"
    """`paper`: the optimiser, loss and epochs of the model's paper, hard labels, the epoch with the best F1 on
    validation. `recommended`: soft labels, the epoch with the lowest NLL, settings measured on PARADE."""
    seed: int = 1
    """The source of all randomness."""
    labels: Advanced[Literal["soft", "hard"] | None] = None
    """Learn the share of votes for "paraphrase" (`soft`; where there are no votes, the label), or the label itself."""
    select: Advanced[Measure | None] = None
    """The measure on validation by which the epoch is chosen: the lowest NLL, or the highest F1 at 0.5 or ROC AUC."""
    epochs: Advanced[int | None] = None
    """At most this many passes over the training pairs."""
    patience: Advanced[int | None] = None
    """Stop after this many epochs without a better one."""
    batch_size: Advanced[int | None] = None
    """Pairs per step."""
    learning_rate: Advanced[float | None] = None
    """Of the first steps, or at its highest."""
    train_words: Advanced[bool | None] = None
    """Also train the vectors of the words (in transformers: the word embeddings)."""
    vectors: Advanced[Path | None] = None
    """Word vectors for the networks, as text: word2vec's or GloVe's form, plain or .gz. By default they are learned
    from the texts of the data set (in a store: of all its definitions) and of --texts."""
    texts: Advanced[tuple[Path, ...]] = ()
    """Files with more texts to learn word vectors from, one per line, plain or .gz."""
    vector_size: Advanced[int] = 300
    """Dimensions of the word vectors that are learned."""
    longest: Advanced[int | None] = None
    """How many words of a text are read, and in transformers how many tokens of a pair or text; what follows is left
    out, and the number of pairs that it concerns is printed."""
    start: Advanced[Path | None] = None
    """The folder of a trained model of the same name, whose weights and words are trained on: for a model that first
    learns from other pairs. By default weights are fresh, or the pretrained ones."""
    share: Advanced[float] = 1.0
    """Learn from this share of the training pairs alone, whole groups (above 0, at most 1): for learning curves."""
    validation_share: Advanced[float | None] = None
    """Where the data set has no validation split: tune on this share of its training pairs, whole groups (0 to 1)."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        least = {"epochs": 1, "patience": 1, "batch_size": 1, "vector_size": 1, "longest": 4, "seed": 0}
        for name, lowest in least.items():
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), lowest)
        rate, share = self.learning_rate, self.validation_share
        if rate is not None and not 0 < rate < 10:
            raise InputError("--learning-rate", expected="above 0, below 10", found=str(rate), remedy="try 0.0005")
        if not 0 < self.share <= 1:
            raise InputError("--share", expected="above 0, at most 1", found=str(self.share), remedy="try 0.5")
        if share is not None and not 0 < share < 1:
            raise InputError("--validation-share", expected="between 0 and 1", found=str(share), remedy="try 0.1")


@dataclass(frozen=True, kw_only=True)
class Training(OfDataset):
    """A training as it is asked for."""

    model: Positional[str]
    """A name that `models` lists; cross-encoder:NAME, bi-encoder:NAME, frozen:NAME with a folder, a name of the hub, or
    `minilm`; ensemble:FOLDER+FOLDER with the folders of models trained on the same data set."""
    config: TrainingConfig = field(default_factory=TrainingConfig)
    machine: Machine = field(default_factory=Machine)


@dataclass(frozen=True, kw_only=True)
class MaskedTraining:
    """How a masked language model is trained."""

    steps: Limit[int] = 750
    """Batches to learn from."""
    batch_size: Advanced[int] = 32
    """Windows per batch."""
    window: Advanced[int] = 64
    """Tokens per window; short texts share one."""
    learning_rate: Advanced[float] = 3e-4
    """The highest, reached after a twentieth of the steps; it then falls in a line to 0."""
    seed: int = 1
    """The source of all randomness."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name, least in {"steps": 1, "batch_size": 1, "window": 8, "seed": 0}.items():
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), least)
        if not 0 < self.learning_rate < 1:
            found = str(self.learning_rate)
            raise InputError("--learning-rate", expected="above 0, below 1", found=found, remedy="try 0.0003")


Guard = Literal["speech", "opposites", "stems", "articles", "names", "plain"]
"""What an attack leaves out; `identification.robustness.guards` says why."""
ALL_GUARDS: tuple[Guard, ...] = get_args(Guard)


@dataclass(frozen=True, kw_only=True)
class AttackConfig:
    """How pairs are modified. The values here are ours; `ATTACKS` has the paper's."""

    seed: int = 1
    """The source of all randomness."""
    steps: Advanced[int] = 5
    """S: words that are replaced at most."""
    words: Advanced[int] = 10
    """K: substitutes that are tried per place."""
    beam: Advanced[int] = 5
    """B: drafts that go on after each stage."""
    places: Advanced[int | None] = 10
    """Places that are tried per draft, drawn at random where there are more; if none, all."""
    long_from: NoFlag[int | None] = None
    """Words of both texts together from which on S, K and B (and the places) are doubled; if none, never."""
    negatives: NoFlag[Literal["alike", "any"]] = "alike"
    """Originals of the label "others": texts of about the same length with other first words, or any two."""
    threshold: Advanced[float | None] = None
    """The score from which on the model says paraphrase (0 to 1); if none, the model's own, tuned on validation."""
    vocabulary: NoFlag[Literal["data", "model"]] = "data"
    """Substitutes are words of the data set, or all whole words that the masked language model has."""
    window: NoFlag[int] = 5
    """Words on each side of a place that the masked language model reads, as in the released code; 0: up to 40."""
    occurrences: NoFlag[Literal["all", "one"]] = "all"
    """Replace a word everywhere in both texts, or one occurrence in each, which can leave a word half replaced."""
    guards: Advanced[tuple[Guard, ...]] = ALL_GUARDS
    """Leave out substitutes that change the part of speech (`speech`), that bring a number word or an opposite into a
    positive pair (`opposites`), that share a stem with another word of either text (`stems`), or that do not fit an
    `a` or `an` before them (`articles`); replace and bring in no proper nouns (`names`), and no numbers, negations,
    single letters and words with hyphens (`plain`). With `stems`, a word of a positive pair stays if the pair has
    another form of it."""
    fluency: Advanced[Path | None] = None
    """Also leave out substitutes that a causal language model finds unlikely between the words around them, and try
    those first that it finds likeliest: its folder, of CTranslate2 or of transformers."""
    fluency_loss: Advanced[float] = 5.0
    """By how much the natural logarithm of the probability of the words around a substitute may fall."""
    floor: Advanced[float] = 1e-5
    """The least probability of a substitute by the masked language model, the geometric mean over its places."""
    refine: Advanced[bool] = True
    """Once the model is wrong, undo replacements that are not needed for it, and take likelier words."""
    max_queries: Limit[int | None] = None
    """Pairs that the model is asked about for one original at most."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        least = {"steps": 1, "words": 1, "beam": 1, "places": 1, "max_queries": 1}
        for name, lowest in {**least, "seed": 0}.items():
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), lowest)
        if not 0 <= self.floor < 1:
            raise InputError("--floor", expected="0 to 1", found=str(self.floor), remedy="try 0.0001")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise InputError("--threshold", expected="between 0 and 1", found=str(self.threshold), remedy="try 0.5")
        if not self.fluency_loss >= 0:
            raise InputError("--fluency-loss", expected="0 or more", found=str(self.fluency_loss), remedy="try 5")


SHI_AND_HUANG = AttackConfig(
    negatives="any",  # section 3.2: two different pairs
    vocabulary="model",  # section 3.2: all the words in the vocabulary of the model
    window=0,  # section 3.2: the rest of the text
    guards=(),  # section 3.2: stop words stay, and the rule of shared words or equal parts of speech
    floor=0.0,
    occurrences="one",  # section 3.2: pairs of positions
    places=None,  # section 3.3: all replaceable pairs of positions
    threshold=0.5,  # section 3.3: the label that the model predicts
    refine=False,
    steps=5,  # appendix A, as the next two
    words=25,
    beam=25,
    long_from=32,
)
"""Where the paper doubles S, K and B it names MRPC, whose pairs have some 43 words, and not QQP, whose pairs have some
22: the border between the two is ours. docs/robustness.md says where else the paper leaves a choice."""

ATTACKS: Mapping[str, AttackConfig] = {"recommended": AttackConfig(), "paper": SHI_AND_HUANG}
"""docs/robustness.md gives the reason for each difference."""


@dataclass(frozen=True, kw_only=True)
class Hardening:
    """How a model is trained against an attack."""

    rounds: Limit[int] = 5
    """Rounds of attack and training, at most."""
    patience: Advanced[int] = 2
    """Stop after this many rounds without more modified pairs right, on validation."""
    most_loss: Advanced[float] = 0.03
    """Stop once the model loses more than this share of the originals of validation, and take no such round."""
    share: Advanced[float] = 0.1
    """The share of modified pairs among those that the first round trains on (the paper: about 10 % per batch); each
    further round adds as many."""
    beam: Advanced[int] = 1
    """B of the attacks on training pairs (the paper: 1). A larger one takes as many times as long, and teaches
    what a single draft does not find."""
    judged: Advanced[int] = 100
    """Originals of each label of the validation split that judge every round, at most."""
    seed: int = 1
    """The source of the choice of originals."""
    engine: Advanced[str] = "here"
    """Where attacks are computed: `here`, `processes`, `processes:N` or `dask:ADDRESS`."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        for name in ("rounds", "patience", "beam", "judged"):
            require_at_least(f"--{name}", getattr(self, name), 1)
        for name, most in (("share", 0.5), ("most_loss", 1.0)):
            if not 0 < getattr(self, name) <= most:
                flag = "--" + name.replace("_", "-")
                found = str(getattr(self, name))
                raise InputError(flag, expected=f"above 0, at most {most:g}", found=found, remedy="give another number")
