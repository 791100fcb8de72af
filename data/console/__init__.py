"""What all commands share: errors, messages, the shape of a command."""
