"""Shi and Huang, Findings of EMNLP 2020: the figures that their paper prints, each typed from it here alone."""

from studies.papers.attacking import MLM, attack_rows
from studies.papers.tables import PaperTable, Row

MODELS = {"BiMPM": "bimpm", "DIIN": "diin", "BERT": f"cross-encoder:{MLM}"}
DATA = {"QQP": "qqp-wang", "MRPC": "mrpc"}
TABLE_1 = {
    ("QQP", "BiMPM", "normal"): (88.5, 87.8, 88.1, 88.0, 99.4, 93.7, 14.4, 7.8, 11.1),
    ("QQP", "DIIN", "normal"): (91.5, 85.9, 88.7, 89.6, 99.6, 94.6, 31.0, 8.2, 19.6),
    ("QQP", "BERT", "normal"): (90.7, 91.3, 91.0, 89.0, 99.6, 94.3, 33.4, 14.8, 24.1),
    ("QQP", "BiMPM", "adversarial"): (89.6, 88.0, 88.9, 89.4, 99.8, 94.6, 15.0, 27.8, 21.4),
    ("QQP", "DIIN", "adversarial"): (82.1, 91.7, 86.9, 81.2, 99.8, 90.5, 35.0, 72.2, 53.6),
    ("QQP", "BERT", "adversarial"): (87.6, 92.5, 90.1, 86.8, 99.8, 93.3, 53.0, 79.0, 66.0),
    ("MRPC", "BiMPM", "normal"): (90.2, 40.0, 73.4, 87.2, 97.4, 92.3, 3.2, 0.2, 1.7),
    ("MRPC", "DIIN", "normal"): (89.9, 49.5, 76.3, 90.4, 100.0, 95.2, 48.2, 0.4, 24.3),
    ("MRPC", "BERT", "normal"): (93.2, 66.4, 84.2, 94.0, 100.0, 97.0, 45.6, 2.0, 23.8),
    ("MRPC", "BiMPM", "adversarial"): (96.8, 26.3, 73.2, 95.6, 100.0, 97.8, 73.2, 0.6, 36.9),
    ("MRPC", "DIIN", "adversarial"): (85.8, 58.0, 76.5, 82.8, 100.0, 91.4, 59.8, 67.6, 63.7),
    ("MRPC", "BERT", "adversarial"): (95.3, 55.2, 81.9, 95.0, 100.0, 97.5, 81.0, 93.0, 87.0),
}
PARTS = tuple(f"{what}, {label}" for what in ("full", "sampled", "modified") for label in ("pos", "neg", "all"))

TABLES = (
    PaperTable(
        name="shared-words-1",
        title="Shared words, Table 1: accuracy on the test pairs, on sampled and on modified ones, in per cent",
        columns=PARTS,
        rows=tuple(
            Row(
                name=", ".join(key),
                printed=printed,
                model=MODELS[key[1]],
                learns=(DATA[key[0]],),
                data=(DATA[key[0]],),
                weights=(MLM,) if key[1] == "BERT" else (MLM, "glove"),
                hardened=key[2] == "adversarial",
            )
            for key, printed in TABLE_1.items()
        ),
        cost="on a TITAN X 4.7 to 7.5 s for an example of QQP, 44.9 to 61.6 s for one of MRPC (appendix A): 15 hours "
        "for a model on MRPC; adversarial training comes on top",
        tests=tuple(("", "accuracy") for _ in PARTS),
        about="MRPC has no validation part: a tenth of the training pairs tunes here.",
        find=attack_rows,
        scale=100,
    ),
    PaperTable(
        name="shared-words-2",
        title="Shared words, Table 2: what people say of pairs that mislead BERT",
        columns=("QQP original", "QQP modified", "MRPC original", "MRPC modified"),
        rows=(
            Row(name="accuracy of pos, %", printed=(86, 70, 90, 94)),
            Row(name="accuracy of neg, %", printed=(98, 88, 100, 82)),
            Row(name="accuracy, %", printed=(92, 79, 95, 88)),
            Row(name="grammaticality (1 to 3)", printed=(2.48, 2.15, 2.40, 2.19)),
        ),
        cost="the attack on BERT, and three people for 200 pairs of each data set",
        people="three judge label and grammar of 100 modified pairs and 100 originals",
        commands=(
            "python -m identification attack RUN --recipe paper --mlm bert-base-uncased --review 100 --out STORE",
            "python -m annotation plan --generator shared-words-review --question label-and-grammar --store STORE",
            "python -m analysis.robustness --store STORE",
        ),
    ),
)
