"""The recipes of PAWS: constants typed from the paper (Zhang, Baldridge and He 2019)."""

from generation.config import BALANCES, SWAPS, TRANSLATIONS, BalanceConfig, SwapConfig, TranslateConfig

SWAPPED = {
    "beam": (100, "3.1: the size of the beam"),
    "exchanges": (False, "3.1: beam search alone"),
    "keep_terms": (False, "3.1: a template of words, persons, places and organisations"),
    "lists": ("drop", "footnote 2: permutations of lists are pruned"),
    "content_first": (False, "3.1: the best sentence in the beam"),
    "most_moved": (None, "3.1: any other sentence"),
    "n_best": (1, "3.1: the best sentence in the beam other than the input"),
    "threshold": (3.0, "3.1: t = 3.0"),
    "entity_probability": (0.95, "3.1: probabilities above 95 %"),
    "least_likely": (None, "3.1: any sentence"),
    "per_entity": (None, "3.1: any sentence"),
}
TRANSLATED = {
    "results": ("all", "3.2: all that the filters leave"),
    "min_cosine": (0.9, "3.2: alpha"),
    "min_inversion": (0.02, "3.2: the inversion rate"),
}
BALANCED = {
    "swaps": ("translated", "4: swaps without back translation counterparts are Wiki-Swap"),
    "balance": (False, "4: all judged pairs, and what follows from them"),
}


def test_the_recipe_of_the_paper_has_the_constants_of_the_paper() -> None:
    for recipes, usual, typed, ours in (
        (SWAPS, SwapConfig(), SWAPPED, {"cap", "limit"}),
        (TRANSLATIONS, TranslateConfig(), TRANSLATED, {"seed"}),
        (BALANCES, BalanceConfig(), BALANCED, set()),
    ):
        paper = vars(recipes["paper"])
        assert {name: paper[name] for name in typed} == {name: value for name, (value, _) in typed.items()}
        assert {*paper} == {*typed} | ours
        assert all(paper[name] == getattr(usual, name) for name in ours)
        assert recipes["recommended"] == usual
