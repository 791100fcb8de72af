"""The people of a campaign: what they accepted, earned and were simulated as; who leaves, and what goes."""
