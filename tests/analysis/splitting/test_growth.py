"""How far copied definitions join groups of pairs."""

from analysis.splitting.growth import describe_growth
from data.grouping.groups import group
from data.texts.languages.en import ENGLISH
from tests.pairs import pairs_of

BAKERY = ("bakery", "the place where a baker kneads dough before dawn", "a shop that sells bread")
FERRY = ("ferry", "a flat boat that carries vehicles across a river", "a ship for short crossings")
KILN = ("kiln", "the place where a baker kneads dough before dawn, and sells warm loaves", "an oven for clay")


def test_groups_that_a_copied_definition_joins_are_told() -> None:
    pairs = pairs_of([BAKERY, FERRY, KILN])
    found = describe_growth(pairs, group(pairs), None, ENGLISH)
    assert found == "copied definitions join 3 groups to 2: the largest has 2 pairs, and had 1"


def test_without_copies_there_is_nothing_to_tell() -> None:
    pairs = pairs_of([BAKERY, FERRY])
    assert describe_growth(pairs, group(pairs), None, ENGLISH) is None
