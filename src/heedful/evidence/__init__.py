"""Stage 6: what is handed over, labelled and within a budget."""
