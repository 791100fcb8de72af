"""The machine that plays: a sequence-to-sequence generator, its training and its schedule."""
