"""The recipe of PARADE: constants typed from the paper (He et al. 2020)."""

from crawler.config import DefinitionConfig, TermConfig

TERMS = {
    "above": (20, "3.1: document frequency higher than 20"),
    "merge_variants": (False, "Table 2 has data structure and data structures"),
    "short_words": (False, "3.1 is silent; no released entity has a number"),
    "drop_boilerplate": (False, "3.1: phrases from these papers"),
    "limit": (None, "3.1: all 3,813 phrases"),
    "min_words": (2, "the released entities"),
    "max_words": (3, "the released entities"),
}
DEFINITIONS = {
    "min_definitions": (5, "3.1: entities with fewer than 5 unique definitions are removed"),
    "max_words": (30, "4.4: the maximum length is 30"),
    "merge_variants": (False, "the released entities"),
    "lower_case": (True, "the released texts"),
    "resolve_markup": (False, "the released texts"),
    "drop_references": (False, "the released texts"),
}


def test_the_recipe_of_the_paper_has_the_constants_of_the_paper() -> None:
    for paper, typed in ((TermConfig.paper(), TERMS), (DefinitionConfig.paper(), DEFINITIONS)):
        assert {name: getattr(paper, name) for name in typed} == {name: value for name, (value, _) in typed.items()}
