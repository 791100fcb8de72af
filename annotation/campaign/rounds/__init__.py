"""Further ratings of a campaign, and the labels made of all."""
