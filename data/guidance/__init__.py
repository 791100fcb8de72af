"""The state of a store and the next command."""
