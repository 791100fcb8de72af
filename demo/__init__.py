"""A small invented world: papers, decks, files, and a local site that serves the decks."""
