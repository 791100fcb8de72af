"""Spiders: what to ask for next, nothing else."""
