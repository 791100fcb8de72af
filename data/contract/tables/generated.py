"""Generated texts: what they are made from, what was made and how, and what was measured of their pairs."""

from data.contract.base import Count, Real, Table, Text, Texts, column, optional


class Sentences(Table, name="sentences", kind="derived", key=("source", "sentence_id"), scope=("source",)):
    """A text of the group's own from which others are made: a definition, a sentence of a paper, a line of a file."""

    source: Text = column("`definitions`, `papers`, or the name of the file it was read from")
    sentence_id: Text = column("the definition's id, otherwise hash of the text")
    source_id: Text = column("the definition, the paper, or the number of the line")
    position: Count = column("its place among the sentences of `source_id`, from 0", ge=0)
    text: Text = column("as found: case and white space kept")
    entity: Text = optional("the canonical term that it defines; null where it defines none")
    n_words: Count = column("number of words", ge=1)
    licence: Text = optional("the licence of its source; null where none is stated")


class GeneratedTexts(Table, name="generated_texts", kind="derived", key=("generator", "text_id"), scope=("generator",)):
    """A text that a program or a person made from another."""

    generator: Text = column("what made it; also the generator of its pairs")
    text_id: Text = column("hash of the text; of a text that defines an entity, the id of that definition")
    text: Text = column("the text")
    entity: Text = optional("the canonical term that it defines; null where it defines none")
    n_words: Count = column("number of words", ge=1)
    source_id: Text = column("the text that it was made from: a sentence, a definition or another generated text")
    method: Text = column("how it was made: `word-swap`, `back-translation`, `correction`, `shared-words`, `attempt` …")
    model: Text = optional("name and digest of the model that made it; null where none did")
    steps: Texts = column("what was changed, one entry per change")
    log_score: Real = optional("the model's log probability of the text, in nats; null where it gives none")


class PairMeasures(
    Table, name="pair_measures", kind="derived", key=("generator", "measure", "pair_id"), scope=("generator", "measure")
):
    """Something measured of a pair of texts."""

    generator: Text = column("the generator that proposed the pair")
    measure: Text = column("`bow_cosine`, `inversion_rate`, `lm_margin`, `nli_forward`, `bleurt` …")
    pair_id: Text = column("the pair")
    value: Real = optional("its value; null where it is not defined")
    model_sha256: Text = optional("digest of the model that measured it; null where none did")
