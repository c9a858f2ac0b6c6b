"""Stage 4: which claims must be in mind before a question, and why."""
