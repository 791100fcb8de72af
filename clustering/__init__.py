"""Definitions -> pairs worth an expert's time. Rooms meet only at the tables of `data`."""
