"""One task's working state, from its first word to its end."""
