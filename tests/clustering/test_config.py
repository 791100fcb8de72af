"""The recipe of PARADE: constants typed from the paper (He et al. 2020, section 3.2)."""

from clustering.config import Config

TYPED = {
    "vectors": ("word2vec", "the average of word2vec token embeddings"),
    "vector_size": (300, "300-dimensional"),
    "clusters": ("kmeans", "k-means is applied to cluster the definitions for each entity"),
    "cluster_size": (2, "half the number of definitions"),
    "max_overlap": (None, "only punctuation, typos and sub-strings are filtered out"),
    "neighbours": (0, "every two of the definitions from the same cluster"),
    "senses": (0, "likewise"),
    "far_ends": (0, "likewise"),
}


def test_the_recipe_of_the_paper_has_the_constants_of_the_paper() -> None:
    paper = Config.paper()
    assert {name: getattr(paper, name) for name in TYPED} == {name: value for name, (value, _) in TYPED.items()}
