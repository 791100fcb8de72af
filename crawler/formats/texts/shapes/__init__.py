"""The shapes in which people write names and their explanations."""
