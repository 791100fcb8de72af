"""Labelled pairs as one frame, from a store's tables, PARADE's files or other corpora."""
