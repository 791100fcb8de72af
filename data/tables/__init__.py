"""The tables: one type per table, and how rows are held against it."""
