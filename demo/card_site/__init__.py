"""The demo world's card site: its pages, its replies and its search."""
