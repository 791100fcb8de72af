"""The adversarial paraphrasing task: people and a machine write what means the same and looks different."""
