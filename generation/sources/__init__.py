"""Where source sentences come from, and which of them are fit to be changed."""
