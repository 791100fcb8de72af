"""Statistics of labelled pairs: texts, votes, agreement, contradictions, and what came out of each stage."""
