"""Anki packages, CrowdAnki's JSON and SQLite decks."""
