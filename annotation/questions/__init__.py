"""What annotators are asked: each question is a folder with question.toml and guide.md."""
