"""A small world of our own writing: papers, decks, files, and a local site that serves the decks."""
