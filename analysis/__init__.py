"""From labels to splits, report and release."""
