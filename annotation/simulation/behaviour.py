"""How simulated annotators score: what is true of each pair, who errs in which way, what each says; pure.

Every draw depends on the seed and on what is drawn for, never on order: whoever labels a pair again says the same.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotation.files import read_sheet
from data import words
from data.console import existing_file
from data.errors import InputError, TableError
from data.identity import digest
from data.labelled import parade
from data.vocabulary import SCORES

CONFUSIONS = {
    "good": [[0.95, 0.05, 0, 0], [0.025, 0.95, 0.025, 0], [0, 0.025, 0.95, 0.025], [0, 0, 0.05, 0.95]],
    "careless": [[0.4, 0.2, 0.2, 0.2], [0.2, 0.4, 0.2, 0.2], [0.2, 0.2, 0.4, 0.2], [0.2, 0.2, 0.2, 0.4]],
    "random": [[0.25, 0.25, 0.25, 0.25]] * 4,
}
"""Chance of each score (columns) for a pair that deserves a score (rows): 95 %, 40 % and 25 % are right."""

LATENT_NOISE = 0.12
LATENT_STEPS = (0.08, 0.17, 0.33)
"""Where overlap plus noise passes from one score to the next: the mean overlaps of the released pairs with 0, 1, 2
and 3 votes are 0.10, 0.15, 0.21 and 0.41."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A kind of annotator: how many there are and how they err."""

    name: str
    annotators: int
    confusion: Sequence[Sequence[float]]


def read_profiles(text: str) -> list[Profile]:
    """Profiles from `good:5,careless:2,random:1`, or from a JSON file.

    The file maps each name to {"annotators": 2, "confusion": [[…] × 4]}. Raises InputError for anything else.
    """
    if text.endswith(".json"):
        return _read_file(existing_file(Path(text), "a JSON file of profiles"))
    profiles = []
    for part in text.split(","):
        name, _, number = part.partition(":")
        if name not in CONFUSIONS or not number.isdecimal():
            raise _unusable("--profiles", " or ".join(CONFUSIONS) + ", each with a number as in good:5", repr(part))
        profiles.append(Profile(name=name, annotators=int(number), confusion=CONFUSIONS[name]))
    return profiles


def cast_profiles(profiles: Sequence[Profile], annotators: Sequence[str]) -> dict[str, Profile]:
    """Whose profile is which, in the order of the names. Raises InputError unless there is one for each."""
    spread = [profile for profile in profiles for _ in range(profile.annotators)]
    if len(spread) != len(annotators):
        raise _unusable("--profiles", f"profiles for the {len(annotators)} annotators of the plan", str(len(spread)))
    return dict(zip(sorted(annotators), spread, strict=True))


def latent_truth(pairs: pd.DataFrame, seed: int) -> "pd.Series[int]":
    """The score that each pair deserves, by pair id: the more overlap the higher, with seeded noise.

    `pairs`: pair_id, overlap (null counts as 0).
    """
    ids = pairs["pair_id"].to_list()
    noise = [NormalDist().inv_cdf(_uniform("truth", seed, pair)) for pair in ids]
    overlap = pairs["overlap"].astype("Float64").fillna(0).to_numpy(dtype="float64")
    latent = overlap + LATENT_NOISE * np.array(noise)
    return pd.Series(np.searchsorted(LATENT_STEPS, latent), index=ids, dtype="int64")


def read_truth(path: Path, pairs: pd.DataFrame) -> "pd.Series[int]":
    """The score that each of our pairs deserves, by pair id, from a file or a folder.

    A CSV or TSV file has the columns pair_id and score. A folder holds the published PARADE files: a pair's
    number of votes is its score, so that two votes of three and a score of 2 both mean "paraphrase".
    `pairs`: pair_id, first, second. Raises TableError for a pair without a score or with one off the scale.
    """
    scores = _released_votes(path, pairs) if path.is_dir() else _score_table(path)
    found = scores[~scores.index.duplicated()].reindex(pairs["pair_id"])
    wrong = found[~found.isin(SCORES)]
    if not wrong.empty:
        raise TableError(
            path,
            expected=f"a score of 0, 1, 2 or 3 for each of the {len(found)} pairs",
            found=f"none for {int(wrong.isna().sum())} of them, others for {int(wrong.notna().sum())}"
            f" (pair {wrong.index[0]})",
            remedy="complete the file, or leave --truth out for a seeded latent score",
        )
    return found.astype("int64")


def answer(asked: pd.DataFrame, confusions: Mapping[str, Sequence[Sequence[float]]], seed: int) -> NDArray[np.int64]:
    """The score of each asked assignment. `asked`: annotator, pair_id, round, kind, truth."""
    keys = zip(asked["annotator"], asked["pair_id"], asked["round"], asked["kind"], strict=True)
    draws = np.array([_uniform("answer", seed, *key) for key in keys])
    rows = zip(asked["annotator"], asked["truth"], strict=True)
    chances = np.array([np.cumsum(confusions[name][truth])[:-1] for name, truth in rows]).reshape(-1, len(SCORES) - 1)
    return np.asarray((draws[:, None] >= chances).sum(axis=1), dtype="int64")


def seconds(asked: pd.DataFrame, seed: int) -> NDArray[np.float64]:
    """How long each assignment is said to have taken: 12 s in the middle, two thirds of all between 7 and 20 s.

    `asked`: annotator, pair_id, round, kind.
    """
    keys = zip(asked["annotator"], asked["pair_id"], asked["round"], asked["kind"], strict=True)
    draws = [NormalDist(np.log(12), 0.5).inv_cdf(_uniform("seconds", seed, *key)) for key in keys]
    return np.round(np.exp(draws), 1)


def _uniform(*parts: object) -> float:
    """A number between 0 and 1, neither of them, that the parts alone decide."""
    return (int(digest(*parts)[:13], 16) + 0.5) / 16**13


def _score_table(path: Path) -> "pd.Series[int]":
    sheet = read_sheet(path, "a table of scores", remedy="see python -m annotation simulate --help")
    sheet.require(["pair_id", "score"])
    scores = pd.to_numeric(sheet.rows["score"], errors="coerce")
    return pd.Series(scores.to_numpy(), index=sheet.rows["pair_id"])


def _released_votes(folder: Path, pairs: pd.DataFrame) -> "pd.Series[int]":
    """The votes of the published pairs with the same two texts, whichever stands first."""
    published = parade.read(folder)
    votes = dict(zip(_both(published), published["votes"], strict=True))
    return pd.Series([votes.get(texts) for texts in _both(pairs)], index=pairs["pair_id"], dtype="Int64")


def _both(pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    texts = zip(pairs["first"], pairs["second"], strict=True)
    return [tuple(sorted((words.merge_key(first), words.merge_key(second)))) for first, second in texts]


def _read_file(path: Path) -> list[Profile]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        profiles = [Profile(name=name, **one) for name, one in content.items()]
        shapes = [np.asarray(profile.confusion, dtype="float64") for profile in profiles]
    except (ValueError, TypeError, AttributeError) as fault:
        raise _unusable(
            path, 'JSON as {"name": {"annotators": 2, "confusion": 4 rows of 4 chances}}', str(fault)
        ) from fault
    for profile, matrix in zip(profiles, shapes, strict=True):
        if matrix.shape != (4, 4) or (matrix < 0).any() or not np.allclose(matrix.sum(axis=1), 1):
            raise _unusable(f"{path}, {profile.name}", "4 rows of 4 chances that add up to 1", str(profile.confusion))
    return profiles


def _unusable(where: object, expected: str, found: str) -> InputError:
    return InputError(where, expected=expected, found=found, remedy="see python -m annotation simulate --help")
