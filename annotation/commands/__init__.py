"""The commands of `python -m annotation`, one per module."""
