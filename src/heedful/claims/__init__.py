"""Stage 3: what is held because of records, folded from events alone."""
