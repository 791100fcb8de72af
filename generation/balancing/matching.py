"""Which pairs of a set stay, so that no simple signal tells their label; pure.

Word swaps have all words in common and mostly the label 0; back translations have other words and mostly the label 1:
a model could learn that instead of the meaning. So pairs are matched on their propensity score, the probability of
label 1 that a logistic regression reads from such signals: in each narrow range of it, as many pairs stay with the
label 1 as with 0. Sources: Rosenbaum and Rubin 1983; the ranges' width: Austin 2011; pairs per signal: Peduzzi et al.
1996. PAWS (Zhang et al. 2019, section 3.2) keeps all pairs; what one signal tells of them was not measured.

The commonest words of either text are such signals, too: matched on overlap alone, they told the label of real pairs
(docs/measurements.md). One likely reason: `training data` comes back as `data of training`, which shares fewer
words, so back translations look most like swaps where the sentence had an `of` before.
"""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from data.labelled import features
from data.texts import words
from data.texts.identity import digest
from data.texts.languages.base import Language

CALIPER = 0.2
"""Width of the ranges, in standard deviations of the logit of the score."""
COMMON_WORDS = 20
"""This many of the commonest words of all texts are counted in each text."""
PAIRS_PER_SIGNAL = 10
"""Each signal needs this many pairs of the rarer label: with fewer, the regression would learn chance."""


def describe_signals(pairs: pd.DataFrame, measures: pd.DataFrame, language: Language) -> pd.DataFrame:
    """What the words, their order and numbers, and the measures tell of each pair: one column of numbers per signal.

    `pairs`: first, second, binary; `measures`: one column per measure, null where it is not defined. Beside a
    difference that has a direction its size is given. Words are counted as far as there are PAIRS_PER_SIGNAL.
    """
    first, second = pairs["first"].tolist(), pairs["second"].tolist()
    longer = np.array([words.count_words(b) - words.count_words(a) for a, b in zip(first, second, strict=True)])
    known = measures.reset_index(drop=True).assign(longer=longer).astype("Float64").fillna(0.0).astype("float64")
    directed = known[[name for name in known if name == "longer" or str(name).endswith("_margin")]]
    signals = pd.concat([features.describe(first, second, language), known, directed.abs().add_suffix("_size")], axis=1)
    ones = int(pairs["binary"].sum())
    room = min(ones, len(pairs) - ones) // PAIRS_PER_SIGNAL - signals.shape[1]
    return pd.concat([signals, _count_common_words(first, second, min(COMMON_WORDS, room // 2), language)], axis=1)


def _count_common_words(first: list[str], second: list[str], n: int, language: Language) -> pd.DataFrame:
    """How often each of the `n` commonest words of all texts is in either text."""
    if n < 1:
        return pd.DataFrame(index=range(len(first)))
    counts = CountVectorizer(analyzer=language.tokens, max_features=n).fit([*first, *second])
    names = counts.get_feature_names_out()
    sides = (
        pd.DataFrame(counts.transform(texts).toarray(), columns=[f"{side}: {name}" for name in names])
        for side, texts in (("first", first), ("second", second))
    )
    return pd.concat(sides, axis=1)


def match(binary: pd.Series, signals: pd.DataFrame, lots: list[str]) -> pd.Series:
    """Whether each pair stays; as many of those that stay are labelled 1 as 0, none where all labels are the same.

    `lots`: one per pair, which decides where a range has more of one label. All is computed in their order, so that
    the last digits of a score, which may decide on its range, do not depend on the order of the rows.
    """
    order = np.argsort(lots)
    label = binary.astype("int64").to_numpy()[order]
    stays = np.zeros(len(label), dtype=bool)
    if len({*label}) == 2:
        columns = StandardScaler().fit_transform(signals.iloc[order])
        logit = LogisticRegression(max_iter=1000).fit(columns, label).decision_function(columns)
        spread = float(np.std(logit)) or 1.0
        rows = pd.DataFrame({"range": np.floor(logit / (CALIPER * spread)), "label": label})
        fewest = rows.groupby("range")["label"].transform(lambda labels: min(labels.sum(), (1 - labels).sum()))
        stays[order] = rows.groupby(["range", "label"]).cumcount() < fewest
    return pd.Series(stays, index=binary.index)


def draw_lots(pair_ids: pd.Series, seed: int) -> list[str]:
    """A text per pair that depends on the seed and on the pair alone."""
    return [digest(seed, pair) for pair in pair_ids]
