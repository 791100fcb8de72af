"""What is collected and measured of a campaign, and how far it is."""
