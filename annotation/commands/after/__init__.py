"""The commands that turn ratings into measures, verdicts, further ratings and labels."""
