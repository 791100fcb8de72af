"""Sentences translated there and back, and how far the results moved from them."""
