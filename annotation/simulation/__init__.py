"""Simulated annotators: how they err, in memory and ahead of a campaign."""
