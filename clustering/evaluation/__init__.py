"""Candidate pairs against the published, labelled ones."""
