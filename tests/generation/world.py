"""Language models and sentences of the tests, written by hand."""

TOY = (
    ("<s>", "flights", -0.1),
    ("flights", "from", -0.2),
    ("from", "new", -0.3),
    ("new", "york", -0.1),
    ("york", "to", -0.4),
    ("to", "florida", -0.5),
    ("florida", "</s>", -0.2),
    ("from", "florida", -0.4),
    ("florida", "to", -0.5),
    ("to", "new", -0.6),
    ("york", "</s>", -0.3),
)
"""Bigrams and their log10 of probability; all unigrams have -1, unknown words -2."""


def arpa(bigrams: tuple[tuple[str, str, float], ...] = TOY, *, unknown: bool = True) -> str:
    """The ARPA file of a bigram model whose back-off weights are all 1."""
    words = sorted({word for first, second, _ in bigrams for word in (first, second)} - {"<s>", "</s>"})
    unigrams = ["-99\t<s>\t0", "-1\t</s>\t0", *(f"-1\t{word}\t0" for word in words)]
    unigrams += ["-2\t<unk>\t0"] if unknown else []
    lines = ["\\data\\", f"ngram 1={len(unigrams)}", f"ngram 2={len(bigrams)}", "", "\\1-grams:", *unigrams, ""]
    lines += ["\\2-grams:", *(f"{value}\t{first} {second}" for first, second, value in bigrams), "", "\\end\\", ""]
    return "\n".join(lines)
