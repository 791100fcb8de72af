"""The recipes of attacks: the paper's constants, typed from the paper."""

import dataclasses

from identification.config import ATTACKS, AttackConfig

SHI_AND_HUANG = {
    "steps": (5, "appendix A: S, for QQP"),
    "words": (25, "appendix A: K"),
    "beam": (25, "appendix A: B"),
    "long_from": (32, "appendix A: all three doubled for MRPC; the border is ours"),
    "places": (None, "3.3: we enumerate all replaceable position pairs"),
    "negatives": ("any", "3.2: we sample two different sentence pairs"),
    "vocabulary": ("model", "3.2: we rank all the words in the vocabulary of the model"),
    "window": (0, "3.2: P(w | p_1:i-1, p_i+1:n)"),
    "occurrences": ("one", "3.2: each replaceable position pair"),
    "guards": ((), "3.2: stop words stay; shared words, or both nouns, verbs or adjectives"),
    "floor": (0.0, "3.2: top K words"),
    "threshold": (0.5, "3.3: the label predicted by the model"),
    "refine": (False, "3.3: we finish the modification process"),
}
NOT_IN_THE_PAPER = {"seed", "fluency", "fluency_loss", "max_queries"}
"""What leaves the method as it is unless it is typed."""


def test_the_recipe_of_the_paper_has_the_constants_of_the_paper() -> None:
    paper = vars(ATTACKS["paper"])
    assert {name: paper[name] for name in SHI_AND_HUANG} == {name: value for name, (value, _) in SHI_AND_HUANG.items()}
    assert {*paper} == {*SHI_AND_HUANG} | NOT_IN_THE_PAPER
    assert all(paper[name] == getattr(AttackConfig(), name) for name in NOT_IN_THE_PAPER)
    assert ATTACKS["recommended"] == AttackConfig()
    assert {field.name for field in dataclasses.fields(AttackConfig)} == {*paper}
