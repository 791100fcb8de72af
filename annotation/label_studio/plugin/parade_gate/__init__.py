"""Settings of our own beside the unmodified server: runs in the server's environment and imports nothing of ours."""
