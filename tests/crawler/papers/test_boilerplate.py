"""What databases and publishers add to abstracts is left out."""

import pyarrow as pa
import pytest

from crawler.papers.boilerplate import REPEATED, Boilerplate


def strip(*abstracts, at_once=100):
    table = pa.table({"title": [f"t{n}" for n in range(len(abstracts))], "abstract": pa.array(abstracts, pa.string())})
    boilerplate = Boilerplate()
    left = [text for batch in boilerplate.strip(table.to_batches(at_once)) for text in batch["abstract"].to_pylist()]
    return left, boilerplate.n_abstracts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("BACKGROUND: Cells grow. MAIN OUTCOME MEASURES: Their size.", " .  Cells grow .  Their size."),
        ("We grow cells. Trial registration: NCT01. Copyright 2004 Elsevier Inc", "We grow cells .  NCT01.  . "),
        ("It works. (PsycINFO Database Record (c) 2006 APA, all rights reserved)", "It works.  . "),
        ("It works. © 2010 The Authors. All rights reserved.", "It works.  .   . ."),
        ("It works. PROSPERO registration number CRD42. It does", "It works.  .  It does"),
    ],
)
def test_headings_and_notices(text, left):
    assert strip(text) == ([left], 1)


@pytest.mark.parametrize(
    "text",
    [
        "We copyright nothing in 2004.",
        "The registration of trials is a duty: all should do it",
        "BERT: a model",
        "Our results: better than others. The T cell.",
        "",
        None,
    ],
)
def test_the_authors_own_words_stay(text):
    assert strip(text) == ([text or ""], 0)


@pytest.mark.parametrize("at_once", [7, 100])
def test_sentences_that_many_papers_share(at_once):
    texts = [
        f"We grow {chr(97 + n % 26) * (3 + n // 26)} cells. Volume {n} of the journal of cells"
        for n in range(2 * REPEATED)
    ]
    left, n = strip(*texts, at_once=at_once)
    assert left[-1] == "We grow pppp cells. "
    assert n >= REPEATED
    few = texts[: REPEATED - 1]
    assert strip(*few) == (few, 0)
