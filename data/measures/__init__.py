"""Intervals, ceilings and soft labels: one implementation each."""
