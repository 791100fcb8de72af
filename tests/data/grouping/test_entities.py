"""Names of one entity: listed synonyms, an acronym and its expansion."""

import pytest

from data.grouping import entities


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ip address", "internet protocol address"], [("ip address", "internet protocol address")]),
        (["internet protocol", "ip"], [("ip", "internet protocol")]),
        (["structured query language server", "sql server"], [("sql server", "structured query language server")]),
        (["graph", "tree"], []),
        (["USA", "United States of America"], [("usa", "united state of america")]),
        (["lan", "LAN (local area network)"], [("lan", "lan (local area network)")]),
        (
            ["LAN (local area network)", "local area network"],
            [("local area network", "lan (local area network)")],
        ),
        (["tree (graph)", "graph"], []),
    ],
)
def test_acronyms(names: list[str], expected: list[tuple[str, str]]) -> None:
    assert entities.acronyms(names) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E-mail", "email"),
        ("data base", "database"),
        ("co-routine", "coroutine"),
        ("Wi-Fi", "wifi"),
        ("colour model", "color model"),
        ("normalisation", "normalization"),
        ("modelling language", "modeling language"),
        ("P vs NP", "P versus NP"),
        ("P vs. NP", "P versus NP"),
        ("client/server", "client-server"),
    ],
)
def test_names_in_two_spellings_are_one(one: str, other: str) -> None:
    assert len(entities.spellings([one, other])) == 1


@pytest.mark.parametrize("names", [["c", "c++", "c#"], ["hour", "tour", "four"], ["a", "b"]])
def test_other_names_are_not(names: list[str]) -> None:
    assert entities.spellings(names) == []


def test_sets_of_synonyms_with_a_name_in_common_are_one() -> None:
    synonyms = entities.read_synonyms(["a, b", "c\td", "b, c", ""])
    assert len(set(synonyms.values())) == 1
