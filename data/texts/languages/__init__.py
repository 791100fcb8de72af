"""What the builder knows of each language: one module per language, named by its ISO 639-1 code."""
