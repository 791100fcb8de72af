"""What the ratings of each annotator tell: models of how annotators err, skill, checks."""
