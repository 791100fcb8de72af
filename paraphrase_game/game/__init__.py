"""The rules of the game: guards, the scorer that answers checks, and pairs from attempts."""
