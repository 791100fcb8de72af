"""Names of models and runs are read as they were written, in one place."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data.contract.access import ROOMS, ROOT
from data.models.runs import ENSEMBLE, FUNCTION, JOIN, PREFIXES, ModelName

FOLDERS = st.text(st.characters(exclude_characters=JOIN, exclude_categories=["Cs"])).filter(
    lambda text: ModelName.parse(text) == ModelName((text,))
)
SEEDS = st.none() | st.integers(0, 2**32)
NAMES = st.one_of(
    st.builds(ModelName, st.tuples(FOLDERS), st.sampled_from(["", *(kind for kind in PREFIXES if kind != ENSEMBLE)]),
              SEEDS),
    st.builds(ModelName, st.lists(FOLDERS, min_size=1).map(tuple), st.just(ENSEMBLE), SEEDS),
    st.builds(ModelName, st.just(("package.module", "score")), st.just(FUNCTION), SEEDS),
)  # fmt: skip


@given(NAMES)
def test_a_name_is_read_as_it_was_written(name: ModelName) -> None:
    assert ModelName.parse(str(name)) == name


@given(st.text())
@example("ensemble:")
@example("frozen:a, seed 01")
@example("m, seed 1, seed 2")
def test_any_text_is_a_name_and_stays_the_same(text: str) -> None:
    assert str(ModelName.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("esim", ModelName(("esim",))),
        ("models/esim", ModelName(("models/esim",))),
        ("frozen:minilm, seed 2", ModelName(("minilm",), "frozen", 2)),
        ("ensemble:models/a+models/b", ModelName(("models/a", "models/b"), "ensemble")),
        ("endpoint:org/llama:8b", ModelName(("org/llama:8b",), "endpoint")),
        ("baseline:jaccard", ModelName(("jaccard",), "baseline")),
        ("own.package:score", ModelName(("own.package", "score"), "function")),
    ],
)
def test_every_kind_of_model_has_its_name(text: str, name: ModelName) -> None:
    assert ModelName.parse(text) == name


def test_no_other_module_takes_a_name_apart_or_puts_one_together() -> None:
    kinds = "|".join(PREFIXES)
    own = re.compile(rf"""["'](?:{kinds})[:.]["'{{]|model\S*}}, seed {{""")
    modules = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if path.name != "names.py"]
    assert [path.name for path in modules if own.search(path.read_text("utf-8"))] == []
