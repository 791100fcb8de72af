"""Card files: one module a format, each with bytes in and an `Outcome` out."""
