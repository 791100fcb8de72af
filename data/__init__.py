"""The contract: tables, store, words, similarity, and what else more than one room must mean alike."""
