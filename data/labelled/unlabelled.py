"""Pairs of texts from a file, without labels: what a model is to score."""

from pathlib import Path

import pandas as pd

from data.console.errors import TableError
from data.console.messages import quantity, say
from data.files.sheets import name_unread, read_table
from data.grouping.entities import ENTITIES
from data.labelled.corpora import say_left_out, with_ids
from data.labelled.forms import paws
from data.labelled.forms.cells import find_entities, find_texts, split_named
from data.texts.reading import without_markup

OWN_IDS = ("pair_id", "id")
"""The columns that hold a row's own id, of which the first counts."""


def read(path: Path, *, to_judge: bool = False) -> pd.DataFrame:
    """The pairs of a table with a header, as `read_table` takes it.

    Columns: pair_id, first_id, second_id, first, second, entity, second_entity, and id, the row's own in the file; what
    the file does not have is null. Ids are made of texts and entities; but unless people are `to_judge` the pairs, a
    column pair_id counts, or else one called id that tells all rows apart. Markup leaves the texts, and a line says so.
    Rows without two texts, repeated ones, and for people also those with one text twice are left out, with a line that
    says how many. Raises InputError where there is no file, TableError where it has no two columns of
    texts (`cells.TEXTS`), or no row is left.
    """
    cells = split_named(read_table(path, "a file of pairs"), path)
    names = find_texts(path, cells)
    frame = paws.spell_out(cells, path)
    if unread := name_unread(name for name in map(str, frame.columns) if name not in {*names, *OWN_IDS, *ENTITIES}):
        say(f"{path}: {unread}")
    texts = frame[list(names)].set_axis(["first", "second"], axis="columns").apply(lambda column: column.str.strip())
    texts = _without_markup(texts, path)
    own = next((frame[name] for name in OWN_IDS if name in frame), None)
    pairs = with_ids(texts.assign(**dict.fromkeys(ENTITIES) | find_entities(frame), id=own))
    if own is not None and not to_judge and (own.name == "pair_id" or own.is_unique):
        pairs["pair_id"] = own
    empty = (texts == "").any(axis="columns")
    alike = ~empty & (texts["first"] == texts["second"]) & to_judge
    repeated = ~(empty | alike) & pairs["pair_id"].mask(empty | alike).duplicated()
    say_left_out(path, {"without two texts": empty, "with one text twice": alike, "repeated": repeated})
    kept: pd.DataFrame = pairs[~(empty | alike | repeated)].reset_index(drop=True)
    if kept.empty:
        raise TableError(path, expected="a row with two texts", found="none", remedy="fill both columns")
    return kept


def _without_markup(texts: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The texts as people read them; a line says how many changed, with the first."""
    shown: pd.DataFrame = texts.apply(lambda column: column.map(without_markup))
    changed = (shown != texts).to_numpy()
    if changed.any():
        old, new = (frame.to_numpy()[changed][0][:60] for frame in (texts, shown))
        n_texts = quantity(int(changed.sum()), "text")
        say(f"{path}: markup dropped from {n_texts}, such as {old!r}: now {new!r}")
    return shown
