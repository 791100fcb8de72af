"""The tables, their vocabulary, the questions and the stages."""
