"""Language models behind an OpenAI-compatible address, asked whether two texts mean the same."""
