"""Models without meaning, the features that they see, their runs, and how scores are judged."""
