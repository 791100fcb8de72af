"""The gate in front of the unmodified server: runs in the server's environment and imports no other code of ours."""
