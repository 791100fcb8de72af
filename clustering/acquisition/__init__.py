"""Which of the unlabelled pairs a model would have labelled next."""
