"""Data sets of labelled pairs and where they come from: a store, a release, files."""
