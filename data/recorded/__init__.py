"""What a store records of its languages, campaigns, names and paid work."""
