"""Words, languages, similarity and identity of texts."""
