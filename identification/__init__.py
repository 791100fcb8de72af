"""From labels to trained models and their scores: which pairs are paraphrases, by the networks of the papers."""
