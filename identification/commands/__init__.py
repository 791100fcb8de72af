"""The room's commands: each parses, reads, calls and writes."""
