"""What databases and publishers add to abstracts is left out."""

import pyarrow as pa
import pytest

from crawler.terms.boilerplate import Boilerplate


def strip(*abstracts):
    table = pa.table({"title": ["t"] * len(abstracts), "abstract": pa.array(abstracts, pa.string())})
    boilerplate = Boilerplate()
    left = [text for batch in boilerplate.strip(table.to_batches(2)) for text in batch["abstract"].to_pylist()]
    return left, boilerplate.n_abstracts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("BACKGROUND: Cells grow. MAIN OUTCOME MEASURES: Their size.", " .  Cells grow .  Their size."),
        ("Cells grow. MAIN OUTCOME MEASURES--Their size.", "Cells grow . --Their size."),
        ("Cells grow.  Main Outcome Measures Their size.", "Cells grow .  Their size."),
        ("Cells grow  Main outcome measures:Their size.", "Cells grow . Their size."),
        ("We grow cells. Trial registration: NCT01. Copyright 2004 Elsevier Inc", "We grow cells.  .   . "),
        ("It works. (PsycINFO Database Record (c) 2006 APA, all rights reserved)", "It works.  . "),
        ("It works. © 2010 The Authors. All rights reserved.", "It works.  .   . ."),
        ("It works. PROSPERO registration number CRD42. It does", "It works.  .  It does"),
        ("It works. (c) 2010 The Authors.", "It works . "),
        ("It works. Copyright (c) 2010 The Authors. It does", "It works.  .  It does"),
        ("It works. Clinical trial registration: NCT01.", "It works.  . "),
        ("It works. (copyright) 2009 Elsevier B.V. All rights reserved.", "It works.  .   . ."),
        ("It works. TRIAL REGISTRATION ClinicalTrials.gov NCT02333656", "It works.  . "),
        ("It works. Trial registration: Controlled Trials, ISRCTN 1.", "It works.  . "),
        ("It works. Systematic review registration PROSPERO CRD42014. It does", "It works.  .  It does"),
        ("It works. Trial registry no. 12. It does", "It works.  .  It does"),
    ],
)
def test_headings_and_notices(text, left):
    assert strip(text) == ([left], 1)


@pytest.mark.parametrize(
    "text",
    [
        "We copyright nothing in 2004.",
        "It works. Main outcome measures were sizes. The Main Outcome Measure was size.",
        "The registration of trials is a duty: all should do it",
        "BERT: a model",
        "We take (b) 1500 nodes and (c) 2000 samples of them.",
        "Trial registration in Europe improved in 2005",
        "Trial registration had no effect in 2005",
        "Our results: better than others. The T cell.",
        "",
        None,
    ],
)
def test_the_authors_own_words_stay(text):
    assert strip(text) == ([text or ""], 0)


def test_the_abstracts_that_were_shortened_are_counted():
    text = "It works. All rights reserved."
    assert strip("It works.", text, text, None, text) == (
        ["It works.", *["It works.  . ."] * 2, "", "It works.  . ."],
        3,
    )
