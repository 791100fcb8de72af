"""The report: what it says, its figures, its page."""
