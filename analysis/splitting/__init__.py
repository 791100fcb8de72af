"""Splits: which pairs belong together, where each group goes, and what leaks."""
