"""Training and prediction: one loop for all models with weights, and what is kept of a run."""
