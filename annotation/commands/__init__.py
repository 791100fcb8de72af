"""The verbs of `python -m annotation`, one module per command."""
