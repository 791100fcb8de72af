"""Adapters of language models: natural logarithms, states, and one clear line for files that are none."""

import math

import pytest

from data.console.errors import InputError
from generation.engines.ngrams import LN10, NGrams
from tests.generation.world import arpa

SOURCE, SWAPPED = "Flights from New York to Florida", "Flights from Florida to New York"


def test_scores_are_natural_logarithms_of_the_whole_text(toy_arpa):
    model = NGrams(toy_arpa)
    source, swapped = model.score([SOURCE, SWAPPED])
    assert source == pytest.approx(-1.8 * LN10, abs=1e-5)
    assert swapped - source == pytest.approx(-0.921, abs=5e-4)


def test_steps_add_up_to_the_score(toy_arpa):
    model = NGrams(toy_arpa)
    total, state = 0.0, model.start
    for word in map(model.word, SOURCE.split()):
        value, state = model.extend(state, word)
        total += value
    assert math.isclose(total + model.finish(state), model.score([SOURCE])[0], abs_tol=1e-5)


def test_states_with_the_same_future_are_equal(toy_arpa):
    model = NGrams(toy_arpa)
    _, first = model.extend(model.extend(model.start, "from")[1], "new")
    _, second = model.extend(model.extend(model.start, "to")[1], "new")
    assert first == second
    assert hash(first) == hash(second)
    assert first != model.extend(model.start, "york")[1]


def test_the_name_follows_the_bytes_and_not_the_folder(toy_arpa, tmp_path):
    copy = tmp_path / toy_arpa.name
    copy.write_bytes(toy_arpa.read_bytes())
    assert NGrams(copy).name == NGrams(toy_arpa).name
    copy.write_text(arpa((("a", "b", -0.5),)))
    assert NGrams(copy).name != NGrams(toy_arpa).name


def test_a_model_without_unknown_words_is_refused_in_one_line(engines, tmp_path, capfd):
    path = tmp_path / "closed.arpa"
    path.write_text(arpa(unknown=False))
    with pytest.raises(InputError, match=r"closed.arpa: expected `<unk>` among its unigrams.*found none; train it"):
        NGrams(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("content", ["", "no model\n", "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<unk>\n"])
def test_a_file_that_is_no_model_is_refused(engines, tmp_path, content):
    path = tmp_path / "broken.arpa"
    path.write_text(content)
    with pytest.raises(InputError, match=r"broken.arpa: expected a language model of KenLM.*found .*; make one"):
        NGrams(path)


def test_bytes_that_are_no_text_are_refused(engines, tmp_path):
    path = tmp_path / "random.bin"
    path.write_bytes(bytes(range(128, 256)) * 4)
    with pytest.raises(InputError, match=r"random.bin: expected a language model of KenLM"):
        NGrams(path)


def test_a_missing_file_is_refused(engines, tmp_path):
    with pytest.raises(InputError, match="nothing there"):
        NGrams(tmp_path / "none.arpa")
