"""Merging: subjects that people say are one, and what is asked and found because of it."""
