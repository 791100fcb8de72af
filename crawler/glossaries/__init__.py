"""Glossaries: one module per source, each with bytes in and an `Outcome` out; terms are fronts, senses are backs."""
