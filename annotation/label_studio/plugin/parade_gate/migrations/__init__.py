"""The steps by which the tables of `models` came to be."""
