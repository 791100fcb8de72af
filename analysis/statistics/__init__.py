"""Statistics of labelled pairs: texts, votes, agreement, contradictions, the funnel."""
