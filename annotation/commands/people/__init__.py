"""The commands about single annotators, and letters and pay for all."""
