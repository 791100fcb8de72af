"""Votes, and how far people who rate agree: the one implementation that annotation, report, release and verify use."""
