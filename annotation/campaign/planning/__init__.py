"""What is planned of a campaign: its assignments, its arms' assignments, and what the page shows."""
