"""From a card's two sides to an accepted definition."""
