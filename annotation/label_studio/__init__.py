"""The labelling page, its server and its client."""
