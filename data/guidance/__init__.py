"""The state of a store, the next command, and the commands of `python -m data`."""
