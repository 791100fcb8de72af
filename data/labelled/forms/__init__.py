"""The forms in which other data sets publish labelled pairs."""
