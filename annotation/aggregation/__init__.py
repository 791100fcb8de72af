"""From a pair's ratings to its label."""
