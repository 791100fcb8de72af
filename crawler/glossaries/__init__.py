"""Glossaries: one module a source, each with bytes in and an `Outcome` out; terms are fronts, senses are backs."""
