"""Stage 7: whether an action may go ahead, from evidence alone."""
