"""The adversarial paraphrasing task: the sentences that are played and the attempts at them."""

from data.contract.base import Count, Instant, Real, Table, Text, Truth, column, optional


class Prompts(Table, name="prompts", kind="derived", key=("source", "prompt_id"), scope=("source",)):
    """A sentence for players to rewrite: one row per source and text."""

    source: Text = column("`definitions`, or the name that was given to a file or released set")
    prompt_id: Text = column("of a definition its definition_id, otherwise hash of the text")
    text: Text = column("the sentence as players see it")
    entity: Text = optional("what it defines; null where it defines nothing")
    source_id: Text = column("the definition, or the line of the file")
    n_words: Count = column("words, separated by white space", ge=1)


class Attempts(Table, name="attempts", kind="event", key=("attempt_id", "changed_at")):
    """A sentence that a player checked, with what the judges said of it; the latest row of an attempt counts."""

    attempt_id: Text = column("opaque; the same for the check, its retries and its submission")
    changed_at: Instant = column("when it was checked, judged or submitted: the latest of these")
    campaign: Text = column("the game's campaign")
    round: Count = column("the round of the game, from 1", ge=1)
    player: Text = column("pseudonym of who wrote it")
    prompt_id: Text = column("the sentence that it rewrites")
    text: Text = column("as typed; `(taken down)` where the sentence was")
    asked_at: Instant = column("when Check was pressed, by the server's clock")
    seconds: Real = optional("seconds since the sentence or the previous answer was shown, by that clock", ge=0)
    refused: Text = optional("the guard that refused it unjudged; null for others")
    forward_entailment: Real = optional("P(the sentence entails the attempt); null where not judged", ge=0, le=1)
    forward_neutral: Real = optional("P(neither), in that direction; null also for judges of two labels", ge=0, le=1)
    forward_contradiction: Real = optional("P(contradiction), in that direction; null likewise", ge=0, le=1)
    backward_entailment: Real = optional("P(the attempt entails the sentence)", ge=0, le=1)
    backward_neutral: Real = optional("P(neither), in that direction", ge=0, le=1)
    backward_contradiction: Real = optional("P(contradiction), in that direction", ge=0, le=1)
    forward_bleurt: Real = optional("BLEURT of the attempt with the sentence as reference; null where not judged")
    backward_bleurt: Real = optional("BLEURT of the sentence with the attempt as reference")
    bleurt: Real = optional("what the reward was computed from: the mean of both, unless the paper's fault was asked")
    implied: Truth = optional("whether both directions entail each other (MI); null where not judged")
    reward: Count = optional("what it would have earned by the formula, in cents; null where not judged", ge=0)
    base: Count = column("base pay for its submission, in cents; 0 where it was not submitted", ge=0)
    bonus: Count = column("bonus paid for it, in cents: the reward, or what was left of cap and budget", ge=0)
    submitted_at: Instant = optional("when it was submitted; null for others")
    practice: Truth = column("whether it was played for points alone: no base pay, no bonus")
    judges: Text = optional("digest of the judges with their settings; null where not judged")
