"""Papers in the formats that people have them in."""
