"""Votes, agreement, intervals and scores: one implementation, which annotation, report, release and verify use."""
