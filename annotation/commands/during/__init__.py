"""The commands while annotators label."""
