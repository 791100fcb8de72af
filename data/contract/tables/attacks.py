"""Attacks: what became of every pair that a program modified to mislead a model."""

from data.contract.base import Count, Edits, Real, Table, Text, Texts, column, optional


class Attacks(Table, name="attacks", kind="derived", key=("attack", "original_id"), scope=("attack",)):
    """One attempt to make a model wrong about a pair without changing its label; failures are rows, too."""

    attack: Text = column("the attack's name; also the generator of the modified pairs")
    original_id: Text = column("the pair that was modified; of a negative one, put together from two pairs, its own id")
    parents: Texts = column("the pairs of the data set that it comes from: itself, or two")
    label: Count = column("1 paraphrase, 0 not: kept by construction, by no vote", isin=(0, 1))
    outcome: Text = column(
        "`fooled`; `limit`: still right after all steps; `stuck`: nothing left to replace; `budget`: no more answers; "
        "`wrong_at_start`: never modified",
        isin=("fooled", "limit", "stuck", "budget", "wrong_at_start"),
    )
    n_steps: Count = column("replacements of the modified pair", ge=0)
    pair_id: Text = optional("the modified pair; null where nothing was replaced")
    first: Text = column("the first text before")
    second: Text = column("the second text before")
    new_first: Text = column("the first text after; the model was most wrong about this pair")
    new_second: Text = column("the second text after")
    score_before: Real = optional("P(paraphrase) of the original; null where the model gave no answer", ge=0, le=1)
    score_after: Real = optional("P(paraphrase) of the modified pair", ge=0, le=1)
    threshold: Real = column("the score from which the model says paraphrase")
    edits: Edits = column(
        "one entry per step: the places of words in both texts, counted from 0, the word of each text before, and the "
        "word that both have now"
    )
    queries: Count = column("pairs that the model was asked about", ge=0)
    seconds: Real = column("of the processor; an original's share of its group's, by queries", ge=0)
    target: Text = column("the model that was attacked")
    target_sha256: Text = column("digest of that model")
    mlm: Text = column("the masked language model that proposed the words")
    mlm_sha256: Text = column("digest of that model")
