"""How robust models of paraphrases are: modification with shared words, and training against it."""
