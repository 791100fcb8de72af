"""The language models, taggers and translators of others, behind three protocols."""
