"""From papers to terms, from terms to cards, from cards to definitions."""
