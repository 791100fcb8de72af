"""The contract: tables, store, words, similarity, and whatever else must mean the same in several rooms."""
