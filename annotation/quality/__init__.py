"""How good each annotator is: measures, habits, checks, skill, verdict."""
