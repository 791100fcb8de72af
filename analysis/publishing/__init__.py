"""A release: its tables, card, metadata, checks and the folder that holds them."""
