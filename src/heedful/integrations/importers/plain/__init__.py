"""Heedful's own plain formats: records as `remember` takes them, and events of a trajectory, as JSONL or one batch."""
