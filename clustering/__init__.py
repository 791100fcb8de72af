"""Definitions -> pairs worth an expert's time. The rooms meet only at the tables of `data`."""
