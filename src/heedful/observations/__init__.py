"""Stage 1: what was reported, and whether it may be kept."""
