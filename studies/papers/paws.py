"""Zhang et al., NAACL 2019: the figures that PAWS' paper prints, each typed from it here alone. In per cent."""

from studies.papers.counting import count_paws
from studies.papers.tables import PaperTable, Row
from studies.papers.training import train_rows

BERT = "cross-encoder:bert-base-uncased"
MODELS = {"BOW": "bow", "BiLSTM": "bilstm", "ESIM": "esim", "DecAtt": "decatt", "DIIN": "diin", "BERT": BERT}
SETTINGS = {
    **{name: {"train-words": False} for name in ("bow", "bilstm", "esim", "decatt", "decatt-bilstm", "diin")},
    BERT: {"epochs": 3, "learning-rate": 5e-5},
}
"""Section 6.1: word vectors are fixed, and BERT has the defaults of its authors' code, which the paper does not name.
Here they are taken from `run_classifier.py`."""


def _trained(name: str, model: str, *printed: float | None, learns: tuple[str, ...], **others: object) -> Row:
    weights = () if model == BERT else ("glove",)
    row: Row = Row(name=name, printed=printed, model=model, learns=learns, weights=weights, **others)
    return row


QQP, BOTH = ("qqp",), ("qqp", "paws-qqp")
TABLE_7 = {
    "BOW": (83.2, 89.5, 29.0, 27.1, 30.0, 27.3),
    "BiLSTM": (86.3, 91.6, 34.8, 37.9, 57.6, 52.3),
    "ESIM": (85.3, 92.8, 38.9, 26.9, 66.5, 48.1),
    "DecAtt": (87.8, 93.9, 33.3, 26.3, 67.4, 51.1),
    "DIIN": (89.2, 95.2, 32.8, 32.4, 83.8, 77.8),
    "BERT": (90.5, 96.3, 33.5, 35.1, 85.0, 83.1),
}
TABLE_8 = {
    "BOW": (55.8, 41.1, 55.6, 44.9),
    "BiLSTM": (71.1, 75.6, 80.8, 87.6),
    "ESIM": (67.2, 69.6, 81.9, 85.8),
    "DecAtt": (57.1, 52.6, 55.8, 45.4),
    "DecAtt+BiLSTM": (68.6, 70.6, 88.8, 92.3),
    "DIIN": (88.6, 91.1, 91.8, 94.4),
    "BERT": (90.4, 93.7, 91.9, 94.3),
}
TABLE_9 = {
    ("qqp",): (95.2, 32.4, 46.0),
    ("qqp", "paws-qqp"): (95.3, 77.8, 70.5),
    ("qqp", "paws-wiki"): (95.3, 58.5, 92.9),
    ("qqp", "paws-wiki", "paws-swap"): (95.3, 70.6, 93.5),
    ("qqp", "paws-qqp", "paws-wiki"): (95.1, 87.0, 93.4),
    ("qqp", "paws-qqp", "paws-wiki", "paws-swap"): (95.3, 89.9, 93.8),
}
FIGURE_4 = {0: None, 2000: None, 4000: None, 6000: 74.0, 8000: None, 10000: None}
"""Section 6.2: both models improve from 30 % to 74 % with 6,000 examples; the other points are drawn, not printed."""

TABLES = (
    PaperTable(
        name="paws-3",
        title="PAWS, Table 3: what people keep of the swaps, and what they say of the rest (Quora, Wikipedia)",
        columns=("Quora", "Wikipedia"),
        rows=(
            Row(name="raw pairs", printed=(16280, 50000)),
            Row(name="accepted", printed=(10699, 39903)),
            Row(name="fixed", printed=(3626, 7387)),
            Row(name="rejected", printed=(1955, 2710)),
            Row(name="judged", printed=(14325, 47290)),
            Row(name="paraphrases", printed=(4693, 5725)),
            Row(name="no paraphrases", printed=(9632, 41565)),
            Row(name="human agreement, %", printed=(92.0, 94.7)),
            Row(name="kept", printed=(12665, 43647)),
            Row(name="human agreement of the kept, %", printed=(95.8, 97.5)),
        ),
        cost="24 seconds for a label: some 2,000 hours of people",
        people="one corrects each swap, five judge each pair",
        commands=(
            "python -m generation swap --recipe paper --sentences FILE --lm FILE --store STORE",
            "python -m annotation plan --question sentence-correction --store STORE",
            "python -m annotation plan --question same-meaning --store STORE",
            "python -m annotation adjudicate --rule at-least 4 --store STORE",
            "python -m analysis.report --store STORE",
        ),
    ),
    PaperTable(
        name="paws-4",
        title="PAWS, Table 4: what people say of the back translations",
        columns=("Wikipedia",),
        rows=(
            Row(name="pairs", printed=(26897,)),
            Row(name="paraphrases", printed=(25521,)),
            Row(name="no paraphrases", printed=(1376,)),
            Row(name="human agreement, %", printed=(94.8,)),
        ),
        cost="24 seconds for a label: some 900 hours of people",
        people="five judge each pair",
        commands=(
            "python -m generation translate --recipe paper --store STORE",
            "python -m annotation plan --question same-meaning --store STORE",
            "python -m annotation adjudicate --rule at-least 4 --store STORE",
            "python -m analysis.report --store STORE",
        ),
    ),
    PaperTable(
        name="paws-5",
        title="PAWS, Table 5: pairs by split, and the share of paraphrases",
        columns=("train", "dev", "test", "paraphrases, %"),
        rows=(
            Row(name="PAWS-QQP", printed=(11988, 677, None, 31.3), data=("paws-qqp",)),
            Row(name="PAWS-Wiki", printed=(49401, 8000, 8000, 44.2), data=("paws-wiki",)),
            Row(name="PAWS-Wiki-Swap", printed=(30397, None, None, 9.6), data=("paws-swap",)),
        ),
        find=count_paws,
        scale=100,
    ),
    PaperTable(
        name="paws-6",
        title="PAWS, Table 6: which models see the context of a word (1), and the words of the other text (1)",
        columns=("non-local context", "word interaction"),
        rows=(
            Row(name="BOW", printed=(0, 0)),
            Row(name="BiLSTM and ESIM", printed=(1, 0)),
            Row(name="DecAtt", printed=(0, 1)),
            Row(name="DIIN and BERT", printed=(1, 1)),
        ),
        about="A statement about architectures, without anything to compute. PAWS' ESIM compares no words; ours is "
        "the one of Chen et al. 2017, which does (`python -m identification models --deviations`).",
    ),
    PaperTable(
        name="paws-7",
        title="PAWS, Table 7: models of QQP on PAWS-QQP",
        columns=(
            "QQP on QQP: accuracy",
            "QQP on QQP: AUC",
            "QQP on PAWS-QQP: accuracy",
            "QQP on PAWS-QQP: AUC",
        ),
        rows=(
            *(
                _trained(f"{name}, trained on QQP", MODELS[name], *printed[:4], learns=QQP, data=BOTH)
                for name, printed in TABLE_7.items()
            ),
            *(
                _trained(
                    f"{name}, trained on QQP and PAWS-QQP",
                    MODELS[name],
                    None,
                    None,
                    *printed[4:],
                    learns=BOTH,
                    data=BOTH,
                )
                for name, printed in TABLE_7.items()
            ),
        ),
        cost="a GPU of 12 GB, a day in all (estimated)",
        settings=SETTINGS,
        tests=(("qqp", "accuracy"), ("qqp", "pr_auc"), ("paws-qqp", "accuracy"), ("paws-qqp", "pr_auc")),
        about="AUC is for precision and recall. QQP's validation pairs are its test here, since GLUE keeps the labels "
        "of the test; a tenth of the training pairs tunes.",
        find=train_rows,
        scale=100,
    ),
    PaperTable(
        name="paws-8",
        title="PAWS, Table 8: models on PAWS-Wiki; supervised, or first trained on the pairs without judgements",
        columns=("accuracy", "AUC"),
        rows=(
            *(
                _trained(
                    name,
                    {**MODELS, "DecAtt+BiLSTM": "decatt-bilstm"}[name],
                    *printed[:2],
                    learns=("paws-wiki",),
                    data=("paws-wiki",),
                )
                for name, printed in TABLE_8.items()
            ),
            *(
                _trained(
                    f"{name}, first on unjudged pairs",
                    {**MODELS, "DecAtt+BiLSTM": "decatt-bilstm"}[name],
                    *printed[2:],
                    learns=("paws-wiki",),
                    data=("paws-wiki",),
                    start=("paws-silver",),
                )
                for name, printed in TABLE_8.items()
            ),
        ),
        cost="a GPU of 12 GB: supervised half a day, first on 656,000 pairs two days (estimated)",
        settings=SETTINGS,
        tests=(("paws-wiki", "accuracy"), ("paws-wiki", "pr_auc")),
        about="AUC is for precision and recall.",
        find=train_rows,
        scale=100,
    ),
    PaperTable(
        name="paws-9",
        title="PAWS, Table 9: AUC of DIIN by training pairs",
        columns=("QQP", "PAWS-QQP", "PAWS-Wiki"),
        rows=tuple(
            _trained(" + ".join(learns), "diin", *printed, learns=learns, data=("qqp", "paws-qqp", "paws-wiki"))
            for learns, printed in TABLE_9.items()
        ),
        cost="a GPU of 12 GB, two days (estimated)",
        settings=SETTINGS,
        tests=(("qqp", "pr_auc"), ("paws-qqp", "pr_auc"), ("paws-wiki", "pr_auc")),
        about="AUC is for precision and recall.",
        find=train_rows,
        scale=100,
    ),
    PaperTable(
        name="paws-figure-4",
        title="PAWS, Figure 4: AUC on PAWS-QQP by the number of its pairs beside QQP",
        columns=("AUC",),
        rows=tuple(
            _trained(
                f"{name}, {size:,} pairs",
                MODELS[name],
                printed,
                learns=BOTH if size else QQP,
                data=("paws-qqp",),
                pairs=size or None,
            )
            for name in ("DIIN", "BERT")
            for size, printed in FIGURE_4.items()
        ),
        cost="a GPU of 12 GB, two days (estimated)",
        settings=SETTINGS,
        tests=(("paws-qqp", "pr_auc"),),
        about="AUC is for precision and recall. The text gives one point for both models; the others are drawn only.",
        find=train_rows,
        scale=100,
    ),
)
