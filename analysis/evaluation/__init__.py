"""Models without meaning, the features they see, and how scores are judged."""
