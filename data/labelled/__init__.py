"""Labelled pairs as one frame, from our tables, PARADE's files or other corpora."""
