"""Errors that a command shows as one line."""

import pickle

import pytest

from data.console.errors import InputError, ParadeError, TableError


@pytest.mark.parametrize("kind", [ParadeError, InputError, TableError])
def test_errors_of_workers_keep_their_kind_and_words(kind: type[ParadeError]) -> None:
    error = kind("here", expected="a word", found="a number", remedy="write it out")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error) == "here: expected a word, found a number; write it out"
