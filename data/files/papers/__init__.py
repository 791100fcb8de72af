"""Papers, in the formats in which people have them."""
