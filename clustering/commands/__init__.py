"""What can be typed, one module per command."""
