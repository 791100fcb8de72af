"""The paraphrasing game: its page, its judges and what the builder asks about it."""
