"""What an annotator or a stranger may ask for, and the gate's own answers."""
