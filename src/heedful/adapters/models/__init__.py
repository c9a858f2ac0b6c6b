"""Models that turn texts into vectors. What they need is imported when they are first used, in this folder alone."""
