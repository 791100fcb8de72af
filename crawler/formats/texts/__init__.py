"""Decks written as text: tables, lists, notes, JSON and YAML."""
