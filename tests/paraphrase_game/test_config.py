"""The recipes of the machine that plays: constants typed from the paper (Nighojkar and Licato 2021, section 3.2)."""

from paraphrase_game.config import GENERATORS, GeneratorRule

PAPER = {"model": "t5-base", "loss": "paper", "reward_on": "sample", "epochs": 3}


def test_the_recipe_of_the_paper_has_the_constants_of_the_paper() -> None:
    assert PAPER.items() <= vars(GENERATORS["paper"]).items()
    assert (GENERATORS["code"].reward_on, GENERATORS["code"].epochs) == ("target", 4)
    assert GENERATORS["recommended"] == GeneratorRule()
