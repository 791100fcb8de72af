"""The report: its content, its figures, its page."""
