"""Nighojkar and Licato, ACL 2021: the figures that the game's paper prints, each typed from it here alone."""

from collections.abc import Mapping, Sequence

from studies.papers.counting import count_game, count_labels, draw_game, guess_at_random
from studies.papers.tables import Ours, PaperTable, Place, Row
from studies.papers.training import train_rows

ROBERTA = "cross-encoder:roberta-base"


def _learns(name: str, sets: tuple[str, ...], mcc: float, f1: float, tests: tuple[str, ...] = ("apt",)) -> Row:
    return Row(name=name, printed=(mcc, f1), model=ROBERTA, learns=("twitter-ppdb", *sets), data=tests)


def _answer_all(table: PaperTable, rows: Sequence[Row], place: Place) -> Mapping[str, Ours]:
    return guess_at_random(rows, place, len(table.columns))


TABLES = (
    PaperTable(
        name="apt-2",
        title="The game, Table 2: attempts and source sentences, by what became of them",
        columns=("attempts", "APT", "MI", "no MI", "sources", "APT", "MI", "no MI"),
        rows=(
            Row(name="people", printed=(5007, 2659, 3232, 1775, 1631, 1231, 1338, 293), data=("apt",)),
            Row(name="T5 at MSRP", printed=(62986, 3836, 37511, 25475, 4072, 2288, 4045, 3115), data=("t5-msrp",)),
            Row(
                name="T5 at TwitterPPDB",
                printed=(75011, 6454, 17074, 57937, 4328, 3670, 4131, 4230),
                data=("t5-twitter",),
            ),
        ),
        about="The last column: for people, the sources without any mutual implication; for the machine, the sources "
        "with an attempt that is none. An attempt that the machine made twice counts once here.",
        find=count_game,
    ),
    PaperTable(
        name="apt-3",
        title="The game, Table 3: examples of attempts",
        columns=("BLEURT of the first", "MI"),
        rows=(Row(name="So, can we please get out of here?", printed=(-0.064, 1)),),
        about="Twelve examples to read; nothing to compute. `apt-2` counts all attempts, `apt-figure-2` draws them.",
    ),
    PaperTable(
        name="apt-4",
        title="The game, Table 4: pairs that are mutual implications",
        columns=("pairs", "MI", "MI, %", "no MI", "no MI, %"),
        rows=(
            Row(name="AP_H-train", printed=(3746, 2433, 64.95, 1313, 35.05), data=("apt",)),
            Row(name="AP_H-test", printed=(1261, 799, 63.36, 462, 36.64), data=("apt",)),
            Row(name="MSRP-train", printed=(4076, 2753, 67.54, 1323, 32.46), data=("mrpc",)),
            Row(name="MSRP-test", printed=(1725, 1147, 66.50, 578, 33.50), data=("mrpc",)),
        ),
        find=count_labels,
    ),
    PaperTable(
        name="apt-5",
        title="The game, Table 5: the answer yes to all pairs",
        columns=("RoBERTa: MCC", "RoBERTa: F1", "random: MCC", "random: F1"),
        rows=(
            Row(name="MSRP-train", printed=(0.349, 0.833, 0, 0.806), data=("mrpc",)),
            Row(name="MSRP-test", printed=(0.358, 0.829, 0, 0.799), data=("mrpc",)),
            Row(name="AP_H", printed=(0.222, 0.746, 0, 0.784), data=("apt",)),
            Row(name="AP_H-test", printed=(0.218, 0.743, 0, 0.777), data=("apt",)),
        ),
        about="The paper calls its right half random. Its F1 is what the answer yes to all pairs has. The left half, "
        "a RoBERTa-base that learned from TwitterPPDB alone, needs these weights and that data set: `apt-6`'s row.",
        find=_answer_all,
    ),
    PaperTable(
        name="apt-6",
        title="The game, Table 6: AP_H-test by what a RoBERTa-base learned from beside TwitterPPDB",
        columns=("MCC", "F1"),
        rows=(
            _learns("nothing (Table 5)", (), 0.218, 0.743),
            _learns("AP_H-train", ("apt",), 0.440, 0.809),
            _learns("T5 at MSRP", ("t5-msrp",), 0.369, 0.705),
            _learns("AP_H-train + T5 at MSRP", ("apt", "t5-msrp"), 0.516, 0.828),
            _learns("T5 at Twitter", ("t5-twitter",), 0.422, 0.765),
            _learns("AP_H-train + T5 at Twitter", ("apt", "t5-twitter"), 0.488, 0.812),
            _learns("T5", ("t5-msrp", "t5-twitter"), 0.437, 0.716),
            _learns("AP_H-train + T5", ("apt", "t5-msrp", "t5-twitter"), 0.525, 0.816),
        ),
        cost="a GPU of 12 GB, a day in all (estimated)",
        settings={ROBERTA: {"epochs": 5, "batch-size": 32, "learning-rate": 2e-5}},
        tests=(("apt", "mcc"), ("apt", "f1")),
        about="Section 4: five epochs, 32 pairs, a tenth validates. The learning rate is not printed. The paper also "
        "prints the machine's rows on all of AP_H (.410, .725; .433, .772; .461, .731).",
        find=train_rows,
    ),
    PaperTable(
        name="apt-figure-2",
        title="The game, Figure 2: BLEURT by outcome",
        columns=("mean", "mean of APT", "mean of MI without APT", "mean of no MI"),
        rows=(
            Row(name="people", printed=(None,) * 4, data=("apt",)),
            Row(name="T5 at MSRP", printed=(None,) * 4, data=("t5-msrp",)),
            Row(name="T5 at TwitterPPDB", printed=(None,) * 4, data=("t5-twitter",)),
        ),
        about="The figure prints no numbers.",
        find=draw_game,
    ),
)
