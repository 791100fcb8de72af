"""Suggestions by rule, on pairs written so that each rule has something to find and something to leave alone."""

import pandas as pd
import pytest

from analysis.evaluation import phenomena
from data.labelled.dataset import COLUMNS, INTEGERS, Dataset

TERMS = {"hash table": "hash table", "dictionary": "hash table", "linked list": "linked list", "array": "array"}


def suggested(first: str, second: str, binary: int = 1, entity: str | None = "map") -> set[tuple[str, str]]:
    names = {"entity": entity, "second_entity": None}
    row = {"pair_id": "p", "first_id": "a", "second_id": "b", "first": first, "second": second} | names
    frame = pd.DataFrame([row | {"split": "test", "votes": 2, "n_votes": 3, "binary": binary, "parents": []}])
    found = phenomena.suggest(Dataset(frame[COLUMNS].astype(INTEGERS)), TERMS)
    return {(name, rule) for name, rule in found[["phenomenon", "rule"]].itertuples(index=False)}


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("What a DNS does.", "The domain name system resolves names.", [("DNS", "domain name system")]),
        ("keeps html pages", "pages in hypertext markup language here", []),
        ("a sql query", "some structured query language text", [("sql", "structured query language")]),
        ("a sql query", "sql is a structured query language", []),
        ("RAM is fast", "a random and fast access memory", []),
        ("RAM is fast", "memory of random access memory cells", [("RAM", "random access memory")]),
        ("the and can", "some text here and now do come at noon", []),
        ("IT", "", []),
    ],
)
def test_an_acronym_is_one_where_the_other_text_spells_it_out(
    text: str, other: str, expected: list[tuple[str, str]]
) -> None:
    assert list(phenomena.find_acronyms(text, other)) == expected


def test_other_names_of_one_term_are_synonyms() -> None:
    assert ("synonyms", "variant") in suggested("a hash table of keys", "some dictionary with keys")
    assert ("synonyms", "variant") not in suggested("a hash table of keys", "some hash table with keys")


def test_different_terms_call_for_knowledge_where_little_overlaps() -> None:
    assert ("knowledge", "terms") in suggested("a linked list of nodes", "what an array keeps")
    assert ("knowledge", "terms") not in suggested("a linked list of nodes", "what computers keep")
    assert ("knowledge", "terms") not in suggested("an array keeps nodes here", "an array keeps nodes there")
    assert suggested("a linked list", "what an array is", entity="linked list") == set(), "the entity itself is none"


def test_an_equation_calls_for_knowledge_and_its_numbers_are_no_detail() -> None:
    found = suggested("one minus the rate", "it is = 1 - rate")
    assert ("knowledge", "equation") in found
    assert ("detail", "number") not in found
    assert ("knowledge", "equation") not in suggested("rules and such", "deliverable = rules and such")


def test_what_one_text_has_more_is_a_detail() -> None:
    assert ("detail", "number") in suggested("it has 8 bits", "it has bits")
    assert ("detail", "number") not in suggested("2 or more people", "two or more people")
    assert ("detail", "number") not in suggested("kept as is (Polanyi 1966)", "kept as is")
    assert ("detail", "example") in suggested("a fruit, such as pears", "a fruit")
    assert ("detail", "length") in suggested("one two three four five six", "one two")
    assert suggested("a fruit, e.g. pears", "a fruit, for example pears") == set()


def test_equal_words_hide_a_difference_only_where_the_label_says_so() -> None:
    assert ("overlap", "overlap") in suggested("trees keep leaves", "trees keep leaves", binary=0)
    assert ("overlap", "overlap") not in suggested("trees keep leaves", "trees keep leaves", binary=1)


def test_pairs_without_an_entity_and_without_words_are_no_fault() -> None:
    assert suggested("", "?", entity=None) == set()


def test_suggestions_are_joined_and_what_has_none_is_none() -> None:
    rows = [("p", "knowledge", "terms", "x"), ("p", "detail", "number", "1"), ("p", "detail", "length", "9")]
    joined = phenomena.join(pd.DataFrame(rows, columns=phenomena.COLUMNS), ["p", "q"])
    assert joined.to_dict() == {"p": "detail knowledge", "q": "none"}


def test_the_count_matches_table_9_with_the_rules_beside_it() -> None:
    labels = pd.DataFrame(
        {
            "binary": [1, 1, 0],
            "value": ["knowledge detail", "none", "overlap"],
            "suggested": ["knowledge", "detail", "overlap"],
        }
    )
    table = phenomena.count(labels, ["knowledge", "detail", "overlap"]).set_index("phenomenon")
    assert table.loc["knowledge"].tolist() == [1, 0, 1, 1]
    assert table.loc["detail"].tolist() == [1, 0, 1, 0]
    assert table.loc["overlap"].tolist() == [0, 1, 1, 1]
