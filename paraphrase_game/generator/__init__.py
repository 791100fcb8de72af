"""The machine that plays: a generator, its losses and its training."""
