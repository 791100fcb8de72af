"""Simulated annotators and players, who use the server as people do."""
