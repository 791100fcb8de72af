"""Trained models as folders and as functions that score pairs."""
