"""Which two parts of a record are the sides of its card."""
