"""How far everybody agrees on each control of a question, by its level of measurement: rows of `quality`; pure.

Measures, of `all` over all rounds, on the answers that count:
- `alpha`: Krippendorff's, of a control with one answer; of one with several, for each `answer` by itself;
- `alpha_masi`: of a control with several, by how far the sets of answers are apart (Passonneau 2006);
- `identical`: the share of the same texts, white space aside, over each two corrected texts of an item;
- `edit_distance`: the mean share of characters by which such two differ (Levenshtein).
"""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations

import numpy as np
import pandas as pd
from rapidfuzz.distance import Levenshtein

from data.contract.questions import Control, Question
from data.contract.vocabulary import ALL_ROUNDS, EVERYBODY
from data.measures import agreement
from data.measures.agreement import Agreement
from data.measures.classes import classes_of
from data.measures.habits import COLUMNS

Measures = Iterator[tuple[str, str | None, Agreement]]
"""A measure, the answer that it is of (None: all answers), and its value."""


OF_TEXTS = ("identical", "edit_distance")
"""The measures of a control with corrected texts."""


def assess_controls(question: Question, answers: pd.DataFrame) -> pd.DataFrame:
    """The measures, with COLUMNS. `answers`: pair_id, group, control, chosen, text.

    Corrected texts are compared only where all of them are there (`has_texts`).
    """
    rows = []
    for control in question.asked:
        given = answers[answers["control"] == control.name]
        pairs = pd.factorize(given["pair_id"])[0].astype("int64")
        groups = given.drop_duplicates("pair_id")["group"].to_numpy(object)
        if control.kind == "edited-text":
            of_texts = _of_texts(pairs, given["text"].astype("object")) if has_texts(given) else {}
            measures: Measures = ((name, None, value) for name, value in of_texts.items())
        else:
            measures = _of_choices(control, (pairs, groups), [frozenset(chosen) for chosen in given["chosen"]])
        about = {"round": ALL_ROUNDS, "annotator": EVERYBODY, "control": control.name}
        rows += [about | {"measure": name, "answer": answer} | asdict(value) for name, answer, value in measures]
    return pd.DataFrame(rows, columns=COLUMNS)


def name_measure(measure: str, control: str | None, answer: str | None) -> str:
    """A measure as commands print it: `grammar.alpha`, `share_of_2`."""
    own = measure if pd.isna(answer) else f"{measure}_of_{answer}"
    return own if pd.isna(control) else f"{control}.{own}"


def has_texts(answers: pd.DataFrame) -> bool:
    """Whether the corrected texts are there: not in a release without texts, nor where it was restored."""
    return "text" in answers and bool(answers["text"].notna().all())


def _of_choices(
    control: Control, asked: tuple[agreement.Integers, agreement.Names], chosen: list[frozenset[str]]
) -> Measures:
    """`asked`: the number of each answer's pair, and the group of each pair."""
    pairs, groups = asked
    if control.kind != "several-of":
        classes, numbers = classes_of(control), {value: place for place, value in enumerate(control.values)}
        values = np.array([numbers[next(iter(answer))] for answer in chosen], dtype=np.int64)
        yield "alpha", None, classes.alpha(agreement.counts(pairs, values, len(classes)), groups)
        return
    sets = sorted(set(chosen), key=sorted)
    places = {answers: place for place, answers in enumerate(sets)}
    values = np.array([places[answers] for answers in chosen], dtype=np.int64)
    table = agreement.counts(pairs, values, max(len(sets), 1))
    yield "alpha_masi", None, agreement.krippendorff_alpha(table, apart=agreement.set_distances(sets), groups=groups)
    for value in control.values:
        has = np.array([value in answers for answers in chosen], dtype=np.int64)
        yield "alpha", value, agreement.krippendorff_alpha(agreement.counts(pairs, has, 2), groups=groups)


def _of_texts(pairs: agreement.Integers, texts: "pd.Series[str]") -> dict[str, Agreement]:
    grouped = texts.map(lambda text: " ".join(text.split())).groupby(pairs)
    both = [two for _, same in grouped for two in combinations(same, 2)]
    if not both:
        return dict.fromkeys(OF_TEXTS, Agreement(n=0, reason=agreement.NO_SECOND))
    same = float(np.mean([first == second for first, second in both]))
    apart = float(np.mean([Levenshtein.normalized_distance(first, second) for first, second in both]))
    return {name: Agreement(n=len(both), value=value) for name, value in zip(OF_TEXTS, (same, apart), strict=True)}
