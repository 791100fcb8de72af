"""Who labels which pair, what they said, and what follows: pairs -> assignments -> ratings -> quality, labels."""
