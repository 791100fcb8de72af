"""The tables: one type per table, and the check of rows against it."""
