"""Whose answers count: constants typed from PARADE's paper (He et al. 2020, section 4.3)."""

from annotation.config import ReassignRule

TYPED = {
    "low_by": ("kappa", "Cohen's Kappa against the ground-truth"),
    "low_kappa": (0.4, "low annotation quality: below 0.4"),
    "high_kappa": (0.75, "the best 5 annotators: above 0.75"),
    "best": (5, "the best 5 annotators"),
}


def test_the_defaults_are_the_constants_of_the_paper() -> None:
    rule = ReassignRule()
    assert {name: getattr(rule, name) for name in TYPED} == {name: value for name, (value, _) in TYPED.items()}
