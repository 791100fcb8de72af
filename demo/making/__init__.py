"""Scripts that make files of the demo world."""
