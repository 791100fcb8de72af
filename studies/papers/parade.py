"""He et al., EMNLP 2020: the figures that PARADE's paper prints, each typed from it here alone."""

from studies.papers.counting import describe_parade, find_example
from studies.papers.tables import PaperTable, Row
from studies.papers.training import train_rows

MEASURES = ("accuracy", "f1", "precision", "recall")
BERTS = {
    "BERT-base": "cross-encoder:bert-base-uncased",
    "BERT-large": "cross-encoder:bert-large-uncased",
    "ALBERT-xxlarge": "cross-encoder:albert-xxlarge-v2",
    "SciBERT": "cross-encoder:allenai/scibert_scivocab_uncased",
}
ABOUT = (
    "Printed: one run. The paper chooses the epoch with the best F1 on validation; the code of its first four models "
    "chooses on the test pairs. Here validation alone chooses, and networks score both orders of the texts."
)


def _count(name: str, printed: float | None) -> Row:
    return Row(name=name, printed=(printed,), data=("parade",))


def _trained(name: str, model: str, *printed: float, on: str = "parade") -> Row:
    vectors = () if ":" in model else ("glove",)
    return Row(name=name, printed=printed, model=model, learns=(on,), data=(on,), weights=vectors)


LARGE = (0.736, 0.709, 0.669, 0.753)
BASE = (0.729, 0.708, 0.687, 0.731)

TABLES = (
    PaperTable(
        name="parade-figure-1",
        title="PARADE, Figure 1: overlap of the two definitions; and the counts of sections 4.4 and 5.1",
        columns=("figure",),
        rows=(
            _count("pairs", 10182),
            _count("entities", 788),
            _count("paraphrases", 4778),
            _count("no paraphrases", 5404),
            _count("paraphrases, %", 46.9),
            _count("mean words", 17.1),
            _count("most words", 30),
            *(
                _count(f"{split}: {what}", printed)
                for split, sizes in (("train", (7550, 560)), ("validation", (1275, 110)), ("test", (1357, 118)))
                for what, printed in zip(("pairs", "entities"), sizes, strict=True)
            ),
            *(
                _count(f"overlap of {label}: {what}", None)
                for label in ("paraphrases", "no paraphrases")
                for what in ("mean", "none at all", "below .1", ".5 and more")
            ),
        ),
        about="The figure prints no numbers: the shares are to be read beside its curves. Words are runs of letters "
        "and digits in the mean, and between spaces in the maximum.",
        find=describe_parade,
    ),
    PaperTable(
        name="parade-5",
        title="PARADE, Table 5: an example, two definitions of machine code that are paraphrases",
        columns=("pairs", "paraphrases"),
        rows=(Row(name="machine code", printed=(1, 1), data=("parade",)),),
        about="Printed is one pair of the release; ours are all pairs of its entity.",
        find=find_example,
    ),
    PaperTable(
        name="parade-6",
        title="PARADE, Table 6: BERT-large on six data sets",
        columns=MEASURES,
        rows=(
            _trained("MRPC", BERTS["BERT-large"], 0.853, 0.893, 0.866, 0.922, on="mrpc"),
            _trained("QQP", BERTS["BERT-large"], 0.908, 0.877, 0.866, 0.889, on="qqp"),
            _trained("PAWS", BERTS["BERT-large"], 0.939, 0.933, 0.923, 0.944, on="paws-wiki"),
            _trained("Twitter-URL", BERTS["BERT-large"], 0.905, 0.770, 0.728, 0.817, on="twitter-url"),
            _trained("PIT-2015", BERTS["BERT-large"], 0.901, 0.746, 0.803, 0.697, on="pit2015"),
            _trained("PARADE", BERTS["BERT-large"], *LARGE),
        ),
        cost="a GPU of 24 GB; about an hour for PARADE, a day for QQP (estimated)",
        tests=tuple(("", measure) for measure in MEASURES),
        find=train_rows,
    ),
    PaperTable(
        name="parade-7",
        title="PARADE, Table 7: models on PARADE",
        columns=MEASURES,
        rows=(
            _trained("DecAtt", "decatt", 0.540, 0.530, 0.519, 0.541),
            _trained("ESIM", "esim", 0.595, 0.646, 0.556, 0.770),
            _trained("PWIM", "pwim", 0.701, 0.687, 0.689, 0.686),
            _trained("SSE", "sse", 0.689, 0.702, 0.649, 0.764),
            _trained("BERT-base", BERTS["BERT-base"], *BASE),
            _trained("BERT-large", BERTS["BERT-large"], *LARGE),
            _trained("ALBERT-xxlarge", BERTS["ALBERT-xxlarge"], 0.753, 0.741, 0.738, 0.745),
        ),
        cost="DecAtt: minutes of a processor, PWIM half an hour, ESIM an hour and a half, SSE two days and 6 GB; the "
        "others: a GPU of 24 GB, half an hour to six hours each (estimated)",
        tests=tuple(("", measure) for measure in MEASURES),
        about=ABOUT,
        find=train_rows,
    ),
    PaperTable(
        name="parade-8",
        title="PARADE, Table 8: an example, two definitions of type inference that BERT is wrong about",
        columns=("pairs", "paraphrases"),
        rows=(Row(name="type inference", printed=(1, 1), data=("parade",)),),
        about="Printed is one pair of the release; ours are all pairs of its entity.",
        find=find_example,
    ),
    PaperTable(
        name="parade-9",
        title="PARADE, Table 9: what occurs in 277 pairs that BERT is wrong about (171 paraphrases, 106 others)",
        columns=("count", "frequency"),
        rows=(
            Row(name="specialized terminology", printed=(150, 0.54)),
            Row(name="acronyms and abbreviations", printed=(30, 0.11)),
            Row(name="numbers and equations", printed=(31, 0.11)),
            Row(name="inference", printed=(114, 0.41)),
            Row(name="examples", printed=(78, 0.28)),
            Row(name="at least one", printed=(197, 0.71)),
        ),
        cost="a run of BERT on PARADE and an hour or two of a person who knows the field",
        people="one who knows the field reads 277 wrong predictions",
        commands=(
            "python -m analysis.phenomena --dataset PARADE --predictions RUN/predictions.csv --sample 277",
            "read phenomena.csv and count the five categories",
        ),
    ),
    PaperTable(
        name="parade-10",
        title="PARADE, Table 10: people without knowledge of the field",
        columns=MEASURES,
        rows=(
            Row(name="MRPC", printed=(0.70, 0.75, 0.77, 0.74)),
            Row(name="QQP", printed=(0.74, 0.61, 0.50, 0.77)),
            Row(name="PAWS", printed=(0.90, 0.88, 0.86, 0.90)),
            Row(name="Twitter-URL", printed=(0.90, 0.71, 0.67, 0.75)),
            Row(name="PIT-2015", printed=(0.90, 0.76, 0.80, 0.73)),
            Row(name="PARADE", printed=(0.62, 0.56, 0.45, 0.73)),
        ),
        cost="three people, 200 pairs each of every data set",
        people="three students of other fields label 100 test pairs of each data set after 100 with labels",
        commands=(
            "python -m annotation control plan --store STORE --annotators FILE",
            "python -m annotation control score --store STORE",
        ),
    ),
    PaperTable(
        name="parade-11",
        title="PARADE, Table 11: BERT trained on papers",
        columns=MEASURES,
        rows=(
            _trained("BERT-base", BERTS["BERT-base"], *BASE),
            _trained("SciBERT", BERTS["SciBERT"], 0.741, 0.723, 0.707, 0.740),
        ),
        cost="a GPU of 12 GB, half an hour each (estimated)",
        tests=tuple(("", measure) for measure in MEASURES),
        about=ABOUT,
        find=train_rows,
    ),
)
