"""From texts to new texts, and to pairs that share their words and may differ in meaning."""
