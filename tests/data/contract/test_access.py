"""Who writes and reads a table is found in the code, however a call names the table."""

import ast

import pytest

from data.contract.access import find_access, find_calls
from data.contract.register import TABLES

IMPORTS = """
from data.contract.tables import labels
from data.contract.tables.generated import Sentences as SentenceTable
from data.contract.tables.pairs import Pairs
from data.contract.tables.campaign import Answers, Ratings
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("store.replace(Pairs, rows, manifest, generator=name)", {("replace", "Pairs")}),
        ("self.store.append(Ratings, rows, manifest)", {("append", "Ratings")}),
        ("campaign.store.replace(labels.Quality, rows, manifest)", {("replace", "Quality")}),
        ("snapshot.read(SentenceTable, ['source'])", {("read", "Sentences")}),
        (
            "for table in (Ratings, Answers):\n    store.append(table, rows)",
            {("append", "Ratings"), ("append", "Answers")},
        ),
        ("[store.read(one) for one in BOTH]\nBOTH = (Ratings, Pairs)", {("read", "Ratings"), ("read", "Pairs")}),
        ("store.reject('stage', rejects, manifest)", {("replace", "Rejects")}),
        ("store.erase(Pairs, leave, 'stage')", set()),
        ("text.replace('a', 'b')\npath.read(Path)", set()),
    ],
)
def test_a_call_is_found(call: str, found: set[tuple[str, str]]) -> None:
    assert set(find_calls(ast.parse(IMPORTS + call))) == found


def test_every_table_is_written_and_read_somewhere() -> None:
    access = find_access()
    names = [table.__name__ for table in TABLES]
    assert [name for name in names if not (access[name]["written"] and access[name]["read"])] == []
    assert set(access) == set(names)
