"""What is planned of a campaign: its assignments, those of its arms, and what the page shows."""
