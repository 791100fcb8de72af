"""How far everybody agrees on each control of a question, by its level of measurement: rows of `quality`; pure.

Measures, of `all` over all rounds, on the answers that count:
- `CONTROL.alpha`: Krippendorff's, of a control with one answer;
- `CONTROL.alpha_masi`: of one with several, by how far the sets of answers are apart (Passonneau 2006);
- `CONTROL.alpha_of_ANSWER`: of one with several, each answer by itself;
- `CONTROL.identical`: the share of the same texts, white space aside, over each two corrected texts of an item;
- `CONTROL.edit_distance`: the mean share of characters by which such two differ (Levenshtein).
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

Measures = Iterator[tuple[str, Agreement]]


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
            measures = _of_texts(pairs, given["text"].astype("object")) if has_texts(given) else iter(())
        else:
            measures = _of_choices(control, (pairs, groups), [frozenset(chosen) for chosen in given["chosen"]])
        about = {"round": ALL_ROUNDS, "annotator": EVERYBODY}
        rows += [about | {"measure": f"{control.name}.{name}"} | asdict(value) for name, value in measures]
    return pd.DataFrame(rows, columns=COLUMNS)


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
        yield "alpha", classes.alpha(agreement.counts(pairs, values, len(classes)), groups)
        return
    sets = sorted(set(chosen), key=sorted)
    places = {answers: place for place, answers in enumerate(sets)}
    values = np.array([places[answers] for answers in chosen], dtype=np.int64)
    table = agreement.counts(pairs, values, max(len(sets), 1))
    yield "alpha_masi", agreement.krippendorff_alpha(table, apart=agreement.set_distances(sets), groups=groups)
    for value in control.values:
        has = np.array([value in answers for answers in chosen], dtype=np.int64)
        yield f"alpha_of_{value}", agreement.krippendorff_alpha(agreement.counts(pairs, has, 2), groups=groups)


def _of_texts(pairs: agreement.Integers, texts: "pd.Series[str]") -> Measures:
    grouped = texts.map(lambda text: " ".join(text.split())).groupby(pairs)
    both = [two for _, same in grouped for two in combinations(same, 2)]
    if not both:
        nothing = Agreement(n=0, reason=agreement.NO_SECOND)
        yield from (("identical", nothing), ("edit_distance", nothing))
        return
    yield "identical", Agreement(n=len(both), value=float(np.mean([first == second for first, second in both])))
    apart = [Levenshtein.normalized_distance(first, second) for first, second in both]
    yield "edit_distance", Agreement(n=len(both), value=float(np.mean(apart)))
