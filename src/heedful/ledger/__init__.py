"""Stage 2: sealed events, each chained to the one before."""
