"""Judges: whether two texts mean the same, how similar they look, and what an attempt earns."""
