"""From papers to terms: tokens, phrases, scores, lists."""
