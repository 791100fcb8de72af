"""Card files: one module per format, each with bytes in and an `Outcome` out."""
