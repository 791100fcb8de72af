"""Ratings as votes, and the agreement between them."""
