"""Sentences of the same words in another order: units, search, and which of them to offer (Zhang et al. 2019, 3.1)."""
