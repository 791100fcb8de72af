"""The training loop: batches, examples, epochs, thresholds."""
