"""Names of one entity: listed synonyms, an acronym and its expansion."""

import pytest

from data.labelled import entities


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ip address", "internet protocol address"], [("ip address", "internet protocol address")]),
        (["internet protocol", "ip"], [("ip", "internet protocol")]),
        (["structured query language server", "sql server"], [("sql server", "structured query language server")]),
        (["graph", "tree"], []),
    ],
)
def test_acronyms(names: list[str], expected: list[tuple[str, str]]) -> None:
    assert entities.acronyms(names) == expected


def test_sets_of_synonyms_with_a_name_in_common_are_one() -> None:
    synonyms = entities.read_synonyms(["a, b", "c\td", "b, c", ""])
    assert len(set(synonyms.values())) == 1
