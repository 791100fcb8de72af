"""Files that other people made, and files that are written whole or not at all."""
